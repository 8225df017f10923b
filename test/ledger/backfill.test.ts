import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cuTimeSum } from '../../src/ledger/settle/cu-time.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import type { Totals } from '../../src/model/ledger/ledger.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../support/build.ts'
import { check } from '../support/property.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOW = 400 * DAY

/** Seconds after the start. */
type Awake = { readonly from: number; readonly to: number }

/** Starts take up to three seconds. */
const operationsOf = (history: readonly Awake[]): Operation[] =>
  history.flatMap(({ from, to }) => [
    operation('start_compute', from, { createdAt: at(from - (from % 4)) }),
    operation('suspend_compute', to),
  ])

/** The first sweep over a compute that slept when it was looked at. */
function firstSweep(
  history: readonly Awake[],
  over: Partial<Compute> = {},
  more: readonly Operation[] = [],
): Accounted {
  const last = history.at(-1)
  const record = {
    startedAt: last && at(last.from),
    suspendedAt: last && at(last.to),
    lastActive: last && at(Math.max(last.from, last.to - 300)),
    ...over,
  }
  const operations = [...operationsOf(history), ...more]
  const listed = [{ projectId: 'project-one', answeredAt: at(NOW), endpointIds: ['ep-one'] }]
  return accounted(ledger(), sweep(NOW, { looks: [look(NOW, record)], listedComputes: listed, operations }), {
    prices,
    overhead: 0.01,
    now: at(NOW),
  })
}

const only = ({ ledger: { computes } }: Accounted) => {
  const [account] = computes.values()
  if (!account) throw new Error('the look makes an account')
  return account
}

/** Half an hour awake every two hours. */
const months: readonly Awake[] = Array.from({ length: 12 * 59 }, (_, index) => ({
  from: HOUR + index * 2 * HOUR,
  to: HOUR + index * 2 * HOUR + 1800,
}))

test('months of operations are counted to the second, by day, and leave hardly any evidence', () => {
  const found = firstSweep(months)
  const { totals, evidence, counters } = only(found)
  expect(totals.awake.likely).toBe(months.length * 1_800_000)
  expect(totals).toMatchObject({ wakes: months.length, suspends: months.length, restarts: 0 })
  expect(totals.idleTail).toBe(months.length * 300_000)
  expect(totals.awake.high - totals.awake.low).toBeLessThanOrEqual(months.length * 5000)
  expect(counters.wakes).toBe(months.length)
  expect(evidence.operations.length).toBeLessThan(50)
  const { days, settled } = found.rows
  expect(settled).toHaveLength(months.length)
  expect(new Set(days.map(({ date }) => date)).size).toBe(days.length)
  expect(days.reduce((sum, { awake }) => sum + awake.likely, 0)).toBe(totals.awake.likely)
  expect(days.every(({ version }) => version === 1)).toBe(true)
})

/** The service looks after a compute that nobody used for a day: it wakes it without a start, and suspends it at once. */
const checksOf = (
  history: readonly Awake[],
): { readonly operations: readonly Operation[]; readonly count: number } => {
  const checked = history.filter(({ to }, index) => (history[index + 1]?.from ?? 0) > to + DAY + 10)
  return {
    count: checked.length,
    operations: checked.flatMap(({ to }) => [
      operation('check_availability', to + DAY, { updatedAt: at(to + DAY + 2) }),
      operation('suspend_compute', to + DAY, { updatedAt: at(to + DAY + 3) }),
    ]),
  }
}

test('whatever the history, its totals contain the truth, and it is counted once', () => {
  const gaps = fc.array(
    fc.tuple(fc.integer({ min: 5, max: 200_000 }), fc.integer({ min: 61, max: 40_000 })),
    {
      minLength: 1,
      maxLength: 120,
    },
  )
  check(
    fc.property(gaps, fc.nat(45), (lengths, others) => {
      let time = 0
      const history = lengths.map(([asleep, awake]): Awake => {
        const from = time + asleep
        time = from + awake
        return { from, to: time }
      })
      // Operations that are neither shift where one step ends and the next begins.
      const more = Array.from({ length: others }, (_, index) => operation('create_branch', index))
      const checks = checksOf(history)
      const { totals } = only(firstSweep(history, {}, [...more, ...checks.operations]))
      const truth = history.reduce((sum, { from, to }) => sum + to - from, 0) * 1000
      expect(totals.awake.low).toBeLessThanOrEqual(truth)
      expect(totals.awake.high).toBeGreaterThanOrEqual(truth)
      expect(totals.awake.likely).toBe(truth + checks.count * 1000)
      expect(totals.wakes).toBe(history.length + checks.count)
    }),
  )
})

test('a change of size in the middle leaves the size before it open, and the size since known', () => {
  const middle = 30 * DAY
  const { totals } = only(
    firstSweep(months, { sizing: { fixed: cu(2) } }, [operation('apply_config', middle)]),
  )
  const since = months.filter(({ from }) => from > middle).length * 1_800_000
  const before = months.filter(({ to }) => to < middle).length * 1_800_000
  const { low, high } = cuTimeSum(totals.cuTime)
  expect(low).toBeLessThanOrEqual(2 * since + 0.25 * before)
  expect(low).toBeGreaterThan(2 * since)
  expect(high).toBeGreaterThanOrEqual(2 * since + 2 * before)
})

test('an interval that is still open goes on', () => {
  const asleep = months.slice(0, -1)
  const started = months.at(-1)?.from ?? 0
  const found = firstSweep(asleep, { state: 'active', startedAt: at(started), lastActive: at(NOW - 60) }, [
    operation('start_compute', started),
  ])
  const { current, totals } = only(found)
  expect(current?.from.likely).toBe(at(started + 0.5))
  expect(totals.wakes).toBe(months.length)
})

const ofGone = (one: Operation): Operation => ({
  ...one,
  operationId: `${one.operationId}-gone`,
  endpointId: 'ep-gone',
})

test('computes that were deleted before anybody looked are counted by their operations, at an unknown size', () => {
  const some = operationsOf(months.slice(0, 100)).map(ofGone)
  const earlier = operationsOf(months.slice(0, 20)).map((one) => ({
    ...one,
    operationId: `${one.operationId}-earlier`,
    endpointId: 'ep-earlier',
  }))
  const found = firstSweep(months, {}, [...some, ...earlier])
  const gone = totalsOf(found, 'ep-gone')
  expect(gone.awake.likely).toBe(100 * 1_800_000)
  expect(cuTimeSum(gone.cuTime).low).toBe(0.25 * gone.awake.low)
  expect(cuTimeSum(gone.cuTime).high).toBeGreaterThan(56 * 99 * 1_800_000)
  expect(totalsOf(found, 'ep-earlier').wakes).toBe(20)
  expect(found.ledger.computes.size).toBe(1)
  expect(wakesOfDeleted(found)).toBe(120)
  const again = sweep(NOW + 60, { operations: some })
  expect(wakesOfDeleted(accounted(found.ledger, again, { prices, overhead: 0.01, now: at(NOW + 60) }))).toBe(
    120,
  )
})

const wakesOfDeleted = ({ ledger: { deleted } }: Accounted): number =>
  [...deleted.values()].reduce((sum, { wakes }) => sum + wakes, 0)

function totalsOf({ rows }: Accounted, endpointId: string): Totals {
  const found = rows.computes.find(({ ref }) => ref.endpointId === endpointId)
  if (!found) throw new Error(`${endpointId} has no account`)
  return found.totals
}

test('an availability check has no start of its own: what it woke was awake since the check', () => {
  const checkAt = 30 * DAY + 5400
  const found = firstSweep(months, {}, [
    operation('check_availability', checkAt, { updatedAt: at(checkAt + 2) }),
    operation('suspend_compute', checkAt + 2, { updatedAt: at(checkAt + 3) }),
  ])
  const { totals } = only(found)
  expect(totals.awake.likely).toBe(months.length * 1_800_000 + 1000)
  expect(totals.wakes).toBe(months.length + 1)
})

test('wherever the steps of a history are cut, a check in the second of its suspension swallows no sleep', () => {
  const before = months.slice(0, 40).map(({ from }): Awake => ({ from, to: from + 1.5 * HOUR }))
  const checkAt = (before.at(-1)?.to ?? 0) + DAY
  const history = [...before, { from: checkAt + HOUR, to: checkAt + 2.5 * HOUR }]
  const checked = [
    operation('suspend_compute', checkAt, { updatedAt: at(checkAt + 3) }),
    operation('check_availability', checkAt, { updatedAt: at(checkAt + 3) }),
  ]
  // Operations that are neither shift where one step ends and the next begins.
  for (let others = 0; others < 40; others += 1) {
    const more = Array.from({ length: others }, (_, index) => operation('create_branch', index))
    const { totals } = only(firstSweep(history, {}, [...more, ...checked]))
    expect(totals.awake.likely).toBe(history.length * 5_400_000)
    expect(totals.wakes).toBe(history.length + 1)
  }
})

test('each gap of a long history is found, also between two steps', () => {
  const found = firstSweep(months)
  expect(found.rows.gaps).toHaveLength(months.length - 1)
  const lengths = new Set(found.rows.gaps.map(({ low, high }) => 5400 + 300 >= low && 5400 + 300 <= high))
  expect(lengths).toEqual(new Set([true]))
})

/** Every two hours a use of a moment, or of half an hour, and awake for a delay of a minute after it. */
const uses = Array.from({ length: 300 }, (_, index) => {
  const from = HOUR + index * 2 * HOUR
  return { from, until: from + (index % 3 === 0 ? 1800 : 0) }
})

test('a longer delay at the first look counts for no awake time before it was set', () => {
  const history = uses.map(({ from, until }) => ({ from, to: until + 62 }))
  const change = operation('apply_config', HOUR + 300 * 2 * HOUR - 60)
  const found = firstSweep(history, { autosuspendDelay: seconds(3600) }, [change])
  expect(only(found).totals.idleTail).toBe(uses.length * 62_000)
  expect(found.rows.gaps).toHaveLength(uses.length - 1)
  const wrong = found.rows.gaps.filter(({ low, high }, index) => {
    const length = (uses[index + 1]?.from ?? 0) - (uses[index]?.until ?? 0)
    return length < low || length > high
  })
  expect(wrong).toEqual([])
})
