import { describe, expect, test } from 'vitest'
import { cheaperDelay } from '../../../src/advise/delay/choose.ts'
import { seconds } from '../../../src/model/units.ts'

const question = {
  candidates: [60, 120, 300, 600, 1200].map(seconds),
  now: seconds(300),
  wakeCost: seconds(300),
  grid: seconds(60),
}

/** Gaps of two and of three minutes among long ones, so many that the prior hardly counts. */
const gapsWith = (short: number, longer = 0) =>
  Array.from({ length: 10_000 }, (_, index) => {
    const share = index / 10_000
    const length = share < short ? 120 : share < short + longer ? 180 : 7200
    return { low: length, high: length, hiddenBelow: 0 }
  })

describe('of delays that cost nearly the same', () => {
  // the expected cost of 60 s over that of 120 s is 360 / (420 - 300 · share)
  test.each([
    ['the longer one that is 1 % cheaper is not recommended', 0.212, 60],
    ['the longer one that is 3 % cheaper is', 0.236, 120],
    ['the shorter one that is cheaper is', 0.1, 60],
  ])('%s', (_, short, delay) => {
    expect(cheaperDelay(gapsWith(short), question)).toBe(delay)
  })

  test('one that is not cheaper than the delay in force by 5 % is none of them', () => {
    // 360 s and 356 s against 377 s: only the longer one is cheap enough
    const gaps = gapsWith(0.212, 0.089)
    const now = { ...question, now: seconds(180) }
    expect(cheaperDelay(gaps, { ...now, candidates: [seconds(60)] })).toBeUndefined()
    expect(cheaperDelay(gaps, { ...now, candidates: [60, 120].map(seconds) })).toBe(120)
  })

  test('autosuspend off is recommended where it is by far the cheapest', () => {
    const gaps = Array.from({ length: 1000 }, () => ({ low: 100, high: 100, hiddenBelow: 0 }))
    const candidates = [seconds(60), 'never' as const]
    expect(cheaperDelay(gaps, { ...question, now: seconds(60), candidates })).toBe('never')
  })
})
