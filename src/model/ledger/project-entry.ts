// Ledger entries of projects, and the totals of retired computes and archived projects.
import type { ProjectMetering } from './metering.ts'
import type { Bounds, Spend } from './quantities.ts'
import type { Project } from '../service/compute.ts'
import type { Instant, Micros, Millis } from '../units.ts'

/** What is kept of one project. */
export type ProjectEntry = {
  /** As last listed. */
  readonly project: Project
  /** When its computes were last listed whole, and what was known then; undefined before. */
  readonly listed: ProjectListing | undefined
  /** When the service first knew it no more, and never again since; undefined while it is there. */
  readonly deletedAt?: Instant | undefined
  /** What the computes that are gone came to; undefined while none is. */
  readonly retired?: RetiredTotals | undefined
  /** What the service counts of it; undefined before its computes are known. */
  readonly metering?: ProjectMetering | undefined
  /** It is gone for so long that its sums were moved to the account: it is kept in the store, and no longer known. */
  readonly isArchived?: true
}

/** A list of one project's computes, and the project's record at that time: what differs from it has moved since. */
export type ProjectListing = {
  readonly at: Instant
  /** The earliest that it can have been written. */
  readonly askedAt?: Instant | undefined
  readonly updatedAt: Instant
  readonly cpuUsedSeconds: number
  /** When a list of its computes first came with that count. */
  readonly countedSince?: Instant
  /** Of the computes that are there. */
  readonly endpointIds: readonly string[]
  /** Of them those whose record did not fit: that they are there is all that is known of them. */
  readonly unreadable?: readonly string[]
  /** A record did not even tell its id. */
  readonly partial?: boolean
  /** When it was first seen its operations could not be read: of computes that were gone by then nothing is known yet. */
  readonly needsBackfill?: true
}

/** What computes that are no longer known one by one came to. */
export type RetiredSums = {
  readonly awake: Bounds<Millis>
  readonly spend: Spend
  readonly observerOverhead: Millis
  readonly observerSpend: Micros
  readonly wakes: number
  readonly suspends: number
  readonly wakesCaused: number
}

/** Of computes of one project. */
export type RetiredTotals = RetiredSums & {
  /** The newest of them, in the order they left: id and when it went. Absent in what an earlier version wrote. */
  readonly ids?: readonly RetiredId[]
  /** By then all the others were gone. */
  readonly until: Instant
}

export type RetiredId = { readonly endpointId: string; readonly deletedAt: Instant }

/** Of projects that are no longer known one by one. */
export type ArchivedTotals = RetiredSums & { readonly projects: number }
