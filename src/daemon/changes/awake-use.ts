// How an awake compute is used, for changes of a policy that may restart it: by readings of the passes, and one light reading more.
import type { AwakeRungs } from '../../model/policy/change-policy.ts'
import { QUIET_SPACING, type AwakeUse } from '../../apply/awake-rungs.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { COARSE_STEP, type Rollup } from '../../model/ledger/rollup.ts'
import { ifRead, type Reading } from '../../model/observation.ts'
import type { Change } from '../../model/policy/change.ts'
import type { History } from '../../model/ports/history.ts'
import type { Ports } from '../../model/ports/ports.ts'
import {
  isComputeRef,
  type AutosuspendDelay,
  type Compute,
  type TargetRef,
} from '../../model/service/compute.ts'
import { after, DAY, HOUR, instant, MINUTE, seconds, type Instant } from '../../model/units.ts'
import { createDeadline } from '../../std/deadline.ts'

type UseOptions = Readonly<{
  history: Pick<History, 'rollups'>
  entryOf: (ref: TargetRef) => ComputeEntry | undefined
  /** A light reading; undefined where it failed. */
  readLightly: (compute: Compute, signal: AbortSignal) => Promise<Reading | undefined>
  now: () => Instant
}>

/** Days of hours that a low load is taken from, and the share of them with a lower one. Source: changing.md, §2. */
const PROFILE_DAYS = 28
const LOW_SHARE = 0.3
/** Hours without which nobody knows what a low load is: two days. */
const MIN_HOURS = 48
/** A reading of the passes that is older says nothing about now, ms. */
const FRESH = 10 * MINUTE

/** Newest readings of ours, by the id of the change. */
type Quiet = Readonly<{ readAt: Instant; quietSince: Instant | undefined }>

export function createAwakeUse({ history, entryOf, readLightly, now }: UseOptions) {
  const quietOf = new Map<string, Quiet>()
  /** By the id of the change: sorting a month of hours at each look would be waste. */
  const lowOf = new Map<string, Readonly<{ at: Instant; low: number | undefined }>>()

  async function lowLoadOf({ id, ref }: Change): Promise<number | undefined> {
    if (!isComputeRef(ref)) return undefined
    const known = lowOf.get(id)
    if (known && now() - known.at < HOUR) return known.low
    const to = now()
    const span = { from: instant(to - PROFILE_DAYS * DAY), to, computes: [ref], length: COARSE_STEP }
    const low = lowLoad(await Array.fromAsync(history.rollups(ref.account, span)))
    lowOf.set(id, { at: to, low })
    return low
  }

  /** Makes at most one reading each half minute, and only where the passes saw nobody: it costs awake time. */
  async function isQuiet(
    { id }: Change,
    { reading: { last } }: ComputeEntry,
    read: () => Promise<Reading | undefined>,
  ): Promise<boolean> {
    const before = quietOf.get(id)
    const since = quietSince(last, before, now())
    const readAt = before?.readAt ?? 0
    if (since === undefined || now() - Math.max(since, readAt) < QUIET_SPACING * 1000) return false
    const own = await read()
    const isStillQuiet = own !== undefined && isQuietReading(own)
    quietOf.set(id, { readAt: now(), quietSince: isStillQuiet ? since : undefined })
    return isStillQuiet
  }

  return {
    of: async (
      change: Change,
      { compute, rungs }: Readonly<{ compute: Compute; rungs: AwakeRungs }>,
      signal: AbortSignal,
    ): Promise<AwakeUse | undefined> => {
      const entry = entryOf(change.ref)
      if (!entry) return undefined
      const low = rungs.lowestLoad ? await lowLoadOf(change) : undefined
      const seen = useSeen(entry, now())
      return {
        isQuiet: rungs.quiet && (await isQuiet(change, entry, () => readLightly(compute, signal))),
        load: low === undefined || seen.load === undefined ? undefined : { now: seen.load, low },
        longestTransaction: seen.longestTransaction,
      }
    },
    forget: (id: string): void => {
      quietOf.delete(id)
      lowOf.delete(id)
    },
  }
}

/** At the last reading of the passes; undefined where that is too old. */
function useSeen({ reading: { last, usage } }: ComputeEntry, now: Instant) {
  if (!last || last.at <= now - FRESH) return { load: undefined, longestTransaction: undefined }
  return {
    load: usage.last?.averageActive,
    longestTransaction: ifRead(last.causes)?.longestTransaction,
  }
}

/** First of the readings that all saw nobody; the passes' one must be newer than one of ours that saw somebody. */
function quietSince(
  last: ComputeEntry['reading']['last'],
  own: Quiet | undefined,
  now: Instant,
): Instant | undefined {
  const isRecent = own !== undefined && now - own.readAt < FRESH
  if (isRecent && own.quietSince !== undefined) return own.quietSince
  const newest = isRecent ? own.readAt : now - FRESH
  return last && last.at > newest && isQuietReading(last) ? last.at : undefined
}

/** No client, no open or prepared transaction, no replication, subscription or autovacuum. */
export function isQuietReading({ connections, causes }: Pick<Reading, 'connections' | 'causes'>): boolean {
  const [counts, indicators] = [ifRead(connections), ifRead(causes)]
  if (!counts || !indicators) return false
  const { active, idle, idleInTransaction, other } = counts
  const { working, replication, subscriptions, autovacuum, prepared } = indicators
  const inTransaction = indicators.idleInTransaction
  return (
    active + idle + idleInTransaction + other === 0 &&
    working + inTransaction + replication + subscriptions + autovacuum + prepared === 0
  )
}

/** Load that a third of the awake hours stay under; undefined where too few are known. */
function lowLoad(hours: readonly Rollup[]): number | undefined {
  const loads = hours.flatMap(({ use }) => (use && use.over > 0 ? [use.activeTime / use.over] : []))
  return loads.length < MIN_HOURS
    ? undefined
    : loads.toSorted((a, b) => a - b)[Math.floor(LOW_SHARE * loads.length)]
}

/** Seconds; a reading that takes longer is left out: the look before it would be too old to send. */
const READ_WITHIN = seconds(1)
/** Largest lead of the service's time over what is known of it, 3 s: two clocks, and records in whole seconds. */
const CLOCK_TOLERANCE = seconds(3)

type LightReadingOptions = Pick<Ports, 'readings' | 'clock'> &
  Readonly<{
    isRead: () => boolean
    /** Delay of the computes of a project that have none of their own. */
    defaultDelayOf: (compute: Compute) => AutosuspendDelay
    /** The service's time. */
    now: () => Instant
  }>

/**
 * A light reading, undefined where there is none: not of a compute that may be suspended meanwhile, because the session would wake it again.
 * A restart follows soon, so that the reading keeps no compute awake for long.
 */
export function createLightReading({ readings, clock, isRead, defaultDelayOf, now }: LightReadingOptions) {
  return async (compute: Compute, signal: AbortSignal): Promise<Reading | undefined> => {
    const delay = compute.autosuspendDelay ?? defaultDelayOf(compute)
    if (!isRead() || mayBeSuspended(compute, delay, now())) return undefined
    if (readings.refusalOf(compute) !== undefined) return undefined
    using within = createDeadline((ended) => clock.sleep(READ_WITHIN, ended), signal)
    if (await readings.prepare(compute, within.signal)) return undefined
    const read = await readings.read(compute, 'light', within.signal)
    return read.kind === 'read' ? read.reading : undefined
  }
}

/**
 * Whether a suspension may begin before a reading ends: the delay counts from the last activity. A start alone is none: a compute that sleeps
 * is started for a change of its configuration, and suspended at once.
 */
function mayBeSuspended(
  { state, pendingState, disabled, lastActive }: Compute,
  delay: AutosuspendDelay,
  now: Instant,
): boolean {
  if (state !== 'active' || pendingState !== undefined || disabled) return true
  if (delay === 'never') return false
  return (
    lastActive === undefined || after(lastActive, delay) <= after(now, seconds(READ_WITHIN + CLOCK_TOLERANCE))
  )
}
