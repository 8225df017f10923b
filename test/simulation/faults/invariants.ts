// What must hold in every simulated world, whatever fails: each violation names its rule.
import { awaitsOperations } from '../../../src/model/inference/transition.ts'
import type { AccountRows } from '../../support/memory-store.ts'
import { compare, outside } from './bounds.ts'
import { budgetsOutside } from './budgets.ts'
import { at, type Days, type Pass } from './days.ts'
import type { Fault } from './faults.ts'
import { PROJECTS, type RandomWorld } from './random-world.ts'
import { DORMOUSE } from './simulated-readings.ts'

const INTERVAL = 60

type Violation = { readonly rule: Rule; readonly at: number; readonly detail: unknown }

type Rule =
  | 'bounds contain the truth'
  | 'budgets contain the truth'
  | 'passes end within two intervals'
  | 'evidence is bounded'
  | 'no wake or suspension is invented'
  | 'an outage is shown'
  | 'likely time is close'
  | 'readings wake nothing'
  | 'no compute appears or disappears'
  | 'stored rows are bounded'
  | 'the account recovers'

const violation = (rule: Rule, elapsed: number, details: readonly unknown[]): readonly Violation[] =>
  details.map((detail) => ({ rule, at: elapsed, detail }))

export const violationsOfPass = (world: RandomWorld, one: Pass): readonly Violation[] => {
  const pass = withUsages(one)
  return [
    ...violation('bounds contain the truth', pass.at, outside(compare(pass), pass.took)),
    ...violation('budgets contain the truth', pass.at, budgetsOutside(pass)),
    ...violation('passes end within two intervals', pass.at, pass.took < 2 * INTERVAL ? [] : [pass.took]),
    ...violation('evidence is bounded', pass.at, largeEvidence(pass)),
    ...violation('no wake or suspension is invented', pass.at, invented(pass)),
    ...violation('an outage is shown', pass.at, unseenOutages(world, pass)),
  ]
}

/** The service's truth about the instant of the pass, which several rules need, is put together once. */
function withUsages(pass: Pass): Pass {
  const then = Math.floor(at(pass.at))
  const usages = pass.service.usages(then)
  return { ...pass, service: { ...pass.service, usages: () => usages } }
}

export function violationsAtEnd(world: RandomWorld, days: Days): readonly Violation[] {
  const last = days.passes.at(-1)
  if (!last) throw new Error('no pass')
  const real = last.service.truth()
  const caused = real.computes.flatMap(({ endpointId, wakes }) =>
    wakes
      .filter(({ applicationName }) => applicationName === DORMOUSE.applicationName)
      .map((wake) => ({ endpointId, ...wake })),
  )
  const found = days.events.filter(({ kind }) => kind === 'compute-found').length
  const gone = days.events.filter(({ kind }) => kind === 'compute-gone')
  const distant = isDated(world) ? compare(last).filter((one) => !isClose(one)) : []
  return [
    ...violation('an outage is shown', last.at, hiddenOutages(world, days)),
    ...violation('likely time is close', last.at, distant),
    ...violation('readings wake nothing', last.at, caused),
    ...violation('no compute appears or disappears', last.at, [
      ...gone,
      ...(found === world.projects.length ? [] : [{ found }]),
    ]),
    ...violation('stored rows are bounded', last.at, excessRows(world, days.rows, real)),
    ...violation(
      'the account recovers',
      last.at,
      last.state.service.status === 'ok' ? [] : [last.state.service],
    ),
  ]
}

/** Longest time without operations, seconds, after which all of them are waited for: an hour less than the ledger waits. */
const MAX_UNDATED = 5 * 3600

/** Whether operations date every transition: the service lists them, and no fault hides them for too long. */
function isDated({ listsOperations, faults }: RandomWorld): boolean {
  let [hiddenFrom, hiddenTo, longest] = [0, 0, 0]
  for (const { from, to, chance = 1, route } of faults.toSorted((a, b) => a.from - b.from)) {
    if (chance < 0.5 || route === 'get_connection_uri') continue
    if (from > hiddenTo) hiddenFrom = from
    hiddenTo = Math.max(hiddenTo, to)
    longest = Math.max(longest, hiddenTo - hiddenFrom)
  }
  return listsOperations && longest <= MAX_UNDATED
}

const isClose = ({ likely, truth }: { likely: number; truth: number }): boolean =>
  Math.abs(likely - truth) <= 0.01 * truth + 5

/** Entries of the evidence of one compute; while operations that it needs cannot be read; characters of its JSON. */
const MAX_ENTRIES = 100
const MAX_ENTRIES_WAITING = 180
const MAX_SIZE = 20_000

const largeEvidence = ({ state }: Pass): readonly unknown[] =>
  [...state.ledger.computes.values()].flatMap((entry) => {
    const { ref, evidence } = entry
    const most = awaitsOperations(entry) ? MAX_ENTRIES_WAITING : MAX_ENTRIES
    const entries = Object.values(evidence).reduce(
      (sum, facts) => sum + (Array.isArray(facts) ? facts.length : 0),
      0,
    )
    // An entry has more than 20 characters: most passes need no JSON.
    const size = entries < 20 ? 0 : JSON.stringify(evidence).length
    return entries < most && size < MAX_SIZE ? [] : [{ ...ref, entries, size }]
  })

function invented({ state, service, at: elapsed }: Pass): readonly unknown[] {
  const truth = new Map(service.usages(at(elapsed)).map((real) => [real.endpointId, real]))
  return [...state.ledger.computes.values()].flatMap(({ ref, counters: { wakes, suspends } }) => {
    const real = truth.get(ref.endpointId)
    const isTrue = wakes <= (real?.wakes.length ?? 0) && suspends <= (real?.suspends ?? 0)
    return isTrue
      ? []
      : [{ ...ref, wakes, suspends, realWakes: real?.wakes.length, realSuspends: real?.suspends }]
  })
}

/** Without these no sweep observes anything. */
const isTotal = ({ route, chance = 1 }: Fault): boolean =>
  chance === 1 && (route === undefined || route === 'list_projects')

/**
 * Outages of the computes alone, of half an hour and more, that most passes do not show. Single passes may have nothing to ask: after a
 * failure a project waits for some minutes.
 */
const hiddenOutages = ({ faults, projects }: RandomWorld, { passes }: Days): readonly Fault[] =>
  faults.filter(({ route, chance, from, to }) => {
    const isJudged = route === 'list_computes' && chance === 1 && to - from >= 1800
    if (!isJudged || projects.length > PROJECTS) return false
    const during = passes.filter((pass) => pass.at - pass.took > from + 2 * INTERVAL && pass.at < to)
    return 2 * during.filter(({ state }) => state.service.status !== 'ok').length < during.length
  })

/** Total outages in which a pass began and ended, two intervals after their begin, that its status does not show. */
const unseenOutages = ({ faults }: RandomWorld, { at: end, took, state }: Pass): readonly unknown[] =>
  state.service.status === 'ok'
    ? faults.filter((fault) => isTotal(fault) && end - took > fault.from + 2 * INTERVAL && end < fault.to)
    : []

/** Rows beyond what happened: intervals by suspensions, days, sums of 5 minutes and an hour. */
function excessRows(
  { projects, past = 0, length, budgets = [] }: RandomWorld,
  rows: AccountRows,
  real: ReturnType<Pass['service']['truth']>,
): readonly unknown[] {
  const days = Math.ceil((past + length) / 86_400) + 1
  const most = {
    computes: projects.length,
    projects: projects.length,
    intervals: real.computes.reduce((sum, { suspends }) => sum + suspends, 0),
    days: projects.length * days,
    rollups: projects.length * Math.ceil(length / 3600 + 1) * 13,
    statistics: projects.length,
    budgets: budgets.length,
    events: 1000,
  }
  return Object.entries(most).flatMap(([table, limit]) => {
    const { size } = rows[table as keyof typeof most]
    return size <= limit ? [] : [{ table, size, limit }]
  })
}
