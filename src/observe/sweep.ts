// One tour of observation over one account: projects, then computes and operations where something moved, then readings.
import type { Project } from '../model/compute.ts'
import type { Ledger } from '../model/ledger.ts'
import type { Backlog, ListProgress, Look, Sweep, SweepProblem } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Ports } from '../model/ports.ts'
import { serviceErrorText, type ServiceError } from '../model/service-error.ts'
import { after, seconds, type Instant } from '../model/units.ts'
import { operationsToRead, type OperationsSeen } from './operations-plan.ts'
import { inParallel } from './parallel.ts'
import { affordableAge, looksToMake, pagesToRead, readsHistory, type PollPlan } from './plan.ts'
import { readProjectList, type ListRead } from './project-list.ts'
import { readingRound, type ReadingPlan } from './round.ts'
import { chooseProjects } from './urgency.ts'

export type SweepPlan = PollPlan & { readonly readings: ReadingPlan }

/** What a sweep goes on from. */
export type SweepStart = {
  readonly ledger: Ledger
  readonly list: ListProgress
  readonly plan: SweepPlan
}

export const NO_LIST: ListProgress = { open: undefined, last: undefined, restless: new Map() }
export const NO_BACKLOG: Backlog = { 'in-flight': 0, transition: 0, unseen: 0, awake: 0, age: 0 }

/** Requests of one kind in flight at once; the request budget is kept by the client. Doubled, a large account is read no faster. */
const REQUESTS_AT_ONCE = 8

/** Never rejects for a reason that lies in the service: what could not be seen is in `problems`. */
export async function observe(ports: Ports, start: SweepStart, signal: AbortSignal): Promise<Sweep> {
  const { clock } = ports
  const { ledger, list, plan } = start
  const startedAt = clock.now()
  const most = pagesToRead(plan, list.last)
  const listed = await readProjectList(ports, { ledger, progress: list, most }, signal)
  const projects = [...listed.changed.values()]
  const begun = { account: ledger.account, startedAt, projects }
  if (listed.stopped) return { ...begun, ...endedEarly(listed, listed.stopped), endedAt: clock.now() }

  const choice = chooseProjects(
    { ...listed, ledger, restless: listed.progress.restless },
    limitsOf(start, listed),
    startedAt,
  )
  const projectOf = freshProjects(ledger, listed)
  const quietUntil = (projectId: string): Instant | undefined =>
    projectOf(projectId)?.computeLastActiveAt && quietUntilOf(projectId, listed, plan)
  const details = await computesOf(ports, { ids: choice.projectIds, quietUntil }, signal)
  const history = readsHistory(plan, projectsIn(start, listed)) ? plan.history : undefined
  const operations = await operationsOf(
    ports,
    { ledger, looks: details.looks, history, room: roomLeft(plan, listed, details) },
    signal,
  )
  const round = await readingRound(
    ports,
    { ledger, looks: details.looks, projectOf, plan: plan.readings },
    signal,
  )
  return {
    ...begun,
    list: { ...listed.progress, restless: without(listed.progress.restless, details.listed) },
    backlog: choice.backlog,
    looks: [...details.looks, ...round.looks],
    listed: details.listed,
    operations: operations.operations,
    operationsOf: operations.read,
    readings: round.readings,
    refusals: round.refusals,
    problems: [...listed.problems, ...details.problems, ...operations.problems, ...round.problems],
    endedAt: clock.now(),
    service: details.refused ? 'unauthorized' : 'ok',
  }
}

/** What was listed before the trouble is kept; nothing else is asked. */
const endedEarly = (
  { progress, problems, pages }: ListRead,
  { kind }: ServiceError,
): Omit<Sweep, 'account' | 'startedAt' | 'endedAt' | 'projects'> => ({
  list: progress,
  backlog: NO_BACKLOG,
  looks: [],
  listed: [],
  operations: [],
  operationsOf: [],
  readings: [],
  refusals: [],
  problems,
  service: kind === 'unauthorized' ? 'unauthorized' : pages > 0 ? 'ok' : 'unavailable',
})

const limitsOf = (start: SweepStart, listed: ListRead) => {
  const projects = projectsIn(start, listed)
  return {
    ...looksToMake(start.plan, listed.pages),
    maxAge: affordableAge(start.plan, projects),
    readsHistory: readsHistory(start.plan, projects),
  }
}

const projectsIn = ({ ledger }: SweepStart, { changed }: ListRead): number =>
  Math.max(ledger.projects.size, changed.size)

const roomLeft = ({ requests }: SweepPlan, { pages }: ListRead, { asked }: Details): number =>
  Math.max(0, requests - pages - asked)

const freshProjects =
  ({ projects }: Ledger, { changed }: ListRead) =>
  (projectId: string): Project | undefined =>
    changed.get(projectId) ?? projects.get(projectId)?.project

function without(restless: ListProgress['restless'], listed: Sweep['listed']): ListProgress['restless'] {
  const left = new Map(restless)
  for (const { projectId } of listed) left.delete(projectId)
  return left
}

type Details = {
  readonly looks: Look[]
  readonly listed: Sweep['listed'][number][]
  readonly problems: SweepProblem[]
  readonly asked: number
  readonly refused: boolean
}

async function computesOf(
  { clock, service }: Ports,
  {
    ids,
    quietUntil,
  }: { readonly ids: readonly string[]; readonly quietUntil: (projectId: string) => Instant | undefined },
  signal: AbortSignal,
): Promise<Details> {
  const found = { looks: [] as Look[], listed: [] as Details['listed'], problems: [] as SweepProblem[] }
  let refused = false
  await inParallel(ids, REQUESTS_AT_ONCE, async (projectId) => {
    const [askedAt, askedOn] = [clock.now(), clock.monotonic()]
    const answer = await service.listComputes(projectId, signal)
    const answeredAt = clock.now()
    const where = `project ${projectId}`
    if (!answer.ok) {
      refused ||= answer.error.kind === 'unauthorized'
      if (answer.error.kind === 'gone') found.listed.push({ projectId, answeredAt, endpointIds: [] })
      else found.problems.push({ where, message: serviceErrorText(answer.error) })
      return
    }
    const { items, problems } = answer.value
    const until = quietUntil(projectId)
    const quiet = until === undefined ? {} : { quietUntil: until }
    found.looks.push(...items.map((compute) => ({ compute, askedAt, answeredAt, askedOn, ...quiet })))
    found.problems.push(...problems.map((message) => ({ where, message })))
    // A record that did not fit is there, though unknown: only a list read whole says that a compute is gone.
    if (problems.length === 0)
      found.listed.push({ projectId, answeredAt, endpointIds: items.map(({ endpointId }) => endpointId) })
  })
  return { ...found, asked: ids.length, refused }
}

/** Until when the list, which has to show activity at all, told of none that is not known. */
function quietUntilOf(
  projectId: string,
  { progress: { last, restless } }: ListRead,
  { listLag }: SweepPlan,
): Instant | undefined {
  const quiet = restless.has(projectId) ? restless.get(projectId) : last?.startedAt
  return quiet === undefined ? undefined : after(quiet, seconds(0 - listLag))
}

type Operations = {
  readonly operations: Operation[]
  readonly read: string[]
  readonly problems: SweepProblem[]
}

/** Those that are needed, and as far as there is room those that only name what the records date. */
async function operationsOf(
  { clock, service }: Ports,
  { ledger, looks, history, room }: OperationsSeen & { readonly room: number },
  signal: AbortSignal,
): Promise<Operations> {
  const found: Operations = { operations: [], read: [], problems: [] }
  const { needed, welcome } = operationsToRead({ ledger, looks, history }, clock.now())
  const since = [...needed, ...[...welcome].slice(0, Math.max(0, room - needed.size))]
  await inParallel(since, REQUESTS_AT_ONCE, async ([projectId, from]) => {
    const answer = await service.listOperations(projectId, from, signal)
    const where = `operations of project ${projectId}`
    if (answer.ok) {
      found.read.push(projectId)
      found.operations.push(...answer.value.items)
      found.problems.push(...answer.value.problems.map((message) => ({ where, message })))
      return
    }
    if (answer.error.kind !== 'gone') found.problems.push({ where, message: serviceErrorText(answer.error) })
  })
  return found
}
