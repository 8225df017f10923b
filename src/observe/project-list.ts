// The project list, page by page: a large one goes on where the sweep before left off.
import type { Project } from '../model/compute.ts'
import type { Ledger } from '../model/ledger.ts'
import type { FinishedList, ListProgress, OpenList, SweepProblem } from '../model/observation.ts'
import type { Page, Ports } from '../model/ports.ts'
import { serviceErrorText, type ServiceError } from '../model/service-error.ts'
import { after, instant, seconds, type Instant } from '../model/units.ts'
import { isRestless } from './urgency.ts'

export type ListRead = {
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
  open: OpenList
  readonly changed: Map<string, Project>
  readonly restless: Map<string, Instant | undefined>
  readonly problems: SweepProblem[]
  pages: number
}

/** A page that was read a whole list ago, and a moment for the pages that came late. Doubled, more operations are read than are needed. */
const JITTER = seconds(10)

export async function readProjectList(
  { clock, service }: Pick<Ports, 'clock' | 'service'>,
  {
    ledger,
    progress,
    most,
  }: { readonly ledger: Ledger; readonly progress: ListProgress; readonly most: number },
  signal: AbortSignal,
): Promise<ListRead> {
  const now = clock.now()
  const reading: Reading = {
    open: progress.open ?? { cursor: undefined, startedAt: now, cursors: [], projectIds: [] },
    changed: new Map(),
    restless: new Map(progress.restless),
    problems: [],
    pages: 0,
  }
  const done = (open: OpenList | undefined, stopped?: ServiceError): ListRead => ({
    ...reading,
    progress: { open, last: progress.last, restless: reading.restless },
    lost: [],
    stopped,
  })
  while (reading.pages < most) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page = await service.listProjectsPage(reading.open.cursor, signal)
    if (!page.ok) {
      reading.problems.push({ where: 'projects', message: serviceErrorText(page.error) })
      if (isTrouble(page.error)) return done(reading.open, page.error)
      // This page cannot be had: the next sweep begins a new list; the computes that are known can be asked for.
      return done(undefined, reading.pages > 0 ? undefined : page.error)
    }
    takeIn(reading, page.value, { ledger, last: progress.last, now: clock.now() })
    const cursor = page.value.next
    if (cursor === undefined) return finished(reading, { ledger, progress, now: clock.now() })
    if (reading.open.cursors.includes(cursor)) {
      reading.problems.push({ where: 'projects', message: `pagination.cursor: ${cursor} comes twice` })
      return done(undefined)
    }
    reading.open = { ...reading.open, cursor, cursors: [...reading.open.cursors, cursor] }
  }
  return done(reading.open)
}

/** Whether the next request would fare no better. */
const isTrouble = ({ kind }: ServiceError): boolean =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited'

function takeIn(
  reading: Reading,
  { items, problems }: Page<Project>,
  {
    ledger,
    last,
    now,
  }: { readonly ledger: Ledger; readonly last: FinishedList | undefined; readonly now: Instant },
): void {
  reading.pages += 1
  reading.problems.push(...problems.map((message) => ({ where: 'projects', message })))
  reading.open = {
    ...reading.open,
    projectIds: [...reading.open.projectIds, ...items.map(({ projectId }) => projectId)],
  }
  for (const project of items) {
    const known = ledger.projects.get(project.projectId)
    const same = known !== undefined && isSame(known.project, project)
    if (!same) reading.changed.set(project.projectId, project)
    // What was restless when the daemon ended is so still.
    if (same && last) continue
    if (!reading.restless.has(project.projectId) && isRestless(project, known, ledger))
      reading.restless.set(project.projectId, quietAt(reading.open, last, now))
  }
}

/** When this page was read the last time: then its projects had nothing to tell. */
const quietAt = (open: OpenList, last: FinishedList | undefined, now: Instant): Instant | undefined =>
  last && after(instant(now - (open.startedAt - last.startedAt)), seconds(0 - JITTER))

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

function finished(
  reading: Reading,
  {
    ledger,
    progress,
    now,
  }: { readonly ledger: Ledger; readonly progress: ListProgress; readonly now: Instant },
): ListRead {
  const { open, changed, restless, problems, pages } = reading
  const present = new Set(open.projectIds)
  const missing = new Set<string>()
  for (const { project, listed } of ledger.projects.values()) {
    const hasComputes = listed !== undefined && listed.endpointIds.length > 0
    if (hasComputes && !present.has(project.projectId)) missing.add(project.projectId)
  }
  const last: FinishedList = {
    startedAt: open.startedAt,
    endedAt: now,
    pages: open.cursors.length + 1,
    projects: present.size,
    missing,
  }
  const lost = [...missing].filter((projectId) => !progress.last?.missing.has(projectId))
  return { progress: { open: undefined, last, restless }, changed, lost, pages, problems, stopped: undefined }
}
