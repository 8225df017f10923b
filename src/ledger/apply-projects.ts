import type { Project } from '../model/service/compute.ts'
import type { Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry, ProjectListing } from '../model/ledger/project-entry.ts'
import type { ListedComputes, Sweep } from '../model/observation.ts'
import type { Prices } from '../model/ledger/quantities.ts'
import { cuMillis, type Instant, type Seconds } from '../model/units.ts'
import { applyMeterReading, newProjectMetering } from './metering/follow.ts'
import { measureMeteringLag } from './metering/metering-lag.ts'
import { projectUsage } from './metering/ledger-use.ts'

/** Project id → entry, of the projects that changed. A deleted one keeps its entry: entries of its computes refer to it. */
export function applyProjects(ledger: Ledger, sweep: Sweep, prices: Prices): Ledger['projects'] {
  const after = new Map<string, ProjectEntry>()
  const lag = measureMeteringLag(ledger.projects.values())
  for (const project of sweep.projects) {
    const before = ledger.projects.get(project.projectId)
    after.set(project.projectId, withRecord(before, project, { ledger, prices, lag, at: sweep.startedAt }))
  }
  for (const listed of sweep.listedComputes) {
    const { projectId } = listed
    const entry = after.get(projectId) ?? ledger.projects.get(projectId)
    if (entry) after.set(projectId, withListing(entry, listed, sweep))
  }
  for (const projectId of sweep.operationsReadOf) {
    const entry = after.get(projectId) ?? ledger.projects.get(projectId)
    if (!entry?.listed?.needsBackfill) continue
    const { needsBackfill: _, ...listed } = entry.listed
    after.set(projectId, { ...entry, listed })
  }
  return after
}

function withRecord(before: ProjectEntry | undefined, project: Project, context: ProjectContext) {
  const metering = before && updateMetering(before, project, context)
  return { listed: undefined, ...before, ...(metering && { metering }), project }
}

function withListing(entry: ProjectEntry, listed: ListedComputes, { retries }: Sweep): ProjectEntry {
  const { projectId, answeredAt, projectDeleted } = listed
  const deletedAt = projectDeleted && (entry.deletedAt ?? answeredAt)
  const listing = listingOf(entry, listed)
  const isBackfilled = entry.listed && !entry.listed.needsBackfill
  const needsBackfill = !isBackfilled && retries.operations.has(projectId)
  return { ...entry, listed: needsBackfill ? { ...listing, needsBackfill: true } : listing, deletedAt }
}

/** Where an unreadable record has no id, computes listed before stay: the record may be theirs. */
function listingOf({ project, listed: before }: ProjectEntry, listed: ListedComputes): ProjectListing {
  const { askedAt, answeredAt: at, endpointIds, unreadable = [], partial = false } = listed
  const { updatedAt, cpuUsedSeconds } = project
  const countedSince = before?.cpuUsedSeconds === cpuUsedSeconds ? unchangedSince(before) : at
  const present = new Set(endpointIds)
  const unconfirmed = partial ? (before?.endpointIds ?? []).filter((id) => !present.has(id)) : []
  const uncertain = [...unreadable, ...unconfirmed]
  return {
    at,
    askedAt,
    updatedAt,
    cpuUsedSeconds,
    countedSince,
    endpointIds: [...endpointIds, ...unconfirmed],
    ...(uncertain.length > 0 && { unreadable: uncertain }),
    ...(partial && { partial }),
  }
}

const unchangedSince = ({ at, countedSince }: ProjectListing) => countedSince ?? at

type ProjectContext = Readonly<{ ledger: Ledger; prices: Prices; lag: Seconds | undefined; at: Instant }>

/** Metering is followed from its first change: most projects of a large account sleep. */
function updateMetering(
  entry: ProjectEntry,
  { cpuUsedSeconds }: Project,
  { ledger, prices, lag, at }: ProjectContext,
) {
  const { metering, listed, project } = entry
  const isUnchanged = metering === undefined && cpuUsedSeconds === project.cpuUsedSeconds
  const use = isUnchanged ? undefined : projectUsage(entry, ledger, { prices, now: at })
  if (!use || !listed) return metering
  const before =
    metering ??
    newProjectMetering({ at: unchangedSince(listed), cuTime: cuMillis(listed.cpuUsedSeconds * 1000) })
  return applyMeterReading(before, { at, cuTime: cuMillis(cpuUsedSeconds * 1000) }, { use, lag })
}
