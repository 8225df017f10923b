import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Compute, Project } from '../../../src/model/service/compute.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { createTopK } from '../../../src/std/top-k.ts'
import { selectProjects, type ProjectSelection } from '../../../src/observe/polling/select-projects.ts'
import {
  hasUnexplainedActivity,
  isRewokenUnseen,
  isSameProject,
  type UrgencyInput,
} from '../../../src/observe/polling/urgency.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'
import { check } from '../../support/property.ts'

/** One project per record of a compute, all listed and looked at 100 s after the start. */
const fleetOf = (computes: readonly Partial<Compute>[], now = 100): Ledger => {
  const named = computes.map((over, index) => ({
    projectId: `project-${index}`,
    endpointId: `ep-${index}`,
    ...over,
  }))
  return accounted(
    ledger(),
    sweep(now, {
      projects: [...new Set(named.map(({ projectId }) => projectId))].map((projectId) =>
        project({ projectId }),
      ),
      looks: named.map((one) => look(now, one)),
      listedComputes: Object.entries(Object.groupBy(named, ({ projectId }) => projectId)).map(
        ([projectId, its = []]) => ({
          projectId,
          answeredAt: at(now),
          endpointIds: its.map(({ endpointId }) => endpointId),
        }),
      ),
    }),
    { prices, overhead: 0.01, now: at(now) },
  ).ledger
}

const changedTo = (...projects: readonly Project[]): UrgencyInput['changed'] =>
  new Map(projects.map((one) => [one.projectId, one]))

const fleet = (known: Ledger, over: Partial<UrgencyInput> = {}): UrgencyInput => ({
  ledger: known,
  changed: new Map(),
  unexplainedActivity: new Map(),
  lost: [],
  readAt: new Map(),
  failed: new Map(),
  listLag: seconds(60),
  ...over,
})

const chosen = (...asked: Parameters<typeof selectProjects>): ProjectSelection => selectProjects(...asked)

const shares = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0, failing: 0 }
const all = { maxAge: seconds(900), most: 100, restful: 100, unseen: 100, shares, readsHistory: true }
const awake = { state: 'active', startedAt: at(50), lastActive: at(90) } as const

describe('the computes of', () => {
  test.each<[string, UrgencyInput, boolean]>([
    ['a project that sleeps', fleet(fleetOf([{}])), false],
    ['one that is awake', fleet(fleetOf([awake])), true],
    ['one with a change under way', fleet(fleetOf([{ pendingState: 'active' }])), true],
    [
      'one whose record was changed',
      fleet(fleetOf([{}]), { changed: changedTo(project({ projectId: 'project-0', updatedAt: at(0) })) }),
      true,
    ],
    [
      'one that used CPU',
      fleet(fleetOf([{}]), { changed: changedTo(project({ projectId: 'project-0', cpuUsedSeconds: 1 })) }),
      true,
    ],
    [
      'one that used CPU, where activity is shown',
      fleet(fleetOf([{}]), {
        changed: changedTo(
          project({ projectId: 'project-0', cpuUsedSeconds: 1, computeLastActiveAt: at(9) }),
        ),
      }),
      false,
    ],
    ['a project never seen', fleet(ledger(), { changed: changedTo(project()) }), true],
    [
      'one with unexplained activity',
      fleet(fleetOf([{}]), { unexplainedActivity: new Map([['project-0', at(40)]]) }),
      true,
    ],
    ['one that left the list', fleet(fleetOf([{}]), { lost: ['project-0'] }), true],
    ['one that Dormouse changes', fleet(fleetOf([{}]), { changing: new Set(['project-0']) }), true],
    ['one beside it', fleet(fleetOf([{}]), { changing: new Set(['project-9']) }), false],
  ])('%s are looked at: %#', (_, seen, expected) => {
    expect(chosen(seen, all, at(160)).projectIds).toHaveLength(expected ? 1 : 0)
  })
})

test('computes that were not looked at for max_age are looked at', () => {
  const known = fleet(fleetOf([{}]))
  expect(chosen(known, all, at(999)).projectIds).toEqual([])
  expect(chosen(known, all, at(1000)).projectIds).toEqual(['project-0'])
})

test('where the budget does not reach, what is in flight comes first, then what is due, then the largest awake, then age; the rest is counted', () => {
  const known = fleetOf([
    {},
    { ...awake, lastActive: at(2000) },
    { ...awake, lastActive: at(2000), sizing: { fixed: cu(4) } },
    awake,
    { pendingState: 'active' },
  ])
  const { projectIds, backlog } = chosen(fleet(known), { ...all, most: 3, restful: 3 }, at(2100))
  expect(projectIds).toEqual(['project-4', 'project-3', 'project-2'])
  expect(backlog).toEqual({ 'in-flight': 0, transition: 0, unseen: 0, awake: 1, age: 1, failing: 0 })
})

test('computes that go on being awake leave room for transitions', () => {
  const known = fleetOf(Array.from({ length: 10 }, () => ({ ...awake, lastActive: at(2000) })))
  expect(chosen(fleet(known), { ...all, restful: 4 }, at(2100))).toMatchObject({
    projectIds: { length: 4 },
    backlog: { awake: 6 },
  })
})

test('activity in the list puts off the look after the expected suspension, where the compute is the only one', () => {
  const known = fleetOf([awake])
  const active = { changed: changedTo(project({ projectId: 'project-0', computeLastActiveAt: at(300) })) }
  const urgent = { ...all, restful: 0 }
  expect(chosen(fleet(known), urgent, at(400)).projectIds).toEqual(['project-0'])
  expect(chosen(fleet(known, active), urgent, at(400)).projectIds).toEqual([])
  expect(chosen(fleet(known, active), urgent, at(606)).projectIds).toEqual(['project-0'])
})

/** A large one that is in use, and one that is due at 605 s. */
const dueBeside = fleetOf([{ ...awake, lastActive: at(600), sizing: { fixed: cu(4) } }, awake])

describe('a suspension that is expected', () => {
  const shown = changedTo(project({ projectId: 'project-1', computeLastActiveAt: at(300) }))
  const listedAt = (when: number): Partial<UrgencyInput> => ({
    changed: shown,
    readAt: new Map([['project-1', at(when)]]),
  })

  test.each([
    ['not urgent before the list could have told of newer activity', 664, []],
    ['urgent when it would have', 665, ['project-1']],
  ])('is %s', (_, when, expected) => {
    const known = fleet(dueBeside, listedAt(when))
    expect(chosen(known, { ...all, restful: 0 }, at(670)).projectIds).toEqual(expected)
  })

  test('comes first of what is awake until then', () => {
    const known = fleet(dueBeside, listedAt(640))
    expect(chosen(known, { ...all, most: 1, restful: 1 }, at(650)).projectIds).toEqual(['project-1'])
  })
})

test('of transitions the oldest have a share, and the newest the rest', () => {
  const known = fleetOf([{}, {}, {}, {}, {}])
  const unexplainedActivity = new Map(
    [1000, 899, 1200, 300, 950].map((quiet, index) => [`project-${index}`, at(quiet)]),
  )
  const some = { ...all, most: 4, shares: { ...shares, transition: 2 } }
  expect(chosen(fleet(known, { unexplainedActivity }), some, at(1500)).projectIds).toEqual([
    'project-3',
    'project-1',
    'project-2',
    'project-0',
  ])
})

describe('activity of one that is awake, read after a list that was asked for', () => {
  const known = fleetOf([{ ...awake, lastActive: at(90) }])
  // the delay and its grace are over at 395 s
  test.each<[string, number | undefined, number, boolean]>([
    ['when its suspension was sure, tells of another wake', 395, 460, true],
    ['when it was not, may be of the same interval', 394, 460, false],
    ['when its suspension was sure, may be older than that', 395, 394, false],
    ['never, tells nothing', undefined, 460, false],
  ])('%s', (_, told, active, expected) => {
    const listedUntil = told === undefined ? undefined : at(told)
    const shown = project({ projectId: 'project-0', computeLastActiveAt: at(active) })
    const account = known.projects.get('project-0')
    expect(isRewokenUnseen(shown, account, { ledger: known, listedUntil })).toBe(expected)
  })
})

const slept = { startedAt: at(10), suspendedAt: at(370), lastActive: at(69) } as const

describe('activity that the list shows is', () => {
  test.each<[string, readonly Partial<Compute>[], number, boolean]>([
    ['news of a compute that never was', [{}], 90, true],
    ['explained by one that is awake', [awake], 95, false],
    ['explained by an interval that is over', [slept], 200, false],
    ['news after that interval', [slept], 380, true],
    [
      'news where a sibling sleeps',
      [
        { ...awake, projectId: 'project-0' },
        { ...slept, projectId: 'project-0' },
      ],
      380,
      true,
    ],
    [
      'explained by the sibling that showed it',
      [
        { ...awake, projectId: 'project-0' },
        { ...slept, projectId: 'project-0' },
      ],
      90,
      false,
    ],
  ])('%s', (_, computes, active, expected) => {
    const known = fleetOf(computes, 400)
    const shown = project({ projectId: 'project-0', computeLastActiveAt: at(active) })
    expect(hasUnexplainedActivity(shown, known.projects.get('project-0'), known)).toBe(expected)
  })
})

test('the largest are what sorting all of them would give', () => {
  check(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 }),
      fc.nat(20),
      (scores, count) => {
        const items = scores.map((score, index) => ({ score, index }))
        const kept = createTopK<(typeof items)[number]>(count, ({ score }) => score)
        for (const item of items) kept.add(item)
        expect(kept.all()).toEqual(items.toSorted((a, b) => b.score - a.score).slice(0, count))
      },
    ),
  )
})

test('of projects never looked at, which cost two requests, those come first that were active last, and some room is left', () => {
  const listed = Array.from({ length: 10 }, (_, index) =>
    project({ projectId: `project-${index}`, computeLastActiveAt: at(-100_000 + index) }),
  )
  const { projectIds, backlog } = chosen(
    fleet(ledger(), { changed: changedTo(...listed) }),
    { ...all, unseen: 7 },
    at(100),
  )
  expect(projectIds).toEqual(['project-9', 'project-8', 'project-7'])
  expect(backlog.unseen).toBe(7)
  const withoutHistory = { ...all, unseen: 7, readsHistory: false }
  expect(
    chosen(fleet(ledger(), { changed: changedTo(...listed) }), withoutHistory, at(100)).projectIds,
  ).toHaveLength(7)
})

const RANGE: Partial<Project> = { defaultSizing: { min: cu(0.25), max: cu(2) } }

test.each<[string, Project, Project, boolean]>([
  ['the same default size', project(RANGE), project({ defaultSizing: { min: cu(0.25), max: cu(2) } }), true],
  ['another one', project(RANGE), project({ defaultSizing: { fixed: cu(2) } }), false],
  ['none any more', project(RANGE), project(), false],
  ['none as before', project(), project(), true],
])('a record with %s', (_, one, other, isSame) => {
  expect(isSameProject(one, other)).toBe(isSame)
})
