// The project list, page by page: a large one goes on where the sweep before left off.
import type { Project } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type {
  FinishedList,
  ListedPage,
  ListProgress,
  ListInProgress,
  Sweep,
  SweepProblem,
} from '../../model/observation.ts'
import type { ListPage } from '../../model/ports/service.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { forEachYielding, runYielding, type Cooperative } from '../../std/cooperative.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { hasUnexplainedActivity, isRewokenUnseen, type LastListed } from './urgency.ts'
import { instantOf } from '../instant-of.ts'

export type ListResult = {
  readonly progress: ListProgress
  /** New or changed projects by id. */
  readonly changed: ReadonlyMap<string, Project>
  /** Projects with computes that the list has lost since it was read before. */
  readonly lost: readonly string[]
  /** Pages that were answered. */
  readonly pages: number
  readonly problems: readonly SweepProblem[]
  /** Why nothing more is to be asked now; undefined when all is well. */
  readonly stopped: ServiceError | undefined
}

type Reading = {
  /** Undefined until the first page of a new list came. */
  open: ListInProgress | undefined
  readonly changed: Map<string, Project>
  readonly restless: Map<string, Instant | undefined>
  readonly problems: SweepProblem[]
  pages: number
}

export async function readProjectList(
  { clock, service }: Pick<Ports, 'clock' | 'service'>,
  {
    ledger,
    progress,
    most,
    listLag,
  }: {
    readonly ledger: Ledger
    readonly progress: ListProgress
    readonly most: number
    /** How late the list may show activity. */
    readonly listLag: Seconds
  },
  signal: AbortSignal,
): Promise<ListResult> {
  const reading: Reading = {
    open: progress.open,
    changed: new Map(),
    restless: new Map(progress.restless),
    problems: [],
    pages: 0,
  }
  const done = (open: ListInProgress | undefined, stopped?: ServiceError): ListResult => ({
    ...reading,
    progress: { open, last: progress.last, restless: reading.restless },
    lost: [],
    stopped,
  })
  while (reading.pages < most) {
    const askedOn = clock.monotonic()
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page = await service.listProjectsPage(reading.open?.cursor, signal)
    if (!page.ok) {
      reading.problems.push({ where: 'projects', message: serviceErrorText(page.error) })
      if (isTrouble(page.error)) return done(reading.open, page.error)
      reading.open = openBehind(openOf(reading, instantOf(askedOn, clock)), page.error, progress.last)
      // Nothing after this page can be had: the next sweep begins a new list; the computes that are known can be asked for.
      if (!reading.open) return done(undefined, isAnybodyKnown(reading, ledger) ? undefined : page.error)
      reading.pages += 1
      continue
    }
    const askedAt = instantOf(askedOn, clock)
    const begun = openOf(reading, askedAt)
    const open = takeIn(reading, page.value, { ledger, open: begun, last: progress.last, askedAt, listLag })
    const cursor = page.value.next
    if (cursor === undefined)
      return runYielding(finished(reading, { ledger, open, progress, now: clock.now() }), () =>
        clock.sleep(seconds(0), signal),
      )
    if (open.cursors.includes(cursor)) {
      reading.problems.push({ where: 'projects', message: `pagination.cursor: ${cursor} comes twice` })
      return done(undefined)
    }
    reading.open = { ...open, cursor, cursors: [...open.cursors, cursor] }
  }
  return done(reading.open)
}

/** The list that is being read, or a new one. */
const openOf = ({ open }: Reading, startedAt: Instant): ListInProgress =>
  open ?? { cursor: undefined, startedAt, cursors: [], pages: [], gap: false }

/** Behind a page that cannot be read, where the list before knew of a page after it; undefined where it did not. */
function openBehind(
  open: ListInProgress,
  error: ServiceError,
  last: FinishedList | undefined,
): ListInProgress | undefined {
  if (error.kind !== 'malformed') return undefined
  const began = [undefined, ...(last?.cursors ?? [])]
  const place = began.indexOf(open.cursor)
  const cursor = place < 0 ? undefined : began[place + 1]
  if (cursor === undefined || open.cursors.includes(cursor)) return undefined
  return { ...open, cursor, cursors: [...open.cursors, cursor], gap: true }
}

const isAnybodyKnown = ({ pages }: Reading, { projects }: Ledger): boolean => pages > 0 || projects.size > 0

/** Whether the next request would fare no better. */
const isTrouble = ({ kind }: ServiceError): boolean =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited'

function takeIn(
  reading: Reading,
  page: ListPage<Project>,
  {
    ledger,
    open,
    last,
    askedAt,
    listLag,
  }: {
    readonly ledger: Ledger
    readonly open: ListInProgress
    readonly last: FinishedList | undefined
    readonly askedAt: Instant
    readonly listLag: Seconds
  },
): ListInProgress {
  reading.pages += 1
  for (const message of page.problems) reading.problems.push({ where: 'projects', message })
  for (const project of page.items) noteProject(reading, project, { ledger, last, listLag })
  return { ...open, pages: [...open.pages, listedPage(page, askedAt)] }
}

function noteProject(
  { changed, restless }: Reading,
  project: Project,
  {
    ledger,
    last,
    listLag,
  }: { readonly ledger: Ledger; readonly last: FinishedList | undefined; readonly listLag: Seconds },
): void {
  const { projectId } = project
  const known = ledger.projects.get(projectId)
  const same = known !== undefined && isSame(known.project, project)
  if (!same) changed.set(projectId, project)
  // What was restless when the daemon ended is so still.
  if ((same && last) || restless.has(projectId)) return
  // When the list was asked for it the last time, it had nothing to tell of it.
  const readAt = last?.readAt.get(projectId)
  const toldUntil = readAt && after(readAt, seconds(0 - listLag))
  if (
    hasUnexplainedActivity(project, known, ledger) ||
    isRewokenUnseen(project, known, { ledger, toldUntil })
  )
    restless.set(projectId, readAt)
}

const listedPage = ({ items, unread = [] }: ListPage<Project>, askedAt: Instant): ListedPage => ({
  askedAt,
  projectIds: items.map(({ projectId }) => projectId),
  unread,
})

const isSame = (a: Project, b: Project): boolean => FIELDS.every((field) => a[field] === b[field])

const FIELDS = [
  'computeLastActiveAt',
  'updatedAt',
  'cpuUsedSeconds',
  'name',
  'defaultAutosuspendDelay',
  'pgVersion',
  'regionId',
  'platformId',
] as const satisfies readonly (keyof Project)[]

/** Of one step. Doubled, the event loop is held up for a millisecond more. */
const PAGES = 5
const PROJECTS = 2000

function* finished(
  reading: Reading,
  {
    ledger,
    open,
    progress,
    now,
  }: {
    readonly ledger: Ledger
    readonly open: ListInProgress
    readonly progress: ListProgress
    readonly now: Instant
  },
): Cooperative<ListResult> {
  const { changed, restless, problems, pages } = reading
  // What a page that could not be read told the last time is the last that the list told.
  const readAt = new Map<string, Instant>(open.gap ? progress.last?.readAt : [])
  const unread = new Set<string>()
  yield* forEachYielding(open.pages, PAGES, (page) => {
    for (const projectId of page.projectIds) readAt.set(projectId, page.askedAt)
    for (const projectId of page.unread) unread.add(projectId)
  })
  const missing = new Set<string>()
  yield* forEachYielding(ledger.projects.values(), PROJECTS, ({ project, listed }) => {
    const hasComputes = listed !== undefined && listed.endpointIds.length > 0
    if (hasComputes && !readAt.has(project.projectId) && !unread.has(project.projectId))
      missing.add(project.projectId)
  })
  const last: FinishedList = {
    startedAt: open.startedAt,
    endedAt: now,
    pages: open.cursors.length + 1,
    cursors: open.cursors,
    readAt,
    missing,
  }
  const lost = [...missing].filter((projectId) => !progress.last?.missing.has(projectId))
  return { progress: { open: undefined, last, restless }, changed, lost, pages, problems, stopped: undefined }
}

/** When the list told of a project the last time, by id: also what was read of one that is not finished. */
export function* lastListed({ open, last }: ListProgress): Cooperative<LastListed> {
  if (!open) return last?.readAt ?? new Map()
  const fresh = new Map<string, Instant>()
  yield* forEachYielding(open.pages, PAGES, ({ projectIds, askedAt }) => {
    for (const projectId of projectIds) fresh.set(projectId, askedAt)
  })
  return { get: (projectId) => fresh.get(projectId) ?? last?.readAt.get(projectId) }
}

/**
 * What the next sweep goes on from. A look ends the doubt about a project when it is stored; what could not be stored is
 * listed again, and as nobody knows how much of it was, what turned restless stays so.
 */
export function listProgressAfter(
  { list, listed }: Sweep,
  before: ListProgress,
  { stored }: { readonly stored: boolean },
): ListProgress {
  if (!stored) return { ...before, restless: list.restless }
  const restless = new Map(list.restless)
  for (const { projectId } of listed) restless.delete(projectId)
  return { ...list, restless }
}
