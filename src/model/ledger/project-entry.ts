// Ledger entries of projects, and the totals of retired computes and archived projects.
import type { ProjectMetering } from './metering.ts'
import type { Bounds, Spend } from './quantities.ts'
import type { Project } from '../service/compute.ts'
import type { Instant, Micros, Millis } from '../units.ts'

/** Ledger entry of one project. */
export type ProjectEntry = Readonly<{
  /** Record as last listed. */
  project: Project
  /** Last complete list of the computes; undefined before the first. */
  listed: ProjectListing | undefined
  /** First answer without the project; undefined while the project exists. */
  deletedAt?: Instant | undefined
  /** Totals of retired computes; undefined while there are none. */
  retired?: RetiredTotals | undefined
  /** The service's own metering; undefined before the computes are listed. */
  metering?: ProjectMetering | undefined
  /** Set in the store alone, after the totals were moved to the account: the row stays because history refers to it. */
  isArchived?: true
}>

/** Result of listing one project's computes, with the project's record at that time. */
export type ProjectListing = Readonly<{
  at: Instant
  /** Earliest instant at which the service can have written the list. */
  askedAt?: Instant | undefined
  updatedAt: Instant
  cpuUsedSeconds: number
  /** First list of computes with this value of `cpuUsedSeconds`. */
  countedSince?: Instant
  /** Ids of the existing computes. */
  endpointIds: readonly string[]
  /** Subset of `endpointIds` with an unreadable record. */
  unreadable?: readonly string[]
  /** A record had no readable id, so `endpointIds` is incomplete. */
  partial?: boolean
  /** The operations could not be read at the first sight of the project, so computes deleted before it are still missing. */
  needsBackfill?: true
}>

/** Sums over computes that have no entry any more. */
export type RetiredSums = Readonly<{
  awake: Bounds<Millis>
  spend: Spend
  observerOverhead: Millis
  observerSpend: Micros
  wakes: number
  suspends: number
  wakesCaused: number
}>

/** Totals of the retired computes of one project. */
export type RetiredTotals = RetiredSums & {
  /** Most recently retired, in the order of retirement. */
  readonly ids?: readonly RetiredId[]
  /** Instant by which all retired computes without an id here were deleted. */
  readonly until: Instant
}

export type RetiredId = { readonly endpointId: string; readonly deletedAt: Instant }

/** Totals of archived projects. */
export type ArchivedTotals = RetiredSums & { readonly projects: number }
