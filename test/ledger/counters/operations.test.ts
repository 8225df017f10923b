import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOperationCounter } from '../../../src/ledger/counters.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { MAX_REGIONS, NO_ACCOUNT_COUNTERS } from '../../../src/model/ledger/counters.ts'
import { millis } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const asleep = { startedAt: at(0), suspendedAt: at(90), lastActive: at(10) } as const

/** A pass at `when` that lists `operations`. */
function passed(
  before: Ledger,
  when: number,
  operations: readonly Operation[],
  over: Partial<Compute> = {},
): Ledger {
  const looks = [look(when, { ...asleep, ...over })]
  const seen = sweep(when, { looks, operations, operationsReadOf: ['project-one'] })
  const after = accounted(before, seen, { prices, overhead: 0.01, now: at(when) }).ledger
  const entries = [...after.computes.values()]
  return { ...after, counters: createOperationCounter(seen)(before.counters, entries, before) }
}

const begun = passed(ledger(), 100, [operation('start_compute', 0)])

test('an operation is counted when it is done, with the attempts that failed, and not what was before', () => {
  const running = operation('apply_config', 110, { status: 'running' })
  const failed = { ...running, status: 'error', failuresCount: 2, updatedAt: at(170) }
  const open = passed(begun, 120, [running])
  expect(open.counters.operations).toEqual([])
  expect(passed(open, 180, [failed]).counters.operations).toEqual([
    { action: 'apply_config', status: 'error', count: 1, failures: 2 },
  ])
})

test('however often an operation is listed it is counted once, as long as it is not later than what is settled', () => {
  const turns = fc.array(fc.tuple(fc.integer({ min: 30, max: 3000 }), fc.subarray([0, 1, 2, 3, 4, 5])), {
    maxLength: 12,
  })
  check(
    fc.property(turns, (all) => {
      const done = [110, 111, 400, 1500, 1501, 4000].map((when) => operation('apply_config', when))
      const seen = new Set<string>()
      let known = begun
      let now = 100
      for (const [gap, listed] of all) {
        now += gap
        const told = done.filter(({ updatedAt }, index) => updatedAt <= at(now) && listed.includes(index))
        known = passed(known, now, told)
        for (const { operationId } of told) seen.add(operationId)
        const count = known.counters.operations[0]?.count ?? 0
        expect(count).toBeLessThanOrEqual(seen.size)
      }
    }),
  )
  const late = [150, 4000].map((when) => operation('apply_config', when))
  const twice = [4010, 4020, 9000, 9100].reduce((known, when) => passed(known, when, late), begun)
  expect(twice.counters.operations).toMatchObject([{ count: 2 }])
})

const woken = (when: number, took: number | undefined, over: Partial<Operation> = {}): Operation =>
  operation('start_compute', when, {
    createdAt: at(when - 1),
    duration: took === undefined ? undefined : millis(took),
    ...over,
  })
/** As the store hands them back. */
const restored = (tallies: Ledger['counters']): Ledger['counters'] =>
  JSON.parse(JSON.stringify(tallies)) as Ledger['counters']

test('of a start that ended is counted how long it took, by region; of a restart, a first start or one that says nothing it is not', () => {
  const quick = woken(110, 250)
  const first = passed(begun, 120, [quick, woken(115, 251), woken(118, undefined)])
  expect(first.counters.wakeLatency).toEqual([
    { regionId: 'local', count: 2, sum: 501, upTo: { 250: 1, 500: 1 } },
  ])
  for (const [made, count] of [
    [109, 0],
    [108, 0],
    [107, 1],
  ] as const) {
    const { wakeLatency } = passed(begun, 120, [quick], { createdAt: at(made) }).counters
    expect(wakeLatency).toHaveLength(count)
  }
  const stop = operation('suspend_compute', 130, { createdAt: at(125) })
  const again = woken(132, 7000, { createdAt: at(125) })
  const failed = woken(135, 9000, { status: 'error' })
  const late = passed(first, 140, [quick, stop, again, failed, woken(138, 60_000)])
  expect(late.counters.wakeLatency).toEqual([
    { regionId: 'local', count: 3, sum: 60_501, upTo: { 250: 1, 500: 1 } },
  ])
})

test('starts are counted once each, in whatever order and however often they are listed, over restarts of the daemon', () => {
  const wakes = [110, 200, 200.5, 340, 460, 700].map((when, index) =>
    woken(when, [90, 250, 1700, 2000, 31_000, 4999][index]),
  )
  const turns = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.subarray(wakes), fc.boolean()), {
    maxLength: 12,
  })
  check(
    fc.property(turns, (all) => {
      let known = begun
      let now = 100
      for (const [gap, listed, restarts] of all) {
        now += gap
        const told = listed.filter(({ updatedAt }) => updatedAt <= at(now))
        known = passed(known, now, [...told, ...told.slice(0, 1)])
        if (restarts) known = { ...known, counters: restored(known.counters) }
      }
      expect(passed(known, 900, wakes.toReversed()).counters.wakeLatency).toEqual([
        {
          regionId: 'local',
          count: 6,
          sum: 90 + 250 + 1700 + 2000 + 31_000 + 4999,
          upTo: { 250: 2, 2000: 2, 5000: 1 },
        },
      ])
    }),
  )
})

test('a service that makes up regions has a bounded number of them', () => {
  const wakeLatency = Array.from({ length: MAX_REGIONS }, (_, index) => ({
    regionId: `region-${index}`,
    count: 1,
    sum: millis(5),
    upTo: { 250: 1 },
  }))
  const full: Ledger = { ...begun, counters: { ...NO_ACCOUNT_COUNTERS, wakeLatency } }
  const more = ['one', 'two', 'region-7'].reduce(
    (known, regionId, index) => passed(known, 200 + index, [woken(200 + index, 5)], { regionId }),
    full,
  )
  const counted = new Map(more.counters.wakeLatency.map(({ regionId, count }) => [regionId, count]))
  expect([counted.size, counted.get('other'), counted.get('region-7')]).toEqual([MAX_REGIONS + 1, 2, 2])
})
