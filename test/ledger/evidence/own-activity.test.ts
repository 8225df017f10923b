// Observer overhead and caused wakes: what readings added, and what they did not.
import { describe, expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { at, attempt, look, reading, sweep } from '../../support/build.ts'
import { after, asleep, awake, one } from '../folded.ts'

test('awake time that a reading of ours added is told apart', () => {
  // A client at 69, our reading at 100 seen as activity; the compute slept at 400 instead of 369.
  const known = after([
    sweep(70, { looks: [look(70, { ...awake, lastActive: at(69) })] }),
    sweep(100, { looks: [look(100, { ...awake, lastActive: at(69) })], readings: [attempt(100)] }),
    sweep(130, { looks: [look(130, { ...awake, lastActive: at(100) })] }),
    sweep(460, { looks: [look(460, { ...asleep, suspendedAt: at(400), lastActive: at(100) })] }),
  ])
  // From the middle of the second of that client's activity to the end of our session.
  expect(one(known).totals.observerOverhead).toBe(30_600)
})

test('a reading that nobody noticed added nothing', () => {
  const known = after([
    sweep(70, { looks: [look(70, { ...awake, lastActive: at(69) })] }),
    sweep(100, { looks: [look(100, { ...awake, lastActive: at(69) })], readings: [attempt(100)] }),
    sweep(460, { looks: [look(460, asleep)] }),
  ])
  expect(one(known).totals.observerOverhead).toBe(0)
})

test('a reading that saw clients at work explains no activity away', () => {
  const busy = reading({
    serverTime: at(100.1),
    causes: {
      working: 1,
      idleInTransaction: 0,
      replication: 0,
      subscriptions: 0,
      autovacuum: 0,
      prepared: 0,
      lastForeignStatement: undefined,
      longestTransaction: undefined,
    },
  })
  const known = after([
    sweep(70, { looks: [look(70, { ...awake, lastActive: at(69) })] }),
    sweep(100, { readings: [attempt(100, { result: { kind: 'read', reading: busy } })] }),
    sweep(460, { looks: [look(460, { ...asleep, suspendedAt: at(400), lastActive: at(100) })] }),
  ])
  expect(one(known).totals.observerOverhead).toBe(0)
})

test('a wake inside a connection of ours is ours unless the server proves that it ran before', () => {
  const start = { looks: [look(460, { state: 'active', startedAt: at(430) })] }
  const before = sweep(420, { looks: [look(420, asleep)] })
  const caused = (over: Parameters<typeof attempt>[1]): number =>
    one(after([before, sweep(460, { ...start, readings: [attempt(430.4, over)] })])).totals.wakesCaused
  expect(caused({ result: { kind: 'failed', because: 'timeout', message: '' } })).toBe(1)
  expect(
    caused({
      result: { kind: 'read', reading: reading({ postmasterStartedAt: at(430.6), serverTime: at(430.5) }) },
    }),
  ).toBe(1)
  expect(
    caused({
      result: { kind: 'read', reading: reading({ postmasterStartedAt: at(425), serverTime: at(430.5) }) },
    }),
  ).toBe(0)
})

describe('awake time after a wake inside our session is what readings added', () => {
  const woken = { state: 'active', startedAt: at(430), suspendedAt: at(370) } as const
  const begun = [
    sweep(420, { looks: [look(420, asleep)] }),
    sweep(440, {
      looks: [look(440, { ...woken, lastActive: at(430) })],
      readings: [attempt(430.4, { result: { kind: 'failed', because: 'timeout', message: '' } })],
    }),
  ]
  const ended = look(800, { ...woken, state: 'idle', suspendedAt: at(730) })

  test('until the suspension where nobody came, and the allowance pays for it', () => {
    const known = one(
      after([
        ...begun,
        sweep(800, { looks: [{ ...ended, compute: { ...ended.compute, lastActive: at(430) } }] }),
      ]),
    )
    expect(known.totals).toMatchObject({ wakesCaused: 1, observerOverhead: 300_000 })
    expect(known.reading.allowance).toBeLessThan(-290)
  })

  test('until the first client, also where the interval goes on for hours', () => {
    const visits = Array.from({ length: 180 }, (_, index) => 500 + index * 60)
    const known = one(
      after([
        ...begun,
        ...visits.map((when) =>
          sweep(when + 10, { looks: [look(when + 10, { ...woken, lastActive: at(when) })] }),
        ),
      ]),
    )
    expect(known.totals).toMatchObject({ wakesCaused: 1, observerOverhead: 70_000 })
  })

  test('also where autosuspend is off', () => {
    const known = one(
      after([
        ...begun,
        sweep(510, { looks: [look(510, { ...woken, autosuspendDelay: 'never', lastActive: at(500) })] }),
      ]),
    )
    expect(known.totals).toMatchObject({ wakesCaused: 1, observerOverhead: 70_000 })
  })
})

test('a wake just before a look that let a slow reading go is not that reading’s', () => {
  const known = after([
    sweep(420, { looks: [look(420, asleep)] }),
    sweep(434, {
      looks: [look(431.2, { state: 'active', startedAt: at(430) })],
      readings: [
        attempt(431.3, {
          disconnectedAt: at(433),
          result: {
            kind: 'read',
            reading: reading({ postmasterStartedAt: at(430.6), serverTime: at(431.7) }),
          },
        }),
      ],
    }),
  ])
  expect(one(known).totals).toMatchObject({ wakes: 2, wakesCaused: 0 })
})

test('a wake that a look had shown is not of the reading it let go, however uncertain the time of the look', () => {
  const seen = { ...look(431.2, { state: 'active', startedAt: at(430) }), answeredAt: at(431.8) }
  const known = after([
    sweep(420, { looks: [look(420, asleep)] }),
    sweep(434, {
      looks: [seen],
      readings: [
        attempt(430.9, {
          disconnectedAt: at(431.4),
          look: seen,
          result: {
            kind: 'read',
            reading: reading({ postmasterStartedAt: at(430.6), serverTime: at(431.2) }),
          },
        }),
      ],
    }),
  ])
  expect(one(known).totals).toMatchObject({ wakes: 2, wakesCaused: 0 })
})

test('awake time earns credit for readings, at most one delay, and a reading spends what it was let go for', () => {
  const known = after([
    sweep(60, { looks: [look(60, { state: 'active', startedAt: at(-3600) })] }),
    sweep(120, {
      looks: [look(120, { state: 'active', startedAt: at(-3600) })],
      readings: [attempt(120, { expectedCost: seconds(7) })],
    }),
  ])
  expect(one(known).reading.allowance).toBeCloseTo((3600 + 119.5) * 0.01 - 7, 5)
})
