import type { Project } from '../model/service/compute.ts'
import type { ProjectCount } from '../model/ledger/metering.ts'
import type { Ledger, ProjectAccount, ProjectListing } from '../model/ledger/ledger.ts'
import type { ListedComputes, Sweep } from '../model/observation.ts'
import type { Prices } from '../model/ledger/price.ts'
import { eachInTurns, type Steps } from '../std/cooperative.ts'
import { cuMillis, type Instant, type Seconds } from '../model/units.ts'
import { countAfter, newCount } from './metering/follow.ts'
import { measuredCountLag } from './metering/metering-lag.ts'
import { useOf } from './metering/ledger-use.ts'

/** Projects of one step: of those that are awake the count is followed. Doubled, the event loop is held up for some 10 ms. */
const PROJECTS = 500

/** Project id → its account, of the projects that changed in `sweep`. Projects that left the list are kept: their computes' accounts name them. */
export function* projectsAfter(
  ledger: Ledger,
  sweep: Sweep,
  prices: Prices,
): Steps<Map<string, ProjectAccount>> {
  const after = new Map<string, ProjectAccount>()
  const lag = yield* measuredCountLag(ledger.projects.values())
  yield* eachInTurns(sweep.projects, PROJECTS, (project) => {
    const known = ledger.projects.get(project.projectId)
    const count = known && counted(known, project, { ledger, prices, lag, at: sweep.startedAt })
    after.set(project.projectId, { listed: undefined, ...known, ...(count && { count }), project })
  })
  for (const listed of sweep.listed) {
    const { projectId } = listed
    const known = after.get(projectId) ?? ledger.projects.get(projectId)
    if (known) after.set(projectId, withListing(known, listed, sweep))
  }
  for (const projectId of sweep.operationsOf) {
    const known = after.get(projectId) ?? ledger.projects.get(projectId)
    if (!known?.listed?.historyWaits) continue
    const { historyWaits: _, ...listed } = known.listed
    after.set(projectId, { ...known, listed })
  }
  return after
}

function withListing(known: ProjectAccount, listed: ListedComputes, { waiting }: Sweep): ProjectAccount {
  const { projectId, answeredAt, gone } = listed
  const goneAt = gone && (known.goneAt ?? answeredAt)
  const listing = listingOf(known, listed)
  const waits = isHistoryWanted(known) && waiting.operations.has(projectId)
  return { ...known, listed: waits ? { ...listing, historyWaits: true } : listing, goneAt }
}

const isHistoryWanted = ({ listed }: ProjectAccount): boolean =>
  listed === undefined || listed.historyWaits === true

/** Who was there stays where a record tells no id, because it may be theirs. */
function listingOf({ project, listed: before }: ProjectAccount, listed: ListedComputes): ProjectListing {
  const { askedAt, answeredAt: at, endpointIds: told, unread = [], partial = false } = listed
  const { updatedAt, cpuUsedSeconds } = project
  const countedSince = before?.cpuUsedSeconds === cpuUsedSeconds ? countedSinceOf(before) : at
  const present = new Set(told)
  const maybe = partial ? (before?.endpointIds ?? []).filter((id) => !present.has(id)) : []
  const doubtful = [...unread, ...maybe]
  return {
    at,
    askedAt,
    updatedAt,
    cpuUsedSeconds,
    countedSince,
    endpointIds: [...told, ...maybe],
    ...(doubtful.length > 0 && { unread: doubtful }),
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
  known: ProjectAccount,
  { cpuUsedSeconds }: Project,
  { ledger, prices, lag, at }: Listed,
): ProjectCount | undefined {
  const { count, listed, project } = known
  const isUnmoved = count === undefined && cpuUsedSeconds === project.cpuUsedSeconds
  const use = isUnmoved ? undefined : useOf(known, ledger, { prices, now: at })
  if (!use || !listed) return count
  const before =
    count ?? newCount({ at: countedSinceOf(listed), cuTime: cuMillis(listed.cpuUsedSeconds * 1000) })
  return countAfter(before, { at, cuTime: cuMillis(cpuUsedSeconds * 1000) }, { use, lag })
}
