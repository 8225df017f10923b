import fc from 'fast-check'
import { expect, test } from 'vitest'
import { totalsWithAccrual } from '../../../src/ledger/settle/accrual.ts'
import type { Compute, Project } from '../../../src/model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import { seconds } from '../../../src/model/units.ts'
import { accounted, type Accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, project, sweep } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const DAY = 86_400

const fold = (result: Ledger, one: Sweep): Accounted =>
  accounted(result, one, { prices, overhead: 0.01, now: one.endedAt })

const listed = (when: number, ...endpointIds: string[]): Sweep['listedComputes'] => [
  { projectId: 'project-one', answeredAt: at(when), endpointIds },
]

/** Seen at 0 as `record` says, and not in the list at `when`; the operations are result by then. */
function deleted(record: Partial<Compute>, when: number, operations: Sweep['operations']): Ledger {
  const seen = sweep(0, { looks: [look(0, record)], listedComputes: listed(0, 'ep-one') })
  return fold(fold(ledger(), seen).ledger, sweep(when, { listedComputes: listed(when), operations })).ledger
}

/** A project first observed at `when`, without a compute that its operations report. */
const fromOperationsOnly = (
  when: number,
  operations: Sweep['operations'],
  over: Partial<Project> = {},
): ComputeEntry =>
  only(fold(ledger(), sweep(when, { projects: [project(over)], listedComputes: listed(when), operations })))

function only({ rows }: Accounted): ComputeEntry {
  const [entry, ...others] = rows.computes
  if (!entry || others.length > 0) throw new Error('expected the entry of one compute')
  return entry
}

function entryIn({ computes }: Ledger): ComputeEntry {
  const [entry] = computes.values()
  if (!entry) throw new Error('expected the entry of a compute')
  return entry
}

const awakeAt = (entry: ComputeEntry, when: number) => {
  const { awake } = totalsWithAccrual(entry, { prices, project: undefined, now: at(when) })
  return { low: awake.low / 1000, likely: awake.likely / 1000, high: awake.high / 1000 }
}

test.each([0.1, 1, 2, 3.9, 60])('a compute deleted %d s after its start costs no more than that', (lived) => {
  const entry = entryIn(deleted({}, 100 + lived, [operation('start_compute', 100)]))
  expect(entry.current).toBeUndefined()
  expect(entry.totals).toMatchObject({ wakes: 1, suspends: 1 })
  // Before the start, it may have been awake once more.
  expect(awakeAt(entry, 100 + lived).likely).toBeLessThanOrEqual(lived)
  expect(awakeAt(entry, 100 + lived).high).toBeLessThanOrEqual(100 + Math.max(1, lived))
  expect(awakeAt(entry, 30 * DAY)).toEqual(awakeAt(entry, 100 + lived))
})

test('activity just before a compute was deleted does not wake it again', () => {
  const awake = { state: 'active', startedAt: at(-60), lastActive: at(-1) } as const
  const entry = entryIn(deleted(awake, 1, []))
  expect(entry.current).toBeUndefined()
  expect(entry.totals.wakes).toBe(1)
})

test('a start that is listed after its compute was gone is counted up to then', () => {
  const result = deleted({}, 400, [])
  const late = sweep(2000, { operations: [operation('start_compute', 100)] })
  const entry = entryIn(fold(result, late).ledger)
  expect(entry.current).toBeUndefined()
  expect(awakeAt(entry, 30 * DAY)).toMatchObject({ low: 0, high: 300 })
})

test('a deletion that only the history tells of lies between the last operation and now, likely where the delay was over', () => {
  const [started, configured, now] = [DAY, DAY + 200, 10 * DAY]
  const operations = [operation('start_compute', started), operation('apply_config', configured)]
  const entry = fromOperationsOnly(now, operations, { defaultAutosuspendDelay: seconds(600) })
  expect(entry.current).toBeUndefined()
  expect(awakeAt(entry, now)).toEqual({ low: 199, likely: 600, high: now - started })
  expect(awakeAt(entry, 30 * DAY)).toEqual(awakeAt(entry, now))
})

test.each([
  // Deleted within the delay: any instant is as likely.
  { operations: [operation('start_compute', 1000)], now: 1100.5, likely: 50 },
  // In use for longer than the delay, and then for no longer than another.
  {
    operations: [operation('start_compute', 1000), operation('apply_config', 5000)],
    now: DAY,
    likely: 3999.5 + 150,
  },
])('its likely end is never beyond what is possible: %#', ({ operations, now, likely }) => {
  expect(awakeAt(fromOperationsOnly(now, operations), now).likely).toBe(likely)
})

test('a compute went with its branch at the latest, and most likely with it', () => {
  const branchId = 'br-preview'
  const started = operation('start_compute', DAY, { branchId })
  const removed = operation('delete_timeline', 2 * DAY, { endpointId: undefined, branchId })
  const entry = fromOperationsOnly(10 * DAY, [started, removed])
  expect(awakeAt(entry, 10 * DAY)).toEqual({ low: 0, likely: DAY, high: DAY + 1 })
  // The removal of another branch, or one that failed, changes nothing.
  for (const other of [{ branchId: 'br-other' }, { status: 'failed' }]) {
    const reported = fromOperationsOnly(10 * DAY, [started, { ...removed, ...other }])
    expect(awakeAt(reported, 10 * DAY)).toEqual({ low: 0, likely: 300, high: 9 * DAY })
  }
  const result = entryIn(
    deleted({ branchId }, 900, [
      { ...started, createdAt: at(100), updatedAt: at(100) },
      { ...removed, createdAt: at(500), updatedAt: at(500) },
    ]),
  )
  expect(result.totals.awake).toMatchObject({ low: 0, likely: 400_000 })
})

test('one whose record could not be read is not taken for deleted', () => {
  const unread = sweep(DAY, { listedComputes: [], operations: [operation('start_compute', 1000)] })
  expect(fold(ledger(), unread).rows.computes).toEqual([])
  const there = { ...unread, listedComputes: listed(DAY, 'ep-one') }
  expect(fold(ledger(), there).rows.computes).toEqual([])
})

test('whatever was seen of it, a compute that is gone is not awake, and time adds nothing to it', () => {
  const when = fc.integer({ min: -7200, max: 7200 })
  const record = fc.record({
    state: fc.constantFrom('active' as const, 'idle' as const),
    startedAt: fc.option(when.map(at), { nil: undefined }),
    lastActive: fc.option(when.map(at), { nil: undefined }),
  })
  const reported = fc.array(
    fc.tuple(fc.constantFrom('start_compute', 'suspend_compute', 'apply_config'), when),
    {
      maxLength: 6,
    },
  )
  check(
    fc.property(
      record,
      reported,
      fc.integer({ min: 1, max: 7200 }),
      fc.boolean(),
      (one, actions, deletedAt, isSeen) => {
        const operations = actions.map(([action, then]) => operation(action, then))
        // A compute result from operations alone is deleted where the list was read after the last of them.
        const earlier = operations.filter(({ updatedAt }) => updatedAt <= at(deletedAt - 1))
        if (!isSeen && earlier.length === 0) return
        const result = isSeen
          ? entryIn(deleted(one, deletedAt, operations))
          : fromOperationsOnly(deletedAt, earlier)
        expect(result.current).toBeUndefined()
        expect(awakeAt(result, 30 * DAY)).toEqual(awakeAt(result, deletedAt))
        const { low, likely, high } = result.totals.awake
        expect(low).toBeLessThanOrEqual(likely)
        expect(likely).toBeLessThanOrEqual(high)
      },
    ),
  )
})
