import type { Project } from '../model/service/compute.ts'
import type { ProjectMetering } from '../model/ledger/metering.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry, ProjectListing } from '../model/ledger/project-entry.ts'
import type { ListedComputes, Sweep } from '../model/observation.ts'
import type { Prices } from '../model/ledger/price.ts'
import { cuMillis, type Instant, type Seconds } from '../model/units.ts'
import { applyMeterReading, newProjectMetering } from './metering/follow.ts'
import { measureMeteringLag } from './metering/metering-lag.ts'
import { projectUsage } from './metering/ledger-use.ts'

/** Project id → entry, of the projects that changed in `sweep`. A project that left the list keeps its entry, because entries of its computes refer to it. */
export function applyProjects(
  ledger: Ledger,
  sweep: Sweep,
  prices: Prices,
): ReadonlyMap<string, ProjectEntry> {
  const after = new Map<string, ProjectEntry>()
  const lag = measureMeteringLag(ledger.projects.values())
  for (const project of sweep.projects) {
    const before = ledger.projects.get(project.projectId)
    after.set(project.projectId, withRecord(before, project, { ledger, prices, lag, at: sweep.startedAt }))
  }
  for (const listed of sweep.listedComputes) {
    const { projectId } = listed
    const known = after.get(projectId) ?? ledger.projects.get(projectId)
    if (known) after.set(projectId, withListing(known, listed, sweep))
  }
  for (const projectId of sweep.operationsReadOf) {
    const known = after.get(projectId) ?? ledger.projects.get(projectId)
    if (!known?.listed?.needsBackfill) continue
    const { needsBackfill: _, ...listed } = known.listed
    after.set(projectId, { ...known, listed })
  }
  return after
}

function withRecord(before: ProjectEntry | undefined, project: Project, context: Listed): ProjectEntry {
  const metering = before && counted(before, project, context)
  return { listed: undefined, ...before, ...(metering && { metering }), project }
}

function withListing(known: ProjectEntry, listed: ListedComputes, { retries }: Sweep): ProjectEntry {
  const { projectId, answeredAt, projectDeleted } = listed
  const goneAt = projectDeleted && (known.deletedAt ?? answeredAt)
  const listing = listingOf(known, listed)
  const waits = isHistoryWanted(known) && retries.operations.has(projectId)
  return { ...known, listed: waits ? { ...listing, needsBackfill: true } : listing, deletedAt: goneAt }
}

const isHistoryWanted = ({ listed }: ProjectEntry): boolean =>
  listed === undefined || listed.needsBackfill === true

/** Who was there stays where a record tells no id, because it may be theirs. */
function listingOf({ project, listed: before }: ProjectEntry, listed: ListedComputes): ProjectListing {
  const { askedAt, answeredAt: at, endpointIds: told, unreadable = [], partial = false } = listed
  const { updatedAt, cpuUsedSeconds } = project
  const countedSince = before?.cpuUsedSeconds === cpuUsedSeconds ? countedSinceOf(before) : at
  const present = new Set(told)
  const maybe = partial ? (before?.endpointIds ?? []).filter((id) => !present.has(id)) : []
  const doubtful = [...unreadable, ...maybe]
  return {
    at,
    askedAt,
    updatedAt,
    cpuUsedSeconds,
    countedSince,
    endpointIds: [...told, ...maybe],
    ...(doubtful.length > 0 && { unreadable: doubtful }),
    ...(partial && { partial }),
  }
}

const countedSinceOf = ({ at, countedSince }: ProjectListing): Instant => countedSince ?? at

type Listed = {
  readonly ledger: Ledger
  readonly prices: Prices
  readonly lag: Seconds | undefined
  readonly at: Instant
}

/** Followed from the first time that it moves: most projects of a large account sleep. */
function counted(
  known: ProjectEntry,
  { cpuUsedSeconds }: Project,
  { ledger, prices, lag, at }: Listed,
): ProjectMetering | undefined {
  const { metering, listed, project } = known
  const isUnmoved = metering === undefined && cpuUsedSeconds === project.cpuUsedSeconds
  const use = isUnmoved ? undefined : projectUsage(known, ledger, { prices, now: at })
  if (!use || !listed) return metering
  const before =
    metering ??
    newProjectMetering({ at: countedSinceOf(listed), cuTime: cuMillis(listed.cpuUsedSeconds * 1000) })
  return applyMeterReading(before, { at, cuTime: cuMillis(cpuUsedSeconds * 1000) }, { use, lag })
}
