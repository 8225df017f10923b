// Reading state of one compute: counters, observer allowance, activity lag; and the gaps between client activities.
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import type { Evidence } from '../../model/ledger/evidence.ts'
import type { ComputeEntry, Totals, ReadingCounts, ReadingOutcome } from '../../model/ledger/ledger.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { Reading, ReadingAttempt, ReadingRefusal, Sweep } from '../../model/observation.ts'
import { gapBucket } from '../../model/ledger/statistics.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { SECOND, latest, seconds, type Seconds } from '../../model/units.ts'
import { lastClientActivity } from '../evidence/activity.ts'
import { hasCacheReads, addCacheReading } from './file-cache.ts'
import { serverClockOffset } from '../evidence/own-sessions.ts'
import { measuredSizeOf } from '../evidence/evidence.ts'
import { measureActivityLag } from './activity-lag.ts'
import { usageBetween, NO_ACCUMULATED_USAGE, addUsage } from '../evidence/usage-delta.ts'

export const NO_READING_STATE: ReadingState = {
  attempts: 0,
  last: undefined,
  lastAttemptAt: undefined,
  lastSucceeded: false,
  atLimit: false,
  failures: 0,
  cacheReadAt: undefined,
  cache: undefined,
  usage: NO_ACCUMULATED_USAGE,
  allowance: seconds(0),
  reserved: seconds(0),
  lags: [],
  pendingActivity: undefined,
  clockOffset: undefined,
  problem: undefined,
}

type StateAfter = Readonly<{
  overhead: number
  delay: AutosuspendDelay
  totals: Totals
  evidence: Evidence
  /** Whether the compute is awake now. */
  awake: boolean
  preset: Preset
}>

/** A reading is charged its expected cost until its real cost is known. */
export function applyReadings(
  before: ComputeEntry,
  { looks, readings }: Pick<Sweep, 'looks' | 'readings'>,
  after: StateAfter,
): ReadingState {
  const state = before.reading
  const newest = lastClientActivity(after.evidence) ?? 0
  const since = (state.lastAttemptAt ?? 0) + (state.clockOffset ?? 0)
  const { overhead, delay, totals, preset } = after
  const added = totals.observerOverhead - before.totals.observerOverhead
  const spending = {
    awake: seconds((totals.awake.likely - before.totals.awake.likely) / 1000),
    overhead,
    delay,
    expected: seconds(readings.reduce((sum, { expectedCost }) => sum + expectedCost, 0)),
    added: seconds(Math.max(0, added, maxHiddenTime(before, newest, delay)) / 1000),
    settled: !after.awake || newest > since,
  }
  const unknownSizes = readings.filter((attempt) => measuredSizeOf(attempt, preset) === 'unknown').length
  return readings.reduce(addAttempt, {
    ...state,
    ...(unknownSizes > 0 && { sizeUnknown: (state.sizeUnknown ?? 0) + unknownSizes }),
    ...measureActivityLag(state, looks, readings),
    ...updateObserverAllowance(state, spending),
  })
}

/** Time of a wake that our session may have spared, ms. Source: service interface, "States and transitions". */
const WAKE_TIME = 3 * SECOND

/** Sleep that our last session may have prevented before `newest`, ms: the allowance pays for what is possible, not likely. */
function maxHiddenTime({ reading, evidence }: ComputeEntry, newest: number, delay: AutosuspendDelay): number {
  const before = lastClientActivity(evidence)
  const ownSessionAt = lastSessionAt(reading)
  if (before === undefined || ownSessionAt === undefined) return 0
  if (ownSessionAt <= before || newest <= ownSessionAt) return 0
  const hidden = newest + SECOND - before - delayMillis(delay)
  return hidden <= 0 ? 0 : Math.min(ownSessionAt - before, hidden) + WAKE_TIME
}

/** When it may have counted as activity, by the service's clock; undefined after a light reading, whose effect the records show. */
const lastSessionAt = ({ last, lastAttemptAt, lastSucceeded, clockOffset }: ReadingState) =>
  lastAttemptAt === undefined || (lastSucceeded && last?.kind === 'light')
    ? undefined
    : lastAttemptAt + (clockOffset ?? 0)

/** Bucket of the longest gaps, log2 of seconds: twelve days. */
const MAX_GAP_BUCKET = 20

/** Bucket of the gap that newer client activity ended; undefined where the compute slept in between. */
export function endedGap({ evidence, current }: ComputeEntry, later: Evidence): number | undefined {
  const newest = lastClientActivity(later) ?? 0
  const before = lastClientActivity(evidence)
  if (before === undefined || newest <= before || !current || before < current.from.earliest) return undefined
  return gapBucket((newest - before) / 1000, MAX_GAP_BUCKET)
}

function addAttempt(before: ReadingState, attempt: ReadingAttempt): ReadingState {
  const { disconnectedAt, result } = attempt
  const attempted = {
    ...before,
    attempts: before.attempts + 1,
    failures: before.failures + 1,
    lastAttemptAt: latest(disconnectedAt, before.lastAttemptAt ?? disconnectedAt),
    atLimit: result.kind === 'at-limit',
    lastSucceeded: result.kind !== 'failed',
    problem: problemOf(attempt),
  }
  if (result.kind !== 'read') return attempted
  const { reading } = result
  return {
    ...attempted,
    failures: 0,
    clockOffset: serverClockOffset(attempt, reading),
    last: { ...reading, at: disconnectedAt },
    cacheReadAt: hasCacheReads(reading) ? disconnectedAt : before.cacheReadAt,
    cache: addCacheReading(before.cache, reading),
    usage: addUsage(before.usage, usageBetween(before, reading)),
  }
}

/** Why an attempt failed or what its reading lacks, for people. */
function problemOf({ result }: ReadingAttempt): string | undefined {
  switch (result.kind) {
    case 'failed':
      return result.message
    case 'at-limit':
      return undefined
    case 'read':
      return missingPartOf(result.reading)
  }
}

const missingPartOf = ({ kind, connections, usage, cache, workingSet }: Reading) =>
  [connections, usage, ...(kind === 'full' ? [cache, workingSet] : [])].find((part) => 'missing' in part)
    ?.missing

/** All in seconds. */
export type ObserverSpending = Readonly<{
  /** Time awake since the facts applied last. */
  awake: Seconds
  overhead: number
  delay: AutosuspendDelay
  /** Expected cost of the new readings. */
  expected: Seconds
  /** Awake time that readings proved to have added since the facts applied last. */
  added: Seconds
  /** Whether the real cost of all earlier readings is known. */
  settled: boolean
}>

/** Awake time earns allowance, up to one delay. A reading reserves its expected cost until its real cost is known and paid. */
export function updateObserverAllowance(
  { allowance, reserved }: Pick<ReadingState, 'allowance' | 'reserved'>,
  { awake, overhead, delay, expected, added, settled }: ObserverSpending,
): Pick<ReadingState, 'allowance' | 'reserved'> {
  const released = settled ? reserved : 0
  const earned = Math.min(delayMillis(delay) / 1000, allowance + Math.max(0, awake) * overhead + released)
  return { allowance: seconds(earned - added - expected), reserved: seconds(reserved - released + expected) }
}

/** Adds a sweep. Refusals of the quiet rule count, but not a missing connection string, readings off or pace. */
export function addReadingCounts(counts: ReadingCounts, { readings, refusals }: Sweep): ReadingCounts {
  const outcomes = [
    ...readings.map(outcomeOf),
    ...refusals.flatMap(({ refusal }) => OUTCOME_OF_REFUSAL[refusal.because] ?? []),
  ]
  const sum: Record<ReadingOutcome, number> = { ...counts }
  for (const outcome of outcomes) sum[outcome] += 1
  return sum
}

const OUTCOME_OF_REFUSAL: Readonly<Record<ReadingRefusal['because'], ReadingOutcome | undefined>> = {
  'mode-off': undefined,
  'no-dsn': undefined,
  'host-not-allowed': undefined,
  'not-active': 'skipped_idle',
  'delay-too-short': 'skipped_tail',
  tail: 'skipped_tail',
  quiet: 'skipped_quiet',
  credit: 'skipped_credit',
  pace: undefined,
  clock: 'skipped_quiet',
}

function outcomeOf({ result }: ReadingAttempt): ReadingOutcome {
  switch (result.kind) {
    case 'at-limit':
      return 'at_limit'
    case 'failed':
      return result.because
    case 'read':
      return isPartial(result.reading) ? 'partial' : 'ok'
  }
}

const isPartial = ({ kind, connections, cache }: Reading) =>
  'missing' in connections || (kind === 'full' && 'missing' in cache)
