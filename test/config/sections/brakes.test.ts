// Brakes of 0 or less are none: each is refused by its key.
import { describe, expect, test } from 'vitest'
import { GOOD, problemsOf } from '../loading.ts'

const DURATIONS = {
  compute_pause: '1s to 7d',
  opposite_pause: '1s to 7d',
  hold_off: '1s to 1d',
  min_age: '1s to 90d',
  breaker_within: '1s to 7d',
  breaker_error_within: '1m to 1h',
}
const COUNTS = {
  compute_per_week: 1000,
  fleet_in_flight: 1000,
  fleet_per_hour: 100_000,
  fleet_least: 100_000,
  breaker_failures: 1000,
}

const problemOf = (key: string, value: string | number) => problemsOf(`${GOOD}brakes: { ${key}: ${value} }\n`)

describe('a brake', () => {
  test.each(Object.entries(DURATIONS))('%s needs a length of time', (key, allowed) => {
    expect(problemOf(key, '0s')).toEqual([`brakes.${key}: expected a length of time of ${allowed}`])
    const [negative, ...others] = problemOf(key, '-1s')
    expect([negative, others]).toEqual([
      expect.stringMatching(new RegExp(`^brakes\\.${key}: expected a length of time`)),
      [],
    ])
  })

  test.each(Object.entries(COUNTS))('%s needs a number', (key, most) => {
    for (const value of [0, -1, 1.5])
      expect(problemOf(key, value)).toEqual([`brakes.${key}: expected a whole number from 1 to ${most}`])
  })

  test('fleet_share needs a share', () => {
    for (const value of [0, -0.1, 1.1, 20])
      expect(problemOf('fleet_share', value)).toEqual([
        'brakes.fleet_share: expected a share above 0, at most 1',
      ])
  })
})
