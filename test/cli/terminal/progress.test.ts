import { describe, expect, test } from 'vitest'
import { createProgress, timeLeft } from '../../../src/cli/terminal/progress.ts'
import { createRedactor } from '../../../src/std/redactor.ts'
import { seconds } from '../../../src/model/units.ts'
import { fakeClock } from '../../support/fake-clock.ts'

type Shown = readonly (readonly [stream: 'err' | 'progress', text: string])[]

/** Texts by where they went, while 200 projects are read in a minute, the first request being the list. */
async function readAll({ isTerminal = false, json = false }): Promise<Shown> {
  const shown: (readonly ['err' | 'progress', string])[] = []
  const clock = fakeClock()
  const io = {
    ...createRedactor(),
    out: () => undefined,
    err: (text: string) => void shown.push(['err', text]),
    env: {},
    cwd: '/',
    signal: new AbortController().signal,
    columns: undefined,
    ...(isTerminal && { progress: (line: string) => void shown.push(['progress', line]) }),
  }
  const progress = createProgress({ json, rate: 350 }, io, clock)
  progress.countRequest()
  progress.show({ looked: 0, projects: 200 })
  for (const looked of [50, 100, 150, 200]) {
    await clock.advance(seconds(looked === 100 ? 5 : 15))
    for (let request = 0; request < 50; request += 1) progress.countRequest()
    progress.show({ looked, projects: 200 })
  }
  expect(progress.end()).toBe('201 requests in 50 s')
  return shown
}

describe('progress', () => {
  test('rewrites one line in a terminal, and clears it at the end', async () => {
    expect(await readAll({ isTerminal: true })).toEqual([
      ['progress', '0 of 200 projects read, about 10 s left'],
      ['progress', '50 of 200 projects read, about 45 s left'],
      ['progress', '100 of 200 projects read, about 20 s left'],
      ['progress', '150 of 200 projects read, about 12 s left'],
      ['progress', '200 of 200 projects read'],
      ['progress', ''],
    ])
  })

  test('elsewhere prints a line in 10 s at most, and the last one', async () => {
    expect(await readAll({})).toEqual([
      ['err', '0 of 200 projects read, about 10 s left'],
      ['err', '50 of 200 projects read, about 45 s left'],
      ['err', '150 of 200 projects read, about 12 s left'],
      ['err', '200 of 200 projects read'],
    ])
  })

  test('is not printed beside JSON', async () => {
    expect(await readAll({ json: true, isTerminal: true })).toEqual([])
  })
})

test.each([
  ['the rate limits: 300 requests are left, of which 20 may go out at once', 100, 500, 60, 48],
  ['the answers limit: 20 requests are left, at 1 s each', 90, 180, 180, 20],
  ['the first requests go out at 20 a second: 100 are left, all of which are allowed', 0, 3, 0, 5],
])('the time left, where %s', (_, looked, requests, elapsed, expected) => {
  const projects = looked === 100 ? 160 : 100
  expect(timeLeft({ looked, projects }, { requests, elapsed, rate: 350 })).toBeCloseTo(expected, 0)
})
