import { expect, test } from 'vitest'
import type { Ledger } from '../../src/model/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import { micros } from '../../src/model/units.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../support/build.ts'

const DAY = 86_400

const fold = (known: Ledger, one: Sweep): Accounted =>
  accounted(known, one, { prices, overhead: 0.01, now: one.endedAt })

const listed = (when: number, ...endpointIds: string[]): Pick<Sweep, 'listed' | 'projects'> => ({
  projects: [project()],
  listed: [{ projectId: 'project-one', answeredAt: at(when), endpointIds }],
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
  expect(left.batch.computes).toMatchObject([{ departed: true, totals: { wakes: 1 } }])
  expect(left.ledger.projects.get('project-one')?.departed).toMatchObject({
    // Between the last look and the list without it, it may have been awake once more.
    awake: { low: 359_000, likely: 360_000, high: 421_000 },
    spend: { likely: micros(10_600) },
    wakes: 1,
    suspends: 1,
  })
  const later = fold(left.ledger, sweep(3 * DAY, listed(3 * DAY)))
  expect(later.ledger.projects.get('project-one')?.departed).toEqual(
    left.ledger.projects.get('project-one')?.departed,
  )
})

test('one that comes back is counted from then on, nothing of it twice', () => {
  const left = fold(gone(), sweep(2 * DAY)).ledger
  const back = look(3 * DAY, { state: 'idle', startedAt: at(10), suspendedAt: at(370) })
  const again = fold(left, sweep(3 * DAY, { ...listed(3 * DAY, 'ep-one'), looks: [back] }))
  expect([...again.ledger.computes.values()]).toMatchObject([{ totals: { awake: { high: 0 }, wakes: 0 } }])
})
