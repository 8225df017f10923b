// Gaps and settings among the writes of sweeps.
import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import type { Compute, Project } from '../../../src/model/service/compute.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'
import type { Rows } from '../../support/writes.ts'

type Seen = readonly [when: number, over: Partial<Compute>, project?: Partial<Project>]

const sweepAt = ([when, over, about]: Seen): Sweep =>
  sweep(when, { looks: [look(when, over)], projects: [project(about)] })

/** Rows of each sweep, one after the other. */
function applied(sweeps: readonly Sweep[]): readonly Rows[] {
  let before: Ledger = ledger()
  return sweeps.map((one) => {
    const after = accounted(before, one, { prices, overhead: 0.01, now: one.endedAt })
    before = after.ledger
    return after.rows
  })
}

const fixed = { sizing: { fixed: cu(1) } }

test.each<readonly [string, readonly Seen[], readonly (readonly [number, string, number | string])[]]>([
  [
    'first seen, once',
    [
      [0, {}],
      [60, {}],
    ],
    [[0, '1', 300]],
  ],
  [
    'another delay',
    [
      [0, {}],
      [60, { autosuspendDelay: 'never' }],
      [120, { autosuspendDelay: 'never' }],
    ],
    [
      [0, '1', 300],
      [60, '1', 'never'],
    ],
  ],
  [
    'another size',
    [
      [0, fixed],
      [60, { sizing: { min: cu(0.25), max: cu(2) } }],
    ],
    [
      [0, '1', 300],
      [60, '0.25-2', 300],
    ],
  ],
  [
    'a fixed size as two equal limits',
    [
      [0, fixed],
      [60, { sizing: { min: cu(1), max: cu(1) } }],
    ],
    [[0, '1', 300]],
  ],
  [
    "the project's default",
    [
      [0, { autosuspendDelay: undefined }, { defaultAutosuspendDelay: seconds(600) }],
      [60, { autosuspendDelay: undefined }, { defaultAutosuspendDelay: seconds(60) }],
    ],
    [
      [0, '1', 600],
      [60, '1', 60],
    ],
  ],
  [
    'a delay that no record has',
    [
      [0, { autosuspendDelay: undefined, isDelayListed: false }],
      [60, {}],
    ],
    [[60, '1', 300]],
  ],
])('settings: %s', (_, seen, expected) => {
  const settings = applied(seen.map(sweepAt)).flatMap((rows) => rows.settings)
  const sized = settings.map(({ since, sizing, delay }) => [
    (since - at(0)) / 1000,
    'fixed' in sizing ? `${sizing.fixed}` : `${sizing.min}-${sizing.max}`,
    delay,
  ])
  expect(sized).toEqual(expected)
})

const active = (when: number, lastActive: number): Seen => [
  when,
  { state: 'active', startedAt: at(-9000), lastActive: at(lastActive) },
]
const SILENCE = [active(0, -5), active(60, 55), active(120, 55), active(180, 55), active(240, 230)]

test('a gap is written with the entry of the sweep that ends it; the same sweep again adds none', () => {
  const sweeps = SILENCE.map(sweepAt)
  const rows = applied([...sweeps, ...sweeps.slice(-1)])
  expect(rows.map(({ gaps }) => gaps.length)).toEqual([0, 0, 0, 0, 1, 0])
  const [ended] = rows.flatMap(({ gaps, computes }) => (gaps.length > 0 ? [{ gaps, computes }] : []))
  expect(ended).toMatchObject({
    computes: [{}],
    gaps: [{ from: at(55), low: 119, high: 176, hiddenBelow: 0 }],
  })
})

test('a deleted compute has no gap until its recovery', () => {
  const deleted = sweep(300, {
    listedComputes: [{ projectId: 'project-one', askedAt: at(300), answeredAt: at(300), endpointIds: [] }],
  })
  const recovered = [active(3600, 55), active(3660, 3650)].map(sweepAt)
  const rows = applied([...SILENCE.slice(0, 3).map(sweepAt), deleted, ...recovered])
  expect(rows.flatMap(({ gaps }) => gaps)).toEqual([])
})

/** Newer activity in the list of that time. */
const listedAt = (when: number, lastActive: number, endpointIds: readonly string[]): Sweep =>
  sweep(when, {
    operationsReadOf: [],
    projects: [project({ computeLastActiveAt: at(lastActive) })],
    activities: [
      {
        projectId: 'project-one',
        lastActive: at(lastActive),
        askedAt: at(when),
        askedBefore: at(when - 60),
        lag: seconds(60),
      },
    ],
    listedComputes: when === 0 ? [{ projectId: 'project-one', answeredAt: at(0), endpointIds }] : [],
  })

test.each<readonly [string, Partial<Compute>, readonly string[], number]>([
  ['the only compute, awake', { state: 'active' }, ['ep-one'], 1],
  ['one of two', { state: 'active' }, ['ep-one', 'ep-two'], 0],
  ['the only compute, asleep', { state: 'idle' }, ['ep-one'], 0],
])('newer activity in the list is of %s, or of no known one', (_, over, endpointIds, written) => {
  const begun = { ...listedAt(0, -30, endpointIds), looks: [look(0, { startedAt: at(-9000), ...over })] }
  const silent = sweep(60, { projects: [], operationsReadOf: [] })
  const rows = applied([begun, silent, listedAt(120, 50, endpointIds)])
  expect(rows.map(({ computes }) => computes.length)).toEqual([1, 0, written])
})
