// Reads the project list page by page. A large list takes several sweeps: each continues where the one before stopped.
import type { Project } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type {
  FinishedList,
  ListedActivity,
  ListProgress,
  ListInProgress,
  Sweep,
  SweepProblem,
} from '../../model/observation.ts'
import type { ListPage } from '../../model/ports/service.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { instantOf } from '../../model/service/service-time.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'
import type { RequestGate } from '../request-gate.ts'
import { failed } from '../../std/result.ts'
import { listedActivity, listedPage } from './listed-activity.ts'
import { hasUnexplainedActivity, isRewokenUnseen, isSameProject, type LastListed } from './urgency.ts'

export type ListResult = Readonly<{
  progress: ListProgress
  /** New or changed projects by id. */
  changed: ReadonlyMap<string, Project>
  activities: readonly ListedActivity[]
  /** Projects with computes that the finished list no longer holds and the one before did. */
  lost: readonly string[]
  /** Pages that were answered, and the requests that they took. */
  pages: number
  requests: number
  problems: readonly SweepProblem[]
  /** Why no further request should be made now; undefined when there is no reason. */
  stopped: ServiceError | undefined
}>

type ListInput = Readonly<{
  ledger: Ledger
  progress: ListProgress
  /** Pages that may be read. */
  most: number
  /** How late the list may show activity. */
  listLag: Seconds
  /** Between two sweeps. */
  interval: Seconds
}>

/** What this sweep has read so far. */
type Reading = {
  /** Undefined until the first page of a new list came. */
  open: ListInProgress | undefined
  readonly changed: Map<string, Project>
  readonly activities: ListedActivity[]
  readonly unexplainedActivity: Map<string, Instant | undefined>
  readonly problems: SweepProblem[]
  pages: number
  requests: number
  /** New projects since the last finished list, how many more may exist, and whether there were too many. */
  added: number
  room: number
  hasExcess: boolean
}

export async function readProjectList(
  { clock, service }: Pick<Ports, 'clock' | 'service'>,
  input: ListInput,
  gate: RequestGate,
): Promise<ListResult> {
  const { ledger, progress, most } = input
  const reading = newReading(input, clock.now())
  const pausedAt = (open: ListInProgress | undefined, stopped?: ServiceError): ListResult => ({
    ...reading,
    problems: problemsOf(reading),
    progress: {
      inProgress: open,
      finished: progress.finished,
      added: reading.added,
      unexplainedActivity: reading.unexplainedActivity,
    },
    lost: [],
    stopped,
  })
  while (reading.pages < most) {
    const askedOn = clock.monotonic()
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const answer = await gate.ask((signal) => service.listProjectsPage(reading.open?.cursor, signal))
    if (!answer && reading.pages > 0) return pausedAt(reading.open)
    const page = answer ?? failed(NO_ANSWER)
    if (!page.ok) {
      reading.problems.push({ where: 'projects', message: serviceErrorText(page.error) })
      return pausedAt(mayContinueAfter(page.error) ? reading.open : undefined, page.error)
    }
    const askedAt = instantOf(askedOn, clock)
    const before = reading.open ?? newList(askedAt)
    addPage(reading, { ...page.value, askedAt }, input)
    const open = { ...before, pages: [...before.pages, listedPage(page.value, askedAt, input)] }
    const cursor = page.value.next
    if (cursor === undefined) return finishList(reading, { open, ledger, progress, now: clock.now() })
    const message = endlessProblem(open, cursor)
    if (message !== undefined) {
      reading.problems.push({ where: 'projects', message })
      return pausedAt(undefined)
    }
    reading.open = { ...open, cursor, cursors: [...open.cursors, cursor] }
  }
  return pausedAt(reading.open)
}

function newReading(input: ListInput, now: Instant): Reading {
  let existing = 0
  for (const { deletedAt } of input.ledger.projects.values()) existing += deletedAt === undefined ? 1 : 0
  return {
    open: listToContinue(input, now),
    changed: new Map(),
    activities: [],
    unexplainedActivity: new Map(input.progress.unexplainedActivity),
    problems: [],
    pages: 0,
    requests: 0,
    added: input.progress.added ?? 0,
    room: MAX_PROJECTS - existing,
    hasExcess: false,
  }
}

const NO_ANSWER: ServiceError = { kind: 'unavailable', message: 'no answer within the time of a pass' }

/** Pages after which a list counts as endless, 10,000: those of 200,000 configured projects, and of any number of empty ones. */
const MAX_PAGES = 10_000

/** Why the page at `cursor` is not read; undefined where it is. */
function endlessProblem({ cursors, pages }: ListInProgress, cursor: string): string | undefined {
  if (cursors.includes(cursor)) return `pagination.cursor: ${cursor} comes twice`
  let listed = 0
  for (const { projectIds, unreadable } of pages) listed += projectIds.length + unreadable.length
  const isEndless = listed >= MAX_PROJECTS || pages.length >= MAX_PAGES
  return isEndless ? `pagination: no end after ${pages.length} pages` : undefined
}

/** New projects between two finished lists, 10,000: an endless list must not fill memory. A long list brings the others when it is read again. */
const MAX_ADDED = 10_000

/** Projects of one account that exist, twice as many as were ever measured. */
const MAX_PROJECTS = 200_000

const problemsOf = ({ problems, hasExcess }: Reading): readonly SweepProblem[] =>
  !hasExcess
    ? problems
    : [
        ...problems,
        {
          where: 'projects',
          message: `new projects wait for the next list: at most ${MAX_ADDED} are added by one, and ${MAX_PROJECTS} in all`,
        },
      ]

const newList = (startedAt: Instant): ListInProgress => ({
  cursor: undefined,
  startedAt,
  cursors: [],
  pages: [],
})

/** Intervals for which an interrupted list stands, 2: one that is continued after an outage would show states from before it. */
const MAX_PAUSE = 2

function listToContinue({ progress: { inProgress }, interval }: ListInput, now: Instant) {
  const interruptedAt = inProgress?.pages.at(-1)?.askedAt ?? 0
  return interruptedAt >= after(now, seconds(0 - MAX_PAUSE * interval)) ? inProgress : undefined
}

/** Whether the page that failed may be asked for again; otherwise its cursor may be what the service refuses, and the next list begins anew. */
const mayContinueAfter = ({ kind }: ServiceError): boolean =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited'

type DatedPage = ListPage<Project> & { readonly askedAt: Instant }

function addPage(reading: Reading, page: DatedPage, input: ListInput): void {
  reading.pages += 1
  reading.requests += page.requests ?? 1
  for (const message of page.problems) reading.problems.push({ where: 'projects', message })
  for (const project of page.items)
    if (admit(reading, project.projectId, input.ledger)) {
      const activity = listedActivity(project, page.askedAt, input)
      if (activity) reading.activities.push(activity)
      addProject(reading, project, input)
    }
}

/** Whether a project counts: it is known, or there is room for a new one. */
function admit(reading: Reading, projectId: string, { projects }: Ledger): boolean {
  if (projects.has(projectId) || reading.changed.has(projectId)) return true
  if (reading.added >= MAX_ADDED || reading.room <= 0) {
    reading.hasExcess = true
    return false
  }
  reading.added += 1
  reading.room -= 1
  return true
}

function addProject(
  { changed, unexplainedActivity }: Reading,
  project: Project,
  { ledger, progress: { finished: last }, listLag }: ListInput,
): void {
  const { projectId } = project
  const entry = ledger.projects.get(projectId)
  const isSame = entry !== undefined && isSameProject(entry.project, project)
  if (!isSame) changed.set(projectId, project)
  // After a restart there is no finished list: activity that was unexplained before is so still.
  if ((isSame && last) || unexplainedActivity.has(projectId)) return
  const readAt = last?.readAt.get(projectId)
  const listedUntil = readAt && after(readAt, seconds(0 - listLag))
  if (
    hasUnexplainedActivity(project, entry, ledger) ||
    isRewokenUnseen(project, entry, { ledger, listedUntil })
  )
    unexplainedActivity.set(projectId, readAt)
}

function finishList(
  reading: Reading,
  {
    open,
    ledger,
    progress,
    now,
  }: Pick<ListInput, 'ledger' | 'progress'> & { readonly open: ListInProgress; readonly now: Instant },
): ListResult {
  const { changed, activities, unexplainedActivity, pages, requests } = reading
  const readAt = new Map<string, Instant>()
  for (const page of open.pages) for (const projectId of page.projectIds) readAt.set(projectId, page.askedAt)
  const followed = new Map(open.pages.map((page) => [page.askedAt, page.followedSince]))
  const unread = new Set(open.pages.flatMap((page) => page.unreadable))
  const missing = new Set<string>()
  for (const { project, listed } of ledger.projects.values()) {
    const { projectId } = project
    const isEmpty = listed?.endpointIds.length === 0
    if (!isEmpty && !readAt.has(projectId) && !unread.has(projectId)) missing.add(projectId)
  }
  const last: FinishedList = {
    startedAt: open.startedAt,
    endedAt: now,
    pages: open.cursors.length + 1,
    readAt,
    followedSince: followed,
    missing,
  }
  const lost = [...missing].filter((projectId) => !progress.finished?.missing.has(projectId))
  return {
    progress: { inProgress: undefined, finished: last, unexplainedActivity },
    changed,
    activities,
    lost,
    pages,
    requests,
    problems: problemsOf(reading),
    stopped: undefined,
  }
}

/** Project id → when a page that holds it was asked for the last time, also by a list that is not finished. */
export function lastListed({ inProgress, finished }: ListProgress): LastListed {
  if (!inProgress) return finished?.readAt ?? new Map()
  const fresh = new Map<string, Instant>()
  for (const { projectIds, askedAt } of inProgress.pages)
    for (const projectId of projectIds) fresh.set(projectId, askedAt)
  return { get: (projectId) => fresh.get(projectId) ?? finished?.readAt.get(projectId) }
}

/**
 * Where the next sweep continues. A stored look explains the activity of its project. A sweep that was not stored is listed again; how much
 * of it was stored is unknown, so activity that it found unexplained stays so.
 */
export function listProgressAfter(
  { list, listedComputes }: Sweep,
  before: ListProgress,
  { stored }: { readonly stored: boolean },
): ListProgress {
  if (!stored) return { ...before, unexplainedActivity: list.unexplainedActivity }
  const unexplainedActivity = new Map(list.unexplainedActivity)
  for (const { projectId } of listedComputes) unexplainedActivity.delete(projectId)
  return { ...list, unexplainedActivity }
}
