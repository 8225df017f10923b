import { expect, test } from 'vitest'
import { createUtc } from '../../src/calendar/zone.ts'
import { applyWholeSweep, ledgerAfterAll } from '../support/apply-whole-sweep.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Look, Sweep } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/service/operation.ts'
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

/** Awake from 10 to 370, then deleted. */
const gone = (): Ledger => {
  const asleep = look(420, { state: 'idle', startedAt: at(10), suspendedAt: at(370) })
  const seen = fold(ledger(), sweep(420, { ...listed(420, 'ep-one'), looks: [asleep] })).ledger
  return fold(seen, sweep(480, listed(480))).ledger
}

test('a compute that is long gone is no longer known, and its sums stay with its project', () => {
  const known = gone()
  expect(known.computes.size).toBe(1)
  const left = fold(known, sweep(2 * DAY))
  expect(left.ledger.computes.size).toBe(0)
  expect(left.rows.computes).toMatchObject([{ isRetired: true, totals: { wakes: 1 } }])
  expect(left.ledger.projects.get('project-one')?.retired).toMatchObject({
    // Between the last look and the list without it, it may have been awake once more.
    awake: { low: 359_000, likely: 360_000, high: 421_000 },
    spend: { likely: micros(10_600) },
    wakes: 1,
    suspends: 1,
  })
  const later = fold(left.ledger, sweep(3 * DAY, listed(3 * DAY)))
  expect(later.ledger.projects.get('project-one')?.retired).toEqual(
    left.ledger.projects.get('project-one')?.retired,
  )
})

test('one that comes back is counted from then on, nothing of it twice', () => {
  const left = fold(gone(), sweep(2 * DAY)).ledger
  const back = look(3 * DAY, { state: 'idle', startedAt: at(10), suspendedAt: at(370) })
  const again = fold(left, sweep(3 * DAY, { ...listed(3 * DAY, 'ep-one'), looks: [back] }))
  expect([...again.ledger.computes.values()]).toMatchObject([{ totals: { awake: { high: 0 }, wakes: 0 } }])
})

test('a sibling that is first seen after others left keeps its history', () => {
  const left = fold(gone(), sweep(2 * DAY)).ledger
  const own = {
    endpointId: 'ep-two',
    createdAt: at(DAY),
    startedAt: at(DAY + 60),
    suspendedAt: at(DAY + 420),
  }
  const seen = sweep(3 * DAY, { ...listed(3 * DAY, 'ep-two'), looks: [look(3 * DAY, own)] })
  expect([...fold(left, seen).ledger.computes.values()]).toMatchObject([
    { totals: { awake: { likely: 360_000 }, wakes: 1 } },
  ])
})

/** Each awake for five minutes, one after the other, and deleted asleep. */
const deleted = (count: number): Operation[] =>
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
      ...deleted(count),
      operation('start_compute', DAY, { endpointId: 'ep-awake', operationId: 'awake' }),
      operation('start_compute', 10),
      operation('suspend_compute', 370),
    ],
  })

function wakesOf({ computes, projects }: Ledger): number {
  const living = [...computes.values()].reduce((sum, { totals }) => sum + totals.wakes, 0)
  return living + (projects.get('project-one')?.retired?.wakes ?? 0)
}

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

test('ids are kept of the newest that left, the others are known by when they were created', () => {
  const known = fold(ledger(), firstSight(NOW, 230)).ledger
  const departed = known.projects.get('project-one')?.retired
  expect(departed?.ids).toHaveLength(200)
  expect(departed?.until).toBe(at(29_301))
  const own = { startedAt: at(29_400), suspendedAt: at(29_700) }
  const looks = [
    look(NOW + 60, { ...own, endpointId: 'ep-forgotten', createdAt: at(0) }),
    look(NOW + 60, { ...own, endpointId: 'ep-100', createdAt: at(100_000) }),
    look(NOW + 60, { ...own, endpointId: 'ep-new', createdAt: at(29_350) }),
  ]
  const seen = fold(known, sweep(NOW + 60, { looks })).ledger
  const wakes = ({ compute: { endpointId } }: Look): number | undefined =>
    seen.computes.get(computeKey({ account: 'main', projectId: 'project-one', endpointId }))?.totals.wakes
  expect(looks.map(wakes)).toEqual([0, 0, 1])
})
