// Projects that were deleted long ago: what they cost stays, and they are known one by one in the store alone.
import { expect, test } from 'vitest'
import { takeSnapshot } from '../../src/daemon/snapshot/snapshot.ts'
import { restoreArchivedProjects } from '../../src/daemon/pass/apply-in-chunks.ts'
import { newPassState } from '../../src/daemon/pass/pass-state.ts'
import { createOwners } from '../../src/model/policy/owner.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../src/model/ledger/project-entry.ts'
import type { Sweep } from '../../src/model/observation.ts'
import { seconds } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, preset, prices, project, sweep } from '../support/build.ts'
import { NO_HISTORY } from '../support/no-history.ts'

const DAY = 86_400

const stored = new Map<string, ProjectEntry>()
const fold = (known: Ledger, one: Sweep): Ledger => {
  const after = accounted(known, one, { prices, overhead: 0, now: one.endedAt })
  for (const kept of after.rows.projects) stored.set(kept.project.projectId, kept)
  return after.ledger
}
const history = {
  ...NO_HISTORY,
  projects: (_: string, ids: readonly string[]) => Promise.resolve(ids.flatMap((id) => stored.get(id) ?? [])),
}

/** Its compute was awake for five minutes; it is deleted an hour later. */
function preview(known: Ledger, name: string, from: number): Ledger {
  const projects = [project({ projectId: name })]
  const record = {
    projectId: name,
    endpointId: `ep-${name}`,
    createdAt: at(from),
    startedAt: at(from),
    suspendedAt: at(from + 300),
  }
  const seen = fold(
    known,
    sweep(from + 600, {
      projects,
      operationsReadOf: [name],
      operations: ['start_compute', 'suspend_compute'].map((action, index) =>
        operation(action, from + 300 * index, {
          projectId: name,
          endpointId: `ep-${name}`,
          operationId: `${action}-${name}`,
        }),
      ),
      listedComputes: [{ projectId: name, answeredAt: at(from + 600), endpointIds: [`ep-${name}`] }],
      looks: [look(from + 600, record)],
    }),
  )
  return fold(
    seen,
    sweep(from + 3600, {
      projects: [],
      operationsReadOf: [],
      listedComputes: [
        { projectId: name, answeredAt: at(from + 3600), endpointIds: [], projectDeleted: true },
      ],
    }),
  )
}

const quiet = (when: number): Sweep => sweep(when, { projects: [], operationsReadOf: [] })

const totalsOf = (known: Ledger, when: number) =>
  takeSnapshot([{ state: newPassState(known), prices, preset }], {
    now: at(when),
    version: 1,
    passSeconds: seconds(0),
    staleAfter: seconds(1e9),
    activityLag: seconds(0),
    owners: createOwners([]),
  }).accounts[0]?.totals

test('a project a day for a year: memory holds those of a season, and the account all that they cost', () => {
  let known = ledger()
  let most = 0
  let spent = 0
  for (let day = 0; day < 365; day += 1) {
    known = fold(preview(known, `preview-${day}`, day * DAY), quiet(day * DAY + 7200))
    most = Math.max(most, known.projects.size)
    const totals = totalsOf(known, day * DAY + 7200)
    expect(totals).toMatchObject({
      wakes: day + 1,
      suspends: day + 1,
      awake: { likely: 300_000 * (day + 1) },
    })
    expect(totals?.spend.likely).toBeGreaterThan(spent)
    spent = totals?.spend.likely ?? 0
  }
  expect(most).toBeLessThan(100)
  expect(known.archived?.projects).toBe(365 - known.projects.size)
})

test('one that comes back is known as it was, and nothing of it is counted twice', async () => {
  const gone = preview(ledger(), 'preview-x', 0)
  const away = [2, 100, 101].reduce((known, day) => fold(known, quiet(day * DAY)), gone)
  expect([away.projects.size, away.computes.size, away.archived?.projects]).toEqual([0, 0, 1])
  const totals = totalsOf(away, 101 * DAY)
  expect(totals).toMatchObject({ wakes: 1 })
  const found = sweep(102 * DAY, { projects: [project({ projectId: 'preview-x' })], operationsReadOf: [] })
  const back = fold(await restoreArchivedProjects({ history }, away, found), found)
  expect([back.projects.size, back.archived?.projects]).toEqual([1, 0])
  expect(totalsOf(back, 102 * DAY)).toEqual(totals)
  const listed = [{ projectId: 'preview-x', answeredAt: at(103 * DAY), endpointIds: ['ep-preview-x'] }]
  const record = {
    projectId: 'preview-x',
    endpointId: 'ep-preview-x',
    startedAt: at(0),
    suspendedAt: at(300),
  }
  const looked = sweep(103 * DAY, {
    projects: [],
    operationsReadOf: [],
    listedComputes: listed,
    looks: [look(103 * DAY, record)],
  })
  const after = fold(back, looked)
  expect(after.computes.size).toBe(1)
  expect(after.projects.get('preview-x')?.deletedAt).toBeUndefined()
  expect(totalsOf(after, 103 * DAY)).toEqual(totals)
})

test('one that was never away is not asked for', async () => {
  const found = sweep(0, { projects: [project()] })
  const known = ledger()
  expect(await restoreArchivedProjects({ history: { ...history, projects: never } }, known, found)).toBe(
    known,
  )
})

const never = (): never => {
  throw new Error('nobody asks')
}
