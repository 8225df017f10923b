// Stage 1: one tour of observation over one account.
//
// 1. Project list: which projects are new or changed.
// 2. Looks: the computes of the most urgent projects, one request per project.
// 3. Operations: where records cannot date what the looks show.
// 4. Readings inside Postgres, where the quiet rule allows them.
//
// Each part gets what the ones before left of the sweep's requests.
import type { Project } from '../model/service/compute.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Backlog, ListProgress, Sweep, PendingRetries } from '../model/observation.ts'
import type { ServiceError } from '../model/service/service-error.ts'
import { instantOf } from '../model/service/service-time.ts'
import { after, seconds, type Instant } from '../model/units.ts'
import { createRequestGate, type RequestGate, type RequestKind } from './request-gate.ts'
import { selectProjects } from './polling/select-projects.ts'
import { readOperations } from './polling/operations.ts'
import {
  affordableAge,
  lookAllowance,
  pagesToRead,
  readsHistory,
  requestsPerSweep,
  type PollPlan,
} from './polling/poll-plan.ts'
import { lastListed, readProjectList, type ListResult } from './polling/project-list.ts'
import { runReadingRound, type ReadingPlan, type RoundPorts } from './reading/reading-round.ts'
import { listedOften } from './polling/listed-activity.ts'
import { readComputes } from './polling/computes.ts'
import { countProjects, type UrgencyInput, type LastListed } from './polling/urgency.ts'

export type SweepPlan = PollPlan & { readonly readings: ReadingPlan }

/** State that a sweep continues from. */
export type SweepStart = Readonly<{
  ledger: Ledger
  list: ListProgress
  waiting: PendingRetries
  plan: SweepPlan
}>

export const NO_LIST: ListProgress = {
  inProgress: undefined,
  finished: undefined,
  unexplainedActivity: new Map(),
}
export const NO_BACKLOG: Backlog = {
  'in-flight': 0,
  transition: 0,
  unseen: 0,
  awake: 0,
  age: 0,
  failing: 0,
  operations: 0,
}
export const NO_PENDING_RETRIES: PendingRetries = { looks: new Map(), operations: new Map() }

/** Its clock shows the service's time, which dates every observation. */
export type SweepPorts = RoundPorts

/** Never rejects for a reason that lies in the service: what could not be observed is in `problems`. */
export async function observe(ports: SweepPorts, start: SweepStart, signal: AbortSignal): Promise<Sweep> {
  const { clock } = ports
  const { ledger, list, waiting, plan } = start
  const startedOn = clock.monotonic()
  const most = pagesToRead(plan, list.finished)
  const gateOf = (kind: RequestKind): RequestGate =>
    createRequestGate(clock, { kind, startedOn, interval: plan.interval }, signal)
  using projectsGate = gateOf('projects')
  const listed = await readProjectList(
    ports,
    { ledger, progress: list, most, listLag: plan.listLag, interval: plan.interval },
    projectsGate,
  )
  const startedAt = instantOf(startedOn, clock)
  const projects = [...listed.changed.values()]
  const common = { account: ledger.account, startedAt, projects, activities: listed.activities }
  if (listed.stopped)
    return { ...common, ...endedEarly(listed, listed.stopped), retries: waiting, endedAt: clock.now() }

  await clock.yield()
  const readAt = lastListed(listed.progress)
  const fleet = fleetOf(start, listed, readAt)
  const projectCount = countProjects(fleet)
  await clock.yield()
  const selection = selectProjects(fleet, limitsOf(plan, listed, projectCount), startedAt)
  await clock.yield()
  const projectOf = freshProjects(ledger, listed)
  const quietUntil = (projectId: string): Instant | undefined =>
    projectOf(projectId)?.computeLastActiveAt && quietUntilOf(projectId, { ...listed.progress, readAt }, plan)
  using computesGate = gateOf('computes')
  const computes = await readComputes(
    ports,
    {
      ledger,
      projectIds: selection.projectIds,
      quietUntil,
      listedOften: (projectId) => {
        const at = isOnly(ledger.projects.get(projectId)) ? readAt.get(projectId) : undefined
        return at && listedOften(listed.progress, at)
      },
      waiting: waiting.looks,
      missing: plan.hasConfiguredProjects ? undefined : (listed.progress.finished?.missing ?? new Set()),
    },
    computesGate,
  )
  const history = readsHistory(plan, projectCount) ? plan.history : undefined
  const remaining = requestsPerSweep(plan) - listed.requests - computesGate.asked()
  using operationsGate = gateOf('operations')
  const operations = await readOperations(
    ports,
    {
      ledger,
      looks: computes.looks,
      listed: computes.listed,
      history,
      waiting: waiting.operations,
      room: roomOfOperations(plan, remaining),
    },
    operationsGate,
  )
  using readingsGate = gateOf('readings')
  const round = await runReadingRound(
    ports,
    {
      ledger,
      looks: computes.looks,
      projectOf,
      plan: plan.readings,
      room: remaining - operations.requestsMade,
    },
    { gate: readingsGate, signal },
  )
  const retries = { looks: computes.retries, operations: operations.retries }
  const gates = [computesGate, operationsGate, readingsGate]
  const failingOperations = [...retries.operations.values()].filter(({ failed }) => failed)
  const degradations = [
    projectsGate.problem(0, 0),
    computesGate.problem(retries.looks.size, projectCount),
    operationsGate.problem(failingOperations.length, retries.operations.size),
    readingsGate.problem(0, 0),
  ].filter((problem) => problem !== undefined)
  return {
    ...common,
    list: listed.progress,
    backlog: { ...selection.backlog, operations: operations.retries.size },
    retries,
    requestsMade: listed.requests + computesGate.asked() + operations.requestsMade + round.requestsMade,
    isFull: operations.isFull,
    looks: [...computes.looks, ...round.looks],
    listedComputes: computes.listed,
    operations: operations.operations,
    operationsReadOf: operations.read,
    unreadableOperations: operations.unreadable,
    readings: round.readings,
    refusals: round.refusals,
    problems: [
      ...listed.problems,
      ...degradations,
      ...computes.problems,
      ...operations.problems,
      ...round.problems,
    ],
    endedAt: clock.now(),
    service: gates.some((gate) => gate.isUnauthorized())
      ? 'unauthorized'
      : degradations.length > 0
        ? 'degraded'
        : 'ok',
  }
}

/** A sweep that ends with a project list that cannot be read: pages before the failure count. */
const endedEarly = (
  { progress, problems, requests }: ListResult,
  { kind }: ServiceError,
): Omit<Sweep, 'account' | 'startedAt' | 'endedAt' | 'projects' | 'activities' | 'retries'> => ({
  list: progress,
  requestsMade: requests,
  backlog: NO_BACKLOG,
  looks: [],
  listedComputes: [],
  operations: [],
  operationsReadOf: [],
  unreadableOperations: [],
  readings: [],
  refusals: [],
  problems,
  service: kind === 'unauthorized' ? 'unauthorized' : 'unavailable',
})

const fleetOf = (
  { ledger, waiting, plan }: SweepStart,
  { changed, lost, progress }: ListResult,
  readAt: LastListed,
): UrgencyInput => ({
  ledger,
  changed,
  lost,
  unexplainedActivity: progress.unexplainedActivity,
  readAt,
  failed: waiting.looks,
  listLag: plan.listLag,
  changing: plan.changing,
})

const limitsOf = (plan: SweepPlan, { requests }: ListResult, projects: number) => ({
  ...lookAllowance(plan, { pages: requests, projects }),
  maxAge: affordableAge(plan, projects),
  readsHistory: readsHistory(plan, projects),
})

/** Share of the requests behind the looks that readings get: each may need a fresh look. */
const READINGS_SHARE = 0.25

const roomOfOperations = ({ readings }: SweepPlan, remaining: number): number =>
  readings.mode === 'off' ? remaining : Math.ceil(remaining * (1 - READINGS_SHARE))

const isOnly = (entry: ProjectEntry | undefined): boolean => entry?.listed?.endpointIds.length === 1

const freshProjects =
  ({ projects }: Ledger, { changed }: ListResult) =>
  (projectId: string): Project | undefined =>
    changed.get(projectId) ?? projects.get(projectId)?.project

/** Until when the project list, which shows all activity late, excluded activity that is not known. */
function quietUntilOf(
  projectId: string,
  { readAt, unexplainedActivity }: Pick<UrgencyInput, 'readAt' | 'unexplainedActivity'>,
  { listLag }: SweepPlan,
): Instant | undefined {
  const quiet = unexplainedActivity.has(projectId)
    ? unexplainedActivity.get(projectId)
    : readAt.get(projectId)
  return quiet === undefined ? undefined : after(quiet, seconds(0 - listLag))
}
