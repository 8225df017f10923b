// One tour of observation over one account: projects, then computes and operations where something moved, then readings.
import type { Compute, Project } from '../model/service/compute.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type {
  Backlog,
  ListProgress,
  Look,
  Sweep,
  SweepProblem,
  PendingRetries,
} from '../model/observation.ts'
import type { Listing } from '../model/ports/service.ts'
import type { Ports } from '../model/ports/ports.ts'
import type { ServiceClock } from '../model/ports/clock.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import { runYielding } from '../std/cooperative.ts'
import type { Span } from '../model/ledger/slice.ts'
import { after, seconds, type Instant, type Seconds } from '../model/units.ts'
import { selectProjects } from './polling/select-projects.ts'
import { readOperations } from './polling/operations.ts'
import { forEachParallel } from '../std/parallel.ts'
import {
  affordableAge,
  lookAllowance,
  pagesToRead,
  readsHistory,
  requestsPerSweep,
  type PollPlan,
} from './polling/poll-plan.ts'
import { lastListed, readProjectList, type ListResult } from './polling/project-list.ts'
import { runReadingRound, type ReadingPlan } from './reading/reading-round.ts'
import { isProjectFault, recordFailure } from './polling/retry.ts'
import { countProjects, type UrgencyInput, type LastListed } from './polling/urgency.ts'
import { instantOf } from './instant-of.ts'
import { UNDATED } from './look.ts'

export type SweepPlan = PollPlan & { readonly readings: ReadingPlan }

/** What a sweep goes on from. */
export type SweepStart = {
  readonly ledger: Ledger
  readonly list: ListProgress
  readonly waiting: PendingRetries
  readonly plan: SweepPlan
}

export const NO_LIST: ListProgress = { open: undefined, last: undefined, restless: new Map() }
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

/** Requests of one kind in flight at once; the request budget is kept by the client. Doubled, a large account is read no faster. */
const REQUESTS_AT_ONCE = 8

/** What a sweep needs of the ports: it dates what it sees by the service's time. */
export type SweepPorts = Pick<Ports, 'service' | 'readings'> & { readonly clock: ServiceClock }

/** Never rejects for a reason that lies in the service: what could not be seen is in `problems`. */
export async function observe(ports: SweepPorts, start: SweepStart, signal: AbortSignal): Promise<Sweep> {
  const { clock } = ports
  const { ledger, list, waiting, plan } = start
  const startedOn = clock.monotonic()
  const most = pagesToRead(plan, list.last)
  const listed = await readProjectList(ports, { ledger, progress: list, most, listLag: plan.listLag }, signal)
  const startedAt = instantOf(startedOn, clock)
  const projects = [...listed.changed.values()]
  const begun = { account: ledger.account, startedAt, projects }
  if (listed.stopped)
    return { ...begun, ...endedEarly(listed, listed.stopped), waiting, endedAt: clock.now() }

  const pause = (): Promise<void> => clock.sleep(seconds(0), signal)
  const readAt = await runYielding(lastListed(listed.progress), pause)
  const fleet = fleetOf(start, listed, readAt)
  const projectsThere = await runYielding(countProjects(fleet), pause)
  const choice = await runYielding(
    selectProjects(fleet, limitsOf(plan, listed, projectsThere), startedAt),
    pause,
  )
  const projectOf = freshProjects(ledger, listed)
  const quietUntil = (projectId: string): Instant | undefined =>
    projectOf(projectId)?.computeLastActiveAt && quietUntilOf(projectId, { ...listed.progress, readAt }, plan)
  const details = await computesOf(ports, { ids: choice.projectIds, quietUntil }, signal)
  const history = readsHistory(plan, projectsThere) ? plan.history : undefined
  const left = requestsPerSweep(plan) - listed.pages - details.asked
  const operations = await readOperations(
    ports,
    {
      ledger,
      looks: details.looks,
      listed: details.listed,
      history,
      waiting: waiting.operations,
      room: roomOfOperations(plan, left),
    },
    signal,
  )
  const round = await runReadingRound(
    ports,
    { ledger, looks: details.looks, projectOf, plan: plan.readings, room: left - operations.asked },
    signal,
  )
  return {
    ...begun,
    list: listed.progress,
    backlog: { ...choice.backlog, operations: operations.waiting.size },
    waiting: { looks: waitingLooks(waiting.looks, details, clock.now()), operations: operations.waiting },
    asked: listed.pages + details.asked + operations.asked + round.asked,
    looks: [...details.looks, ...round.looks],
    listed: details.listed,
    operations: operations.operations,
    operationsOf: operations.read,
    operationsLost: operations.lost,
    readings: round.readings,
    refusals: round.refusals,
    problems: [...listed.problems, ...details.problems, ...operations.problems, ...round.problems],
    endedAt: clock.now(),
    service: details.refused ? 'unauthorized' : 'ok',
  }
}

/** What was listed before the trouble is kept; nothing else is asked. */
const endedEarly = (
  { progress, problems, pages }: ListResult,
  { kind }: ServiceError,
): Omit<Sweep, 'account' | 'startedAt' | 'endedAt' | 'projects' | 'waiting'> => ({
  list: progress,
  asked: pages,
  backlog: NO_BACKLOG,
  looks: [],
  listed: [],
  operations: [],
  operationsOf: [],
  operationsLost: [],
  readings: [],
  refusals: [],
  problems,
  service: kind === 'unauthorized' ? 'unauthorized' : pages > 0 ? 'ok' : 'unavailable',
})

const fleetOf = (
  { ledger, waiting, plan }: SweepStart,
  { changed, lost, progress }: ListResult,
  readAt: LastListed,
): UrgencyInput => ({
  ledger,
  changed,
  lost,
  restless: progress.restless,
  readAt,
  tried: waiting.looks,
  listLag: plan.listLag,
})

const limitsOf = (plan: SweepPlan, { pages }: ListResult, projects: number) => ({
  ...lookAllowance(plan, { pages, projects }),
  maxAge: affordableAge(plan, projects),
  readsHistory: readsHistory(plan, projects),
})

/** Of what is left when readings are made: they need a look each. Doubled, what is not dated waits longer where much is read. */
const READINGS_SHARE = 0.25

const roomOfOperations = ({ readings }: SweepPlan, left: number): number =>
  readings.mode === 'off' ? left : Math.ceil(left * (1 - READINGS_SHARE))

const freshProjects =
  ({ projects }: Ledger, { changed }: ListResult) =>
  (projectId: string): Project | undefined =>
    changed.get(projectId) ?? projects.get(projectId)?.project

type Details = {
  readonly looks: Look[]
  readonly listed: Sweep['listed'][number][]
  readonly problems: SweepProblem[]
  /** Those whose computes could not be read, for a reason of their own as far as is known. */
  readonly failed: string[]
  readonly asked: number
  readonly refused: boolean
}

function waitingLooks(
  before: PendingRetries['looks'],
  { listed, failed }: Details,
  now: Instant,
): PendingRetries['looks'] {
  const waiting = new Map(before)
  for (const { projectId } of listed) waiting.delete(projectId)
  for (const projectId of failed) waiting.set(projectId, recordFailure(before.get(projectId), now))
  return waiting
}

async function computesOf(
  { clock, service }: SweepPorts,
  {
    ids,
    quietUntil,
  }: { readonly ids: readonly string[]; readonly quietUntil: (projectId: string) => Instant | undefined },
  signal: AbortSignal,
): Promise<Details> {
  const found = {
    looks: [] as Look[],
    listed: [] as Details['listed'],
    problems: [] as SweepProblem[],
    failed: [] as Details['failed'],
  }
  let refused = false
  await forEachParallel(ids, REQUESTS_AT_ONCE, async (projectId) => {
    const askedOn = clock.monotonic()
    const answer = await service.listComputes(projectId, signal)
    const seen = clock.between(askedOn, clock.monotonic())
    const where = `project ${projectId}`
    if (!answer.ok && answer.error.kind !== 'gone') {
      refused ||= answer.error.kind === 'unauthorized'
      found.problems.push({ where, message: serviceErrorText(answer.error) })
      if (isProjectFault(answer.error)) found.failed.push(projectId)
      return
    }
    if (!seen) {
      found.problems.push({ where, message: UNDATED })
      return
    }
    if (!answer.ok) {
      found.listed.push({ projectId, askedAt: seen[0], answeredAt: seen[1], endpointIds: [], gone: true })
      return
    }
    addListed(found, { projectId, askedOn, seen, until: quietUntil(projectId) }, answer.value)
  })
  return { ...found, asked: ids.length, refused }
}

type Listed = {
  readonly projectId: string
  readonly askedOn: Seconds
  readonly seen: Span
  readonly until: Instant | undefined
}

function addListed(
  { looks, listed, problems }: Pick<Details, 'looks' | 'listed' | 'problems'>,
  { projectId, askedOn, seen: [askedAt, answeredAt], until }: Listed,
  answer: Listing<Compute>,
): void {
  const quiet = until === undefined ? {} : { quietUntil: until }
  for (const compute of answer.items) looks.push({ compute, askedAt, answeredAt, askedOn, ...quiet })
  for (const message of answer.problems) problems.push({ where: `project ${projectId}`, message })
  // A record that did not fit is there, though unknown, and one that does not tell its id may be anybody's.
  const read = new Set(answer.items.map(({ endpointId }) => endpointId))
  const unread = [...new Set(answer.unread)].filter((endpointId) => !read.has(endpointId))
  const partial = answer.problems.length > (answer.unread?.length ?? 0)
  listed.push({ projectId, askedAt, answeredAt, endpointIds: [...read, ...unread], unread, partial })
}

/** Until when the list, which has to show activity at all, told of none that is not known. */
function quietUntilOf(
  projectId: string,
  { readAt, restless }: Pick<UrgencyInput, 'readAt' | 'restless'>,
  { listLag }: SweepPlan,
): Instant | undefined {
  const quiet = restless.has(projectId) ? restless.get(projectId) : readAt.get(projectId)
  return quiet === undefined ? undefined : after(quiet, seconds(0 - listLag))
}
