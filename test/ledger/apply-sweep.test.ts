import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalsWithAccrual } from '../../src/ledger/settle/accrual.ts'
import { cuTimeSum } from '../../src/ledger/settle/cu-time.ts'
import type { ComputeEntry, Ledger } from '../../src/model/ledger/ledger.ts'
import type { Look, Sweep } from '../../src/model/observation.ts'
import { cu, micros, seconds } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, attempt, compute, ledger, look, operation, prices, project, sweep } from '../support/build.ts'
import { check } from '../support/property.ts'

import { after, asleep, awake, context, KEY, one } from './folded.ts'
import { longTest } from '../support/tiers.ts'

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
  expect(totalsWithAccrual(one(known), { prices, project: undefined, now: at(400) })).toMatchObject({
    awake: { low: 49_000, likely: 304_500, high: 390_000 },
    cuTime: { 106000: { low: 49_000, likely: 304_500, high: 390_000 } },
  })
})

test('one that slept and that the list sees active since may be awake from its last fold on, likely since that activity', () => {
  const known = after([
    sweep(420, { looks: [look(420, asleep)], projects: [project()], ...listed(420, ['ep-one']) }),
    sweep(700, { projects: [project({ computeLastActiveAt: at(650) })], operationsReadOf: [] }),
  ])
  const shown = (offset: number) =>
    totalsWithAccrual(one(known), { prices, project: known.projects.get('project-one'), now: at(offset) })
      .awake
  expect(shown(700)).toMatchObject({ low: 359_000, likely: 410_000, high: 361_000 + 280_000 })
  expect(shown(9000)).toMatchObject({ low: 359_000, likely: 360_000 + 305_000, high: 361_000 + 8_580_000 })
})

test('one that slept may be awake from its last fold on while a change of its project is not looked at', () => {
  const seen = sweep(420, { looks: [look(420, asleep)], projects: [project()], ...listed(420, ['ep-one']) })
  const changed = { projects: [project({ updatedAt: at(650) })], operationsReadOf: [] }
  const high = (last: Sweep) => {
    const known = after([seen, last])
    const shown = { prices, project: known.projects.get('project-one'), now: at(9000) }
    return totalsWithAccrual(one(known), shown).awake.high
  }
  expect(high(sweep(700, changed))).toBe(361_000 + 8_580_000)
  expect(high(sweep(700, { ...changed, looks: [look(700, asleep)], ...listed(700, ['ep-one']) }))).toBe(
    361_000,
  )
})

test('folding a sweep twice counts nothing twice', () => {
  const once = sweep(420, { looks: [look(420, asleep)], operations: [operation('start_compute', 10)] })
  expect(one(after([once, once])).totals).toEqual(one(after([once])).totals)
})

const listed = (when: number, endpointIds: readonly string[]): Pick<Sweep, 'listedComputes'> => ({
  listedComputes: [{ projectId: 'project-one', answeredAt: at(when), endpointIds }],
})

test('a compute that is missing from a whole list of its project is gone, and not awake any more', () => {
  const known = after([
    sweep(60, { looks: [look(60, awake)], ...listed(60, ['ep-one']) }),
    sweep(120, listed(120, [])),
  ])
  expect(one(known)).toMatchObject({ deletedAt: at(120), current: undefined, totals: { suspends: 1 } })
})

test('a compute in a list that was not read whole is not gone', () => {
  const known = after([sweep(60, { looks: [look(60, awake)] }), sweep(120)])
  expect(one(known)).toMatchObject({ deletedAt: undefined, totals: { suspends: 0 } })
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

longTest(
  'over days of polls the totals contain the truth, counters never fall, and the evidence stays small',
  () => {
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
          settledAwake += folded.rows.settled.reduce(
            (sum, { interval: { from, to } }) => sum + (to?.likely ?? 0) - from.likely,
            0,
          )
          const { counters, evidence } = one(known)
          expect(counters.awake).toBeGreaterThanOrEqual(last)
          last = counters.awake
          expect(evidence.states.length).toBeLessThan(300)
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
  },
)

test('what is read back from text folds on as if nothing had happened', () => {
  const first = after([
    sweep(60, { looks: [look(60, { ...awake, lastActive: at(50) })], readings: [attempt(60)] }),
  ])
  const account0 = one(first)
  const revived: Ledger = {
    ...first,
    computes: new Map([[KEY, JSON.parse(JSON.stringify(account0)) as ComputeEntry]]),
  }
  const next = sweep(420, { looks: [look(420, asleep)] })
  expect(one(after([next], revived)).totals).toEqual(one(after([next], first)).totals)
})
