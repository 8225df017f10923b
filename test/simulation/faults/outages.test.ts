// Outages of every kind on every route: nothing is invented, the bounds contain the truth at every pass, and an alert fires.
import { describe, expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { idsOf } from '../../support/simulated-service.ts'
import { longTest, runInBackground, splitCases } from '../../support/tiers.ts'
import { compare, outside, type Comparison } from './bounds.ts'
import { at, runDays, type Days, type DaysOptions, type Pass } from './days.ts'
import { FOREVER, type Fault, type Outage, type Route } from './faults.ts'

runInBackground()

const HOUR = 3600
const BROKEN_FROM = 2 * HOUR
/** Lengths of outages, seconds. */
const SHORT = 2 * HOUR
const LONG = 30 * HOUR

/** Instants from `from` to `to`, seconds after the start, `step` apart. */
const every = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) }, (_, index) => at(from + index * step))

/** Always in use; an hour of every three; ten minutes of every five hours; without autosuspend. */
const projects = (length: number) => [
  { name: 'busy', activity: every(60, length, 170) },
  {
    name: 'office',
    activity: Array.from({ length: Math.ceil(length / (3 * HOUR)) }, (_, index) =>
      every(index * 3 * HOUR + 900, index * 3 * HOUR + 900 + HOUR, 200),
    ).flat(),
  },
  {
    name: 'nightly',
    suspendTimeoutSeconds: 60,
    activity: Array.from({ length: Math.ceil(length / (5 * HOUR)) }, (_, index) =>
      every(index * 5 * HOUR + 1800, index * 5 * HOUR + 2400, 50),
    ).flat(),
  },
  { name: 'always', suspendTimeoutSeconds: -1, activity: [at(30)] },
]

type Outcome = Days & {
  /** Comparisons of all passes in which the bounds miss the truth. */
  readonly missed: readonly (Comparison & Pick<Pass, 'at'>)[]
  /** Passes under the fault, without the first minutes. */
  readonly during: readonly Pass[]
  readonly end: readonly Comparison[]
}

/** An outage of `length` seconds, and an hour after it. */
async function outage(
  fault: Omit<Fault, 'from' | 'to'>,
  length: number,
  options: Partial<DaysOptions> = {},
): Promise<Outcome> {
  const over = BROKEN_FROM + length
  const missed: (Comparison & Pick<Pass, 'at'>)[] = []
  const days = await runDays({
    projects: projects(over + HOUR),
    faults: [{ from: BROKEN_FROM, to: over, ...fault }],
    length: seconds(over + HOUR),
    passed: (pass) => missed.push(...outside(compare(pass)).map((one) => ({ ...one, at: pass.at }))),
    ...options,
  })
  const last = days.passes.at(-1)
  if (!last) throw new Error('no pass')
  const during = days.passes.filter((pass) => pass.at > BROKEN_FROM + 300 && pass.at < over)
  return { ...days, missed, during, end: compare(last) }
}

/** Events that only a real transition or deletion may cause: number of each kind. */
const transitions = ({ events }: Days) => {
  const count = (kind: string): number => events.filter((event) => event.kind === kind).length
  return { found: count('compute-found'), gone: count('compute-gone') }
}

const withinOnePercent = ({ likely, truth }: Comparison): boolean =>
  Math.abs(likely - truth) <= 0.01 * truth + 1

const OUTAGES: readonly Outage[] = [404, 403, 302, 423, 503, 'html', 'malformed', 'hang']
const ROUTES: readonly (Route | undefined)[] = [
  undefined,
  'list_projects',
  'list_computes',
  'list_operations',
]
const ROWS = ROUTES.flatMap((route, nth) =>
  OUTAGES.map((kind, index) => ({ route, kind, length: SHORT, turn: (nth + index) % OUTAGES.length })),
)
/** Half of them, each kind on two routes; and 404 on every route, because a deletion is answered so. */
const SHORT_ROWS = ROWS.filter(({ kind, turn }) => turn % 2 === 0 || kind === 404)
/** Each route with another kind. */
const LONG_ROWS = ROWS.filter(({ turn }) => turn === 0).map((row) => ({ ...row, length: LONG }))
/** Status of the passes under a fault. Operations are asked for only after transitions that records do not date. */
const expectedStatus = (route: Route | undefined): readonly string[] => {
  if (route === undefined || route === 'list_projects') return ['unavailable']
  return route === 'list_computes' ? ['degraded'] : ['ok', 'degraded']
}

async function checkRow({ route, kind, length }: (typeof ROWS)[number]): Promise<void> {
  const outcome = await outage({ outage: kind, ...(route && { route }) }, length)
  expect(outcome.missed).toEqual([])
  expect(outcome.end.filter((one) => !withinOnePercent(one))).toEqual([])
  expect(transitions(outcome)).toEqual({ found: 4, gone: 0 })
  // `Stale` follows passes whose status is not `ok`.
  const statuses = outcome.during.map(({ state }) => state.service.status)
  expect(new Set(statuses)).toEqual(new Set(expectedStatus(route)))
}

const [short, others] = splitCases(SHORT_ROWS, SHORT_ROWS.length)
describe('bounds contain the truth, nothing is invented, the account is shown as degraded or unavailable', () => {
  test.each(short)('$kind on $route for $length s', checkRow)
  longTest.each(others)('$kind on $route for $length s', checkRow)
  longTest.each(LONG_ROWS)('$kind on $route for $length s', checkRow)
})

longTest(
  'an empty project list beside 404 deletes, and the computes that come back were never deleted',
  async () => {
    const length = 2 * HOUR
    const over = BROKEN_FROM + length
    const outcome = await outage({ outage: 'empty', route: 'list_projects' }, length, {
      faults: [
        { from: BROKEN_FROM, to: over, outage: 'empty', route: 'list_projects' },
        { from: BROKEN_FROM, to: over, outage: 404 },
      ],
    })
    expect(transitions(outcome)).toEqual({ found: 8, gone: 4 })
    expect(outcome.end.filter((one) => !withinOnePercent(one))).toEqual([])
    expect(outside(outcome.end)).toEqual([])
  },
)

longTest('an empty project list alone deletes nothing', async () => {
  const outcome = await outage({ outage: 'empty', route: 'list_projects' }, SHORT)
  expect(transitions(outcome)).toEqual({ found: 4, gone: 0 })
  expect(outside(outcome.end)).toEqual([])
})

describe('with configured projects', () => {
  const projectIds = [0, 1, 2, 3].map((index) => idsOf(index).projectId)

  const deletesNothing = async (kind: Outage) => {
    const outcome = await outage({ outage: kind }, SHORT, { projectIds })
    expect(transitions(outcome)).toEqual({ found: 4, gone: 0 })
    expect(outcome.missed).toEqual([])
    expect(outcome.end.filter((one) => !withinOnePercent(one))).toEqual([])
  }
  test.each([404] as const)('an outage by %s deletes nothing', deletesNothing)
  longTest.each([403, 'html'] as const)('an outage by %s deletes nothing', deletesNothing)

  test('a project that is gone beside others that answer is deleted after three sweeps', async () => {
    const [projectId = ''] = projectIds
    const { passes } = await runDays({
      projects: projects(HOUR),
      projectIds,
      faults: [{ ...FOREVER, from: 600, outage: 404, projectId }],
      length: seconds(HOUR),
    })
    const deleted = passes.filter(
      ({ state }) => state.ledger.projects.get(projectId)?.deletedAt !== undefined,
    )
    expect(deleted[0]?.at).toBeGreaterThan(600 + 120)
    expect(deleted[0]?.at).toBeLessThan(600 + 900)
  })
})

longTest('one stray 401 ends observation for minutes, not until the restart', async () => {
  const { passes } = await runDays({
    projects: projects(2 * HOUR),
    faults: [{ from: 600, to: 660, outage: 401, route: 'list_computes' }],
    length: seconds(2 * HOUR),
  })
  const unauthorized = passes.filter(({ state }) => state.service.status === 'unauthorized')
  expect(unauthorized.length).toBeGreaterThan(0)
  expect(Math.max(...unauthorized.map((pass) => pass.at))).toBeLessThan(600 + 900)
  expect(passes.at(-1)?.state.service.status).toBe('ok')
})

test('a key that stays refused is asked for every few minutes', async () => {
  const { reports } = await runDays({
    projects: projects(HOUR),
    faults: [{ ...FOREVER, outage: 401 }],
    length: seconds(6 * HOUR),
  })
  expect(reports.length).toBeGreaterThan(10)
  expect(reports.length).toBeLessThanOrEqual((6 * HOUR) / 300 + 1)
})
