import { expect, test } from 'vitest'
import { createUtc } from '../../src/calendar/zone.ts'
import { applyWholeSweep, ledgerAfterAll } from '../support/apply-whole-sweep.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Look, Sweep } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import { selectorTargetIn } from '../../src/ledger/branch-moves.ts'
import { micros } from '../../src/model/units.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, preset, prices, project, sweep } from '../support/build.ts'

const DAY = 86_400

const fold = (known: Ledger, one: Sweep): Accounted =>
  accounted(known, one, { prices, overhead: 0.01, now: one.endedAt })

const listed = (when: number, ...endpointIds: string[]): Pick<Sweep, 'listedComputes' | 'projects'> => ({
  projects: [project()],
  listedComputes: [{ projectId: 'project-one', answeredAt: at(when), endpointIds }],
})

const KEY = 'main/project-one/ep-one'

/** Awake from 10 to 370, then deleted. */
const withDeleted = (): Ledger => {
  const asleep = look(420, { state: 'idle', startedAt: at(10), suspendedAt: at(370), branchId: 'br-preview' })
  const seen = fold(ledger(), sweep(420, { ...listed(420, 'ep-one'), looks: [asleep] })).ledger
  return fold(seen, sweep(480, listed(480))).ledger
}

test('a row with the sums replaces the entry of a compute that was deleted more than a day ago', () => {
  const known = withDeleted()
  expect([known.computes.size, known.deleted.size]).toEqual([1, 0])
  const { ledger: after, rows } = fold(known, sweep(2 * DAY))
  expect(after.computes.size).toBe(0)
  expect(rows.deleted).toEqual([...after.deleted.values()])
  expect(after.deleted.get(KEY)).toMatchObject({
    branchId: 'br-preview',
    deletedAt: at(480),
    // Between the last look and the list without it, it may have been awake once more.
    awake: { low: 359_000, likely: 360_000, high: 421_000 },
    spend: { likely: micros(10_600) },
    wakes: 1,
    suspends: 1,
  })
  const later = fold(after, sweep(3 * DAY, listed(3 * DAY))).ledger
  expect(later.deleted).toEqual(after.deleted)
})

test('a budget still knows name, branch and type of a compute that was deleted long ago', () => {
  const after = fold(withDeleted(), sweep(200 * DAY)).ledger
  const target = selectorTargetIn(after, { account: 'main', projectId: 'project-one', endpointId: 'ep-one' })
  const { name, type } = look(0).compute
  expect(target).toMatchObject({ branchId: 'br-preview', name, type, projectName: project().name })
})

test('a recovered compute is counted from then on, and deleted again its sums are added', () => {
  const replaced = fold(withDeleted(), sweep(2 * DAY)).ledger
  const record = { state: 'idle', startedAt: at(10), suspendedAt: at(370) } as const
  const recovered = fold(
    replaced,
    sweep(3 * DAY, { ...listed(3 * DAY, 'ep-one'), looks: [look(3 * DAY, record)] }),
  ).ledger
  expect(recovered.computes.get(KEY)?.totals).toMatchObject({ awake: { high: 0 }, wakes: 0 })
  const awoken = { state: 'idle', startedAt: at(3 * DAY + 60), suspendedAt: at(3 * DAY + 360) } as const
  const seen = sweep(3 * DAY + 400, {
    ...listed(3 * DAY + 400, 'ep-one'),
    looks: [look(3 * DAY + 400, awoken)],
  })
  const deletedAgain = fold(fold(recovered, seen).ledger, sweep(3 * DAY + 460, listed(3 * DAY + 460))).ledger
  const last = fold(deletedAgain, sweep(5 * DAY)).ledger
  expect(last.computes.size).toBe(0)
  expect(last.deleted.get(KEY)).toMatchObject({
    awake: { likely: 660_000 },
    wakes: 2,
    deletedAt: at(3 * DAY + 460),
  })
})

test('a compute that is first seen after another was replaced keeps its history', () => {
  const replaced = fold(withDeleted(), sweep(2 * DAY)).ledger
  const own = {
    endpointId: 'ep-two',
    createdAt: at(DAY),
    startedAt: at(DAY + 60),
    suspendedAt: at(DAY + 420),
  }
  const seen = sweep(3 * DAY, { ...listed(3 * DAY, 'ep-two'), looks: [look(3 * DAY, own)] })
  expect([...fold(replaced, seen).ledger.computes.values()]).toMatchObject([
    { totals: { awake: { likely: 360_000 }, wakes: 1 } },
  ])
})

/** Each awake for five minutes, one after the other, and deleted asleep. */
const startsAndEnds = (count: number): Operation[] =>
  Array.from({ length: count }, (_, index) => ({ endpointId: `ep-${index}`, began: index * 1000 })).flatMap(
    ({ endpointId, began }) => [
      operation('start_compute', began, { endpointId, operationId: `${endpointId}-start` }),
      operation('suspend_compute', began + 300, { endpointId, operationId: `${endpointId}-end` }),
    ],
  )

const NOW = 30 * DAY

/** The first sight of a project with two computes, one of which was deleted while it was awake, and `count` deleted ones more. */
const firstSight = (when: number, count: number): Sweep =>
  sweep(when, {
    ...listed(when, 'ep-one'),
    looks: [look(when, { startedAt: at(10), suspendedAt: at(370) })],
    operations: [
      ...startsAndEnds(count),
      operation('start_compute', DAY, { endpointId: 'ep-awake', operationId: 'awake' }),
      operation('start_compute', 10),
      operation('suspend_compute', 370),
    ],
  })

const wakesOf = ({ computes, deleted }: Ledger): number =>
  [...[...computes.values()].map(({ totals }) => totals), ...deleted.values()].reduce(
    (sum, { wakes }) => sum + wakes,
    0,
  )

test('wherever a first sight is cut short, the next counts what was lost, and nothing twice', () => {
  const count = 230
  const context = { prices, preset, overhead: 0.01, now: at(NOW), dayOf: createUtc().dayOf }
  const parts = applyWholeSweep(ledger(), firstSight(NOW, count), context).filter(
    ({ writes }) => writes.length > 0,
  )
  expect(parts.length).toBeGreaterThan(3)
  for (let kept = 0; kept <= parts.length; kept += 1) {
    const again = fold(ledgerAfterAll(ledger(), parts.slice(0, kept)), firstSight(NOW + 600, count)).ledger
    expect(wakesOf(again)).toBe(count + 2)
    const later = fold(again, firstSight(NOW + 2 * DAY, count)).ledger
    expect(wakesOf(later)).toBe(count + 2)
  }
})

test('a deleted compute that a list shows again is not counted twice, however many were deleted since', () => {
  const known = fold(ledger(), firstSight(NOW, 230)).ledger
  const own = { startedAt: at(29_400), suspendedAt: at(29_700) }
  const looks = [
    look(NOW + 60, { ...own, endpointId: 'ep-0', createdAt: at(0) }),
    look(NOW + 60, { ...own, endpointId: 'ep-100', createdAt: at(100_000) }),
    look(NOW + 60, { ...own, endpointId: 'ep-new', createdAt: at(0) }),
  ]
  const seen = fold(known, sweep(NOW + 60, { looks })).ledger
  const wakes = ({ compute: { endpointId } }: Look): number | undefined =>
    seen.computes.get(computeKey({ account: 'main', projectId: 'project-one', endpointId }))?.totals.wakes
  expect(looks.map(wakes)).toEqual([0, 0, 1])
})
