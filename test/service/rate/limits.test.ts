import { describe, expect, test } from 'vitest'
import { seconds, type Seconds } from '../../../src/model/units.ts'
import {
  newRateLimits,
  servicePauseAt,
  applyRefusal,
  rateShareOf,
  recordRequest,
  waitForRoute,
  type RateLimits,
} from '../../../src/service/rate/limits.ts'

const at = (time: number): Seconds => seconds(time)

type Told = { readonly route: string; readonly sentAt: number; readonly now: number; readonly pause: number }

/** The limits after these 429. */
const after = (refusals: readonly Told[], from: RateLimits = newRateLimits(600, at(0))): RateLimits =>
  refusals.reduce(
    (limits, { route, sentAt, now, pause }) =>
      applyRefusal(limits, { route, sentAt: at(sentAt), pause: at(pause), factor: 0.5 }, at(now)),
    from,
  )

const shares = (limits: RateLimits, now: number): number[] =>
  ['a', 'b', 'c'].map((route) => Math.round(rateShareOf(limits, route, at(now)) * 100) / 100)
const waits = (limits: RateLimits, now: number): number[] =>
  ['a', 'b', 'c'].map((route) => waitForRoute(limits, route, at(now)))

describe('a 429', () => {
  test('slows the route it was for, and no other', () => {
    const limits = after([{ route: 'a', sentAt: 0, now: 1, pause: 30 }])
    expect(waits(limits, 1)).toEqual([30, 0, 0])
    expect(shares(limits, 1)).toEqual([0.5, 1, 1])
  })

  test('on one route alone stays that of the route, however often', () => {
    const limits = after([
      { route: 'a', sentAt: 0, now: 1, pause: 5 },
      { route: 'a', sentAt: 7, now: 8, pause: 5 },
    ])
    expect(shares(limits, 10)).toEqual([0.25, 1, 1])
    expect(waits(limits, 10)).toEqual([3, 0, 0])
  })

  test('on two routes within a minute is the account’s, with the longer pause', () => {
    const limits = after([
      { route: 'a', sentAt: 0, now: 1, pause: 30 },
      { route: 'b', sentAt: 2, now: 3, pause: 5 },
    ])
    expect(waits(limits, 3)).toEqual([28, 28, 28])
    expect(shares(limits, 3)).toEqual([0.5, 0.5, 0.5])
  })

  test('on two routes more than a minute apart is of each, also while one goes on', () => {
    const limits = after([
      { route: 'b', sentAt: 0, now: 1, pause: 1 },
      { route: 'a', sentAt: 61, now: 62, pause: 1 },
      { route: 'a', sentAt: 70, now: 71, pause: 5 },
    ])
    expect(waits(limits, 71)).toEqual([5, 0, 0])
    expect(shares(limits, 71)).toEqual([0.25, expect.closeTo(0.56, 2), 1])
  })

  test('of many requests that were on their way together slows the account once', () => {
    const together = ['a', 'b', 'c', 'd', 'a', 'b'].map((route) => ({ route, sentAt: 0, now: 1, pause: 5 }))
    expect(shares(after(together), 1)).toEqual([0.5, 0.5, 0.5])
  })

  test('after the account’s pause, once more, slows it again', () => {
    const limits = after([
      { route: 'a', sentAt: 0, now: 1, pause: 1 },
      { route: 'b', sentAt: 0, now: 1, pause: 1 },
      { route: 'a', sentAt: 3, now: 4, pause: 1 },
    ])
    expect(shares(limits, 4)).toEqual([0.25, 0.25, 0.25])
  })

  test.each([
    [300, [0.75, 1, 1]],
    [600, [1, 1, 1]],
  ])('is forgotten over ten minutes: %i s later', (later, expected) => {
    expect(shares(after([{ route: 'a', sentAt: 0, now: 0, pause: 1 }]), later)).toEqual(expected)
  })
})

describe('the history of consumption', () => {
  test('has a rate of its own, beside the account’s', () => {
    let limits = newRateLimits(600, at(0))
    for (let count = 0; count < 10; count += 1) limits = recordRequest(limits, 'list_consumption', at(0))
    expect(waitForRoute(limits, 'list_consumption', at(10))).toBe(0)
    limits = recordRequest(limits, 'list_consumption', at(10))
    limits = recordRequest(limits, 'list_consumption', at(10))
    expect(waitForRoute(limits, 'list_consumption', at(10))).toBeGreaterThan(1)
    expect(waitForRoute(limits, 'a', at(10))).toBe(0)
  })

  test('accuses nobody else when it is refused', () => {
    const limits = after([
      { route: 'list_consumption', sentAt: 0, now: 1, pause: 9 },
      { route: 'a', sentAt: 0, now: 1, pause: 1 },
    ])
    expect(servicePauseAt(limits, 'list_consumption', at(1))).toBe(9)
    expect(waits(limits, 1)).toEqual([1, 0, 0])
    expect(limits.routes.get('list_consumption')).toMatchObject({ rate: 0.25, share: 0.5 })
  })
})
