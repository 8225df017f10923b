import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalsAt } from '../../src/account/as-of.ts'
import { cuTimeSum } from '../../src/account/totals.ts'
import { computeKey } from '../../src/model/compute.ts'
import type { ComputeAccount, Ledger } from '../../src/model/ledger.ts'
import type { Look, Sweep } from '../../src/model/observation.ts'
import { cu, micros, seconds, type Instant } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import {
  at,
  attempt,
  compute,
  ledger,
  look,
  operation,
  prices,
  project,
  reading,
  sweep,
} from '../support/build.ts'
import { check } from '../support/property.ts'

const KEY = computeKey({ account: 'main', projectId: 'project-one', endpointId: 'ep-one' })
const context = (now: number): { prices: typeof prices; overhead: number; now: Instant } => ({
  prices,
  overhead: 0.01,
  now: at(now),
})

const after = (sweeps: readonly Sweep[], before: Ledger = ledger()): Ledger =>
  sweeps.reduce((known, one) => {
    const now = (one.endedAt - at(0)) / 1000
    return accounted(known, one, context(now)).ledger
  }, before)

const one = (known: Ledger): ComputeAccount => {
  const found = known.computes.get(KEY)
  if (!found) throw new Error('the compute has no account')
  return found
}

const awake = { state: 'active', startedAt: at(10) } as const
const asleep = { state: 'idle', startedAt: at(10), suspendedAt: at(370), lastActive: at(69) } as const

test('an interval is counted from its start to its end, its tail from the last activity on', () => {
  const totals = one(
    after([
      sweep(60, { looks: [look(60, { ...awake, lastActive: at(50) })] }),
      sweep(420, { looks: [look(420, asleep)] }),
    ]),
  ).totals
  expect(totals).toMatchObject({
    awake: { low: 359_000, likely: 360_000, high: 361_000 },
    idleTail: 301_000,
    wakes: 1,
    suspends: 1,
  })
  expect(cuTimeSum(totals.cuTime)).toEqual({ low: 359_000, likely: 360_000, high: 361_000 })
})

test('an open interval is sure until the last look, likely until its delay is over, and possible until now', () => {
  const known = after([sweep(60, { looks: [look(60, awake)] })])
  expect(totalsAt(one(known), { prices, project: undefined, now: at(400) })).toMatchObject({
    awake: { low: 49_000, likely: 304_500, high: 390_000 },
    cuTime: { 106000: { low: 49_000, likely: 304_500, high: 390_000 } },
  })
})

test('one that slept and that the list sees active since may be awake from its last fold on, likely since that activity', () => {
  const known = after([
    sweep(420, { looks: [look(420, asleep)], projects: [project()], ...listed(420, ['ep-one']) }),
    sweep(700, { projects: [project({ computeLastActiveAt: at(650) })], operationsOf: [] }),
  ])
  const shown = (offset: number) =>
    totalsAt(one(known), { prices, project: known.projects.get('project-one'), now: at(offset) }).awake
  expect(shown(700)).toMatchObject({ low: 359_000, likely: 410_000, high: 361_000 + 280_000 })
  expect(shown(9000)).toMatchObject({ low: 359_000, likely: 360_000 + 305_000, high: 361_000 + 8_580_000 })
})

test('folding a sweep twice counts nothing twice', () => {
  const once = sweep(420, { looks: [look(420, asleep)], operations: [operation('start_compute', 10)] })
  expect(one(after([once, once])).totals).toEqual(one(after([once])).totals)
})

const listed = (when: number, endpointIds: readonly string[]): Pick<Sweep, 'listed'> => ({
  listed: [{ projectId: 'project-one', answeredAt: at(when), endpointIds }],
})

test('a compute that is missing from a whole list of its project is gone, and not awake any more', () => {
  const known = after([
    sweep(60, { looks: [look(60, awake)], ...listed(60, ['ep-one']) }),
    sweep(120, listed(120, [])),
  ])
  expect(one(known)).toMatchObject({ goneAt: at(120), open: undefined, totals: { suspends: 1 } })
})

test('a compute in a list that was not read whole is not gone', () => {
  const known = after([sweep(60, { looks: [look(60, awake)] }), sweep(120)])
  expect(one(known)).toMatchObject({ goneAt: undefined, totals: { suspends: 0 } })
})

test('a size that a restart changed holds from that start on', () => {
  const known = after([
    sweep(60, { looks: [look(60, awake)] }),
    sweep(120, {
      looks: [look(120, { state: 'active', startedAt: at(100), sizing: { fixed: cu(2) } })],
      operations: [
        operation('apply_config', 98),
        operation('suspend_compute', 98, { updatedAt: at(99) }),
        operation('start_compute', 99, { updatedAt: at(100) }),
      ],
    }),
  ])
  const { totals } = one(known)
  // 10.5–99.5 at 1 CU, 100.5–120 at 2 CU; until the change was seen either size may have held.
  expect(cuTimeSum(totals.cuTime).likely).toBe(89_000 + 39_000)
  expect(totals).toMatchObject({ wakes: 1, restarts: 1 })
})

test('time at two prices is kept apart', () => {
  const change = {
    ...prices,
    periods: [...prices.periods, { from: at(100), perCuHour: micros(222_000) }],
  }
  const { ledger: known } = accounted(ledger(), sweep(420, { looks: [look(420, asleep)] }), {
    ...context(420),
    prices: change,
  })
  expect(Object.values(one(known).totals.cuTime).map(({ likely }) => likely)).toEqual([89_500, 270_500])
})

test('awake time that a reading of ours added is told apart', () => {
  // A client at 69, our reading at 100 seen as activity; the compute slept at 400 instead of 369.
  const known = after([
    sweep(70, { looks: [look(70, { ...awake, lastActive: at(69) })] }),
    sweep(100, { looks: [look(100, { ...awake, lastActive: at(69) })], readings: [attempt(100)] }),
    sweep(130, { looks: [look(130, { ...awake, lastActive: at(100) })] }),
    sweep(460, { looks: [look(460, { ...asleep, suspendedAt: at(400), lastActive: at(100) })] }),
  ])
  // From the middle of the second of that client's activity to the end of our session.
  expect(one(known).totals.extension).toBe(30_600)
})

test('a reading that nobody noticed added nothing', () => {
  const known = after([
    sweep(70, { looks: [look(70, { ...awake, lastActive: at(69) })] }),
    sweep(100, { looks: [look(100, { ...awake, lastActive: at(69) })], readings: [attempt(100)] }),
    sweep(460, { looks: [look(460, asleep)] }),
  ])
  expect(one(known).totals.extension).toBe(0)
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
  expect(one(known).totals.extension).toBe(0)
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
      readings: [attempt(120, { cost: seconds(7) })],
    }),
  ])
  expect(one(known).reading.credit).toBeCloseTo((3600 + 119.5) * 0.01 - 7, 5)
})

const SECOND = 1000
const histories = fc
  .array(fc.tuple(fc.integer({ min: 5, max: 20_000 }), fc.integer({ min: 5, max: 20_000 })), {
    minLength: 1,
    maxLength: 20,
  })
  .map((spans) => {
    let time = 0
    return spans.map(([gap, span]) => {
      const from = time + gap + 0.25
      time = from + span
      return { from, to: time }
    })
  })

test('over days of polls the totals contain the truth, counters never fall, and the evidence stays small', () => {
  check(
    fc.property(histories, fc.integer({ min: 20, max: 120 }), (history, interval) => {
      let known = ledger()
      let settledAwake = 0
      let last = 0
      const until = (history.at(-1)?.to ?? 0) + 3600
      for (let now = 0; now <= until; now += interval) {
        const begun = history.findLast(({ from }) => from <= now)
        const ended = history.findLast(({ to }) => to <= now)
        const state = begun && now < begun.to ? 'active' : 'idle'
        const seen = compute({
          state,
          startedAt: begun && at(Math.floor(begun.from)),
          suspendedAt: ended && at(Math.floor(ended.to)),
        })
        const looks: Look[] = [
          { compute: seen, askedAt: at(now), answeredAt: at(now), askedOn: seconds(now) },
        ]
        const operations = history.flatMap(({ from, to }) =>
          Math.abs(now - from) < 2 * interval || Math.abs(now - to) < 2 * interval
            ? [
                ...(from <= now ? [operation('start_compute', Math.floor(from))] : []),
                ...(to <= now ? [operation('suspend_compute', Math.floor(to))] : []),
              ]
            : [],
        )
        const folded = accounted(known, sweep(now, { looks, operations }), context(now))
        known = folded.ledger
        settledAwake += folded.batch.settled.reduce(
          (sum, { interval: { from, to } }) => sum + (to?.likely ?? 0) - from.likely,
          0,
        )
        const { counters, evidence } = one(known)
        expect(counters.awake).toBeGreaterThanOrEqual(last)
        last = counters.awake
        expect(evidence.sightings.length).toBeLessThan(300)
        expect(evidence.operations.length).toBeLessThan(400)
      }
      const truth = history.reduce((sum, { from, to }) => sum + (to - from) * SECOND, 0)
      const { totals, settled } = one(known)
      expect(totals.awake.low).toBeLessThanOrEqual(truth)
      expect(totals.awake.high).toBeGreaterThanOrEqual(truth)
      expect(totals.wakes).toBe(history.length)
      expect(Math.abs(settled.awake.likely - settledAwake)).toBeLessThanOrEqual(history.length)
    }),
    15,
  )
})

test('what is read back from text folds on as if nothing had happened', () => {
  const first = after([
    sweep(60, { looks: [look(60, { ...awake, lastActive: at(50) })], readings: [attempt(60)] }),
  ])
  const account0 = one(first)
  const revived: Ledger = {
    ...first,
    computes: new Map([[KEY, JSON.parse(JSON.stringify(account0)) as ComputeAccount]]),
  }
  const next = sweep(420, { looks: [look(420, asleep)] })
  expect(one(after([next], revived)).totals).toEqual(one(after([next], first)).totals)
})
