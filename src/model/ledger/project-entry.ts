import type { ProjectMetering } from './metering.ts'
import type { Project } from '../service/compute.ts'
import type { Instant } from '../units.ts'

/** Ledger entry of one project. */
export type ProjectEntry = Readonly<{
  /** Record as last listed. */
  project: Project
  /** Last complete list of the computes; undefined before the first. */
  listed: ProjectListing | undefined
  /** First answer without the project; undefined while the project exists. */
  deletedAt?: Instant | undefined
  /** The service's own metering; undefined before the computes are listed. */
  metering?: ProjectMetering | undefined
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

/** Whether its computes were listed and the operations before that were read; nothing is missing of a deleted project. */
export const isLookedAt = ({ listed, deletedAt }: ProjectEntry): boolean =>
  deletedAt !== undefined || (listed !== undefined && !listed.needsBackfill)
