import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import {
  applyThrottle,
  newTokenBucket,
  takeTokens,
  tokensAt,
  timeUntilToken,
  type TokenBucket,
} from '../../../src/service/rate/token-bucket.ts'

const at = (time: number): Seconds => seconds(time)

/** When each of `count` requests goes out, all wanted from the start. */
function departures(start: TokenBucket, from: number, count: number): number[] {
  let budget = start
  let now = from
  return Array.from({ length: count }, () => {
    for (let wait = timeUntilToken(budget, at(now)); wait > 0; wait = timeUntilToken(budget, at(now)))
      now += wait
    budget = takeTokens(budget, at(now))
    return now
  })
}

/** Requests a second once the burst is used up. */
function rateAt(budget: TokenBucket, now: number): number {
  const times = departures(budget, now, 12)
  return 1 / ((times[11] ?? NaN) - (times[10] ?? NaN))
}

describe('a request budget', () => {
  test('of 60 a minute lets 10 go at once and then one a second', () => {
    expect(departures(newTokenBucket(60, at(0)), 0, 13)).toEqual([...Array<number>(10).fill(0), 1, 2, 3])
  })

  test('tells how many may go at once: never more than those, and none while one has to wait', () => {
    const fresh = newTokenBucket(60, at(0))
    expect(tokensAt(fresh, at(100))).toBe(10)
    const used = Array.from({ length: 10 }).reduce<TokenBucket>((budget) => takeTokens(budget, at(0)), fresh)
    expect([0, 0.9, 1, 3.5].map((now) => tokensAt(used, at(now)))).toEqual([0, 0, 1, 3])
    const refused = applyThrottle(fresh, at(0), { sentAt: at(0), pause: at(5), factor: 1 })
    expect([4.9, 5].map((now) => tokensAt(refused, at(now)))).toEqual([0, 1])
  })

  test('gives out what was not spent before at 20 a second, once', () => {
    const times = departures(newTokenBucket(60, at(0), 40), 0, 60)
    const within = (from: number, to: number): number => times.filter((one) => one >= from && one < to).length
    expect(within(0, 0.001)).toBe(10)
    expect([within(0.001, 1.001), within(1.001, 2.001)]).toEqual([20, 20])
    expect(within(3, 6)).toBe(3)
    const refusedAtOnce = applyThrottle(newTokenBucket(60, at(0), 40), at(0), {
      sentAt: at(0),
      pause: at(5),
      factor: 1,
    })
    expect(departures(refusedAtOnce, 5, 3)).toEqual([5, 6, 7])
  })

  test('never lets more go in any stretch of time than the burst and its rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.array(fc.float({ min: 0, max: 30, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.nat(59),
        (perMinute, pauses, limitedAt) => {
          let budget = newTokenBucket(perMinute, at(0))
          let now = 0
          const sent: number[] = []
          for (const [index, pause] of pauses.entries()) {
            now += pause
            if (index === limitedAt)
              budget = applyThrottle(budget, at(now), { sentAt: at(now), pause: at(1), factor: 0.5 })
            if (timeUntilToken(budget, at(now)) > 0) continue
            budget = takeTokens(budget, at(now))
            sent.push(now)
          }
          const excess = sent.flatMap((from, first) =>
            sent.slice(first).map((to, count) => count + 1 - 10 - ((to - from) * perMinute) / 60),
          )
          expect(Math.max(0, ...excess)).toBeLessThan(1e-6)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('lets a request go after the wait it named', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(100), fc.nat(50), (perMinute, spent, pause) => {
        let budget = newTokenBucket(perMinute, at(0))
        let now = 0
        for (let count = 0; count < spent; count += 1) {
          const wait = timeUntilToken(budget, at(now))
          now += wait
          budget = takeTokens(budget, at(now))
        }
        budget = applyThrottle(budget, at(now), { sentAt: at(now), pause: at(pause), factor: 0.5 })
        const wait = timeUntilToken(budget, at(now))
        expect(wait).toBeGreaterThanOrEqual(pause)
        expect(timeUntilToken(budget, at(now + wait))).toBeLessThanOrEqual(0.001)
      }),
    )
  })

  test.each([
    ['at once after the pause', 5, 0.5],
    ['5 minutes later', 300, 0.75],
    ['10 minutes later', 600, 1],
  ])('has after a 429, %s, the share', (_, later, share) => {
    const budget = applyThrottle(newTokenBucket(60, at(0)), at(0), {
      sentAt: at(0),
      pause: at(5),
      factor: 0.5,
    })
    expect(rateAt(budget, later)).toBeCloseTo(share, 1)
  })

  test('has no burst after a pause: one request, and then at the rate that is left', () => {
    const budget = applyThrottle(newTokenBucket(60, at(0)), at(0), {
      sentAt: at(0),
      pause: at(30),
      factor: 0.5,
    })
    const times = departures(budget, 0, 4)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(times[0]).toBe(30)
    for (const gap of gaps) expect(gap).toBeCloseTo(1 / 0.525, 1)
  })

  test('is halved once by requests that were on their way together, and again by a later one', () => {
    const once = applyThrottle(newTokenBucket(60, at(0)), at(10), {
      sentAt: at(9),
      pause: at(1),
      factor: 0.5,
    })
    const together = applyThrottle(once, at(10.5), { sentAt: at(9.5), pause: at(3), factor: 0.5 })
    expect(together.share).toBeCloseTo(0.5, 2)
    expect(together.notBefore).toBe(13.5)
    expect(applyThrottle(together, at(15), { sentAt: at(14), pause: at(0), factor: 0.5 }).share).toBeCloseTo(
      0.25,
      2,
    )
  })

  test('keeps a share however often it is limited', () => {
    let budget = newTokenBucket(320, at(0))
    for (let time = 0; time < 40; time += 1)
      budget = applyThrottle(budget, at(time), { sentAt: at(time), pause: at(0), factor: 0.5 })
    expect(budget.share).toBeGreaterThanOrEqual(1 / 32)
  })
})
