import { expect, test } from 'vitest'
import type { ListProgress } from '../../../src/model/observation.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Project } from '../../../src/model/service/compute.ts'
import { toIso } from '../../../src/model/time.ts'
import { listedOften } from '../../../src/observe/polling/listed-activity.ts'
import { lastListed, readProjectList } from '../../../src/observe/polling/project-list.ts'
import { NO_LIST } from '../../../src/observe/sweep.ts'
import { ok } from '../../../src/std/result.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, prices, project, sweep } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { POLL } from '../../support/poll.ts'
import { UNASKED } from '../../support/unasked.ts'
import { openGate } from '../open-gate.ts'

const projectsOf = (ids: readonly string[]) => ids.map((projectId) => project({ projectId }))

const applyProjects = (before: Ledger, projects: readonly Project[]): Ledger =>
  accounted(before, sweep(0, { projects }), { prices, overhead: 0.01, now: at(0) }).ledger

const known = applyProjects(ledger(), projectsOf(['a', 'b']))

/** A list of one page at `when`, seconds. */
function readAt(when: number, items: readonly Project[], given: { progress: ListProgress; ledger: Ledger }) {
  const clock = fakeClock(toIso(at(when)))
  const listProjectsPage = () => Promise.resolve(ok({ items, problems: [], next: undefined }))
  const { listLag, interval } = POLL
  return readProjectList(
    { clock, service: { ...UNASKED, listProjectsPage } },
    { ...given, most: 100, listLag, interval },
    openGate(clock),
  )
}

test('newer activity of a known project is passed on once, with the requests that showed it and did not', async () => {
  const active = [project({ projectId: 'b', computeLastActiveAt: at(30) }), project({ projectId: 'new' })]
  const lists = [projectsOf(['a', 'b']), active, active]
  let [progress, ledgerThen] = [NO_LIST, known]
  const activities = []
  for (const [index, items] of lists.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one sweep after the other
    const list = await readAt(index * 60, items, { progress, ledger: ledgerThen })
    activities.push(list.activities)
    ;({ progress } = list)
    ledgerThen = applyProjects(ledgerThen, [...list.changed.values()])
  }
  expect(activities).toEqual([
    [],
    [{ projectId: 'b', lastActive: at(30), askedAt: at(60), askedBefore: at(0), lag: 60 }],
    [],
  ])
})

test.each<
  readonly [string, pages: readonly (readonly [when: number, ids: readonly string[]])[], since: number]
>([
  [
    'two minutes apart',
    [
      [0, ['a', 'b']],
      [120, ['a', 'b']],
      [240, ['a', 'b']],
    ],
    0,
  ],
  [
    'once further apart',
    [
      [0, ['a', 'b']],
      [121, ['a', 'b']],
      [240, ['a', 'b']],
    ],
    121,
  ],
  [
    'with a new project',
    [
      [0, ['a', 'b']],
      [60, ['a', 'b', 'new']],
    ],
    0,
  ],
  [
    'once without a known one',
    [
      [0, ['a', 'b']],
      [60, ['a']],
      [120, ['a', 'b']],
    ],
    120,
  ],
])('lists %s follow activity since the first, or anew', async (_, pages, since) => {
  let progress = NO_LIST
  for (const [when, ids] of pages) {
    // oxlint-disable-next-line no-await-in-loop -- one sweep after the other
    ;({ progress } = await readAt(when, projectsOf(ids), { progress, ledger: known }))
  }
  const last = lastListed(progress).get('a') ?? at(-1)
  expect(listedOften(progress, last)).toEqual({ from: at(since), to: at(pages.at(-1)?.[0] ?? 0) })
})
