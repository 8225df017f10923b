// A route that fails, limits or hangs: passes end in time, the rest of the account is observed, and the reason is shown.
import { describe, expect, test } from 'vitest'
import { MAX_BACKOFF_INTERVALS } from '../../../src/daemon/loop.ts'
import { seconds } from '../../../src/model/units.ts'
import { idsOf } from '../../support/simulated-service.ts'
import { bySize, longTest, splitCases } from '../../support/tiers.ts'
import { at, runDays, type Days } from './days.ts'
import { FOREVER, type Fault, type Route } from './faults.ts'

const INTERVAL = 60
/** Begin of the fault, seconds after the start: everything has been seen before. */
const BROKEN_FROM = 300

/** Each is used three times within the first quarter of an hour. */
const projects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `project-${index}`,
    activity: [60, 400, 700].map((elapsed) => at(elapsed + index)),
  }))

/** The longest pass, and the longest time between the starts of two passes, seconds. */
function pace({ passes }: Days): { readonly longest: number; readonly apart: number } {
  const starts = passes.map((pass) => pass.at - pass.took)
  return {
    longest: Math.max(...passes.map(({ took }) => took)),
    apart: Math.max(...starts.slice(1).map((start, index) => start - (starts[index] ?? 0))),
  }
}

const OUTAGES: readonly Pick<Fault, 'outage' | 'retryAfter'>[] = [
  { outage: 429, retryAfter: 30 },
  { outage: 429 },
  { outage: 503 },
  { outage: 'hang' },
]

const broken = (route: Route, outage: Pick<Fault, 'outage' | 'retryAfter'>): Promise<Days> =>
  runDays({
    projects: projects(40),
    faults: [{ ...FOREVER, from: BROKEN_FROM, route, ...outage }],
    length: seconds(1800),
  })

/** Successful answers of a route since the first pass under the fault. */
function answered({ reports, passes }: Days, route: Route): number {
  const first = passes.find((pass) => pass.at > BROKEN_FROM)
  return reports.slice(first?.requests).filter(({ operation, code }) => operation === route && code === '200')
    .length
}

type Broken = (typeof OUTAGES)[number] & {
  readonly route: Route
  readonly rest: Route
  readonly reason: RegExp
}

const PARTS = [
  { route: 'list_computes', rest: 'list_operations', reason: /^computes: / },
  { route: 'list_operations', rest: 'list_computes', reason: /^operations: / },
] as const

async function expectPartial({ route, rest, reason, ...outage }: Broken): Promise<void> {
  const days = await broken(route, outage)
  expect(pace(days).longest).toBeLessThan(2 * INTERVAL)
  expect(pace(days).apart).toBeLessThan(2 * INTERVAL + INTERVAL)
  const later = days.passes.filter((pass) => pass.at > BROKEN_FROM + 4 * INTERVAL)
  expect(later.length).toBeGreaterThan(10)
  expect(new Set(later.map(({ state }) => state.service.status))).toEqual(new Set(['degraded']))
  for (const { state } of later) expect(state.outbox.problems.join('\n')).toMatch(reason)
  expect(later.at(-1)?.state.service.failures).toBe(0)
  expect(answered(days, rest)).toBeGreaterThan(0)
  expect(answered(days, 'list_projects')).toBeGreaterThanOrEqual(later.length)
}

describe('on a route alone: passes end in time, the rest is observed, the account is degraded', () => {
  /** Each outage on one route, each route twice. */
  const rows = OUTAGES.flatMap((outage, index) =>
    (index % 2 ? PARTS.toReversed() : PARTS).map((part) => ({ ...outage, ...part })),
  )
  const [short, others] = splitCases<Broken>(rows, 8)
  test.each(short)('$outage, Retry-After $retryAfter on $route', expectPartial)
  longTest.each(others)('$outage, Retry-After $retryAfter on $route', expectPartial)
})

async function expectUnavailable(outage: (typeof OUTAGES)[number]): Promise<void> {
  const days = await broken('list_projects', outage)
  expect(pace(days).longest).toBeLessThan(2 * INTERVAL)
  expect(pace(days).apart).toBeLessThan((MAX_BACKOFF_INTERVALS + 2) * INTERVAL)
  expect(days.state.service.status).toBe('unavailable')
  expect(days.state.outbox.problems.join('\n')).toMatch(/^projects: /)
}

describe('on the project list: the account is unavailable, and the daemon stays healthy', () => {
  const [short, others] = splitCases(OUTAGES, 4)
  test.each(short)('$outage, Retry-After $retryAfter', expectUnavailable)
  longTest.each(others)('$outage, Retry-After $retryAfter', expectUnavailable)
})

test('a fifth of all answers is 429, many projects: passes end in time, and every project is seen', async () => {
  const days = await runDays({
    projects: projects(bySize(300, 60)),
    requestsPerMinute: bySize(350, 70),
    faults: [{ ...FOREVER, outage: 429, chance: 0.2 }],
    length: seconds(bySize(5400, 1800)),
  })
  expect(pace(days).longest).toBeLessThan(2 * INTERVAL)
  expect(days.state.service.status).toBe('degraded')
  expect(days.state.ledger.computes.size).toBe(bySize(300, 60))
})

longTest('one broken project among sleeping ones does not degrade the account', async () => {
  const { passes } = await runDays({
    projects: projects(20),
    faults: [{ ...FOREVER, outage: 403, route: 'list_computes', projectId: idsOf(7).projectId }],
    length: seconds(5400),
  })
  // After the last suspension nothing is looked at in most passes.
  const quiet = passes.filter((pass) => pass.at > 2400)
  const degraded = quiet.filter(({ state }) => state.service.status === 'degraded')
  expect(degraded).toEqual([])
})

longTest('300 configured projects keep the pace of the passes, and each is looked at', async () => {
  const length = 1800
  const days = await runDays({
    projects: projects(300),
    projectIds: Array.from({ length: 300 }, (_, index) => idsOf(index).projectId),
    faults: [],
    length: seconds(length),
  })
  expect(pace(days).longest).toBeLessThan(1.2 * INTERVAL)
  expect(pace(days).apart).toBeLessThan(2 * INTERVAL)
  expect(days.state.ledger.computes.size).toBe(300)
  expect(days.state.service.status).toBe('ok')
  expect(days.reports.length).toBeLessThanOrEqual(350 * (length / INTERVAL + 1))
})
