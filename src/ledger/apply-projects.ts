import type { Project } from '../model/service/compute.ts'
import type { ProjectMetering } from '../model/ledger/metering.ts'
import type { Ledger, ProjectEntry, ProjectListing } from '../model/ledger/ledger.ts'
import type { ListedComputes, Sweep } from '../model/observation.ts'
import type { Prices } from '../model/ledger/price.ts'
import { forEachYielding, type Cooperative } from '../std/cooperative.ts'
import { cuMillis, type Instant, type Seconds } from '../model/units.ts'
import { applyMeterReading, newProjectMetering } from './metering/follow.ts'
import { measureMeteringLag } from './metering/metering-lag.ts'
import { projectUsage } from './metering/ledger-use.ts'

/** Projects of one step: of those that are awake the count is followed. Doubled, the event loop is held up for some 10 ms. */
const PROJECTS = 500

/** Project id → its account, of the projects that changed in `sweep`. Projects that left the list are kept: their computes' accounts name them. */
export function* applyProjects(
  ledger: Ledger,
  sweep: Sweep,
  prices: Prices,
): Cooperative<Map<string, ProjectEntry>> {
  const after = new Map<string, ProjectEntry>()
  const lag = yield* measureMeteringLag(ledger.projects.values())
  yield* forEachYielding(sweep.projects, PROJECTS, (project) => {
    const known = ledger.projects.get(project.projectId)
    const count = known && counted(known, project, { ledger, prices, lag, at: sweep.startedAt })
    after.set(project.projectId, { listed: undefined, ...known, ...(count && { metering: count }), project })
  })
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
