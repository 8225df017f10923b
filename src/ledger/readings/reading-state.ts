// What is kept of the readings of one compute.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { Evidence } from '../../model/ledger/evidence.ts'
import type { ComputeEntry, Totals } from '../../model/ledger/ledger.ts'
import type { ReadingState } from '../../model/ledger/reading-state.ts'
import type { Look, NotRead, Reading, ReadingAttempt } from '../../model/observation.ts'
import { gapBucket } from '../../model/ledger/gap-bucket.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { latest, seconds } from '../../model/units.ts'
import { lastClientActivity } from '../evidence/activity.ts'
import { hasCacheReads, addCacheReading } from './file-cache.ts'
import { serverClockOffset } from '../evidence/clock-offset.ts'
import { updateObserverAllowance } from './observer-allowance.ts'
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
  gapCounts: [],
  clockOffset: undefined,
  problem: undefined,
}

type Seen = { readonly looks: readonly Look[]; readonly readings: readonly ReadingAttempt[] }

type After = {
  readonly overhead: number
  readonly delay: AutosuspendDelay
  readonly totals: Totals
  readonly evidence: Evidence
  /** Whether the compute is awake now. */
  readonly awake: boolean
  readonly preset: Preset
}

/** A reading costs what it turns out to have added; until that is known, what it was expected to. */
export function applyReadings(before: ComputeEntry, { looks, readings }: Seen, after: After): ReadingState {
  const known = before.reading
  const newest = lastClientActivity(after.evidence) ?? 0
  const since = (known.lastAttemptAt ?? 0) + (known.clockOffset ?? 0)
  const spending = {
    awake: seconds((after.totals.awake.likely - before.totals.awake.likely) / 1000),
    overhead: after.overhead,
    delay: after.delay,
    expected: seconds(readings.reduce((sum, { expectedCost }) => sum + expectedCost, 0)),
    added: seconds(
      Math.max(
        0,
        after.totals.observerOverhead - before.totals.observerOverhead,
        mostHidden(before, newest, after.delay),
      ) / 1000,
    ),
    settled: !after.awake || newest > since,
  }
  const unknown = readings.filter((one) => measuredSizeOf(one, after.preset) === 'unknown').length
  return readings.reduce(withAttempt, {
    ...known,
    ...(unknown > 0 && { sizeUnknown: (known.sizeUnknown ?? 0) + unknown }),
    ...measureActivityLag(known, looks, readings),
    ...updateObserverAllowance(known, spending),
    gapCounts: withGap(before, newest),
  })
}

/** `last_active` is written in whole seconds, and a wake that was spared would have taken a few. Source: service interface, "States and transitions". */
const SECOND = 1000
const START = 3 * SECOND

/**
 * The most that a session of ours can have hidden when others came back at `newest`, ms: the budget pays for what may be,
 * while what is exported is what is likely. No more than it moved the timer.
 */
function mostHidden({ reading, evidence }: ComputeEntry, newest: number, delay: AutosuspendDelay): number {
  const before = lastClientActivity(evidence)
  const ours = noticedAt(reading)
  if (before === undefined || ours === undefined || delay === 'never') return 0
  if (ours <= before || newest <= ours) return 0
  const hidden = newest + SECOND - (before + delay * 1000)
  return hidden <= 0 ? 0 : Math.min(ours - before, hidden) + START
}

/** When our last session may have been noticed, by the service's clock; whether a light one was shows in the records. */
function noticedAt({ last, lastAttemptAt, lastSucceeded, clockOffset }: ReadingState): number | undefined {
  if (lastAttemptAt === undefined || (lastSucceeded && last?.kind === 'light')) return undefined
  return lastAttemptAt + (clockOffset ?? 0)
}

/** The longest gap that is told from others, log2 of seconds: twelve days. */
const LONGEST = 20

/** The gap that ended when others came back at `newest`; one that the compute slept through is no such gap. */
function withGap({ reading, evidence, current }: ComputeEntry, newest: number): readonly number[] {
  const before = lastClientActivity(evidence)
  if (before === undefined || newest <= before || !current || before < current.from.earliest)
    return reading.gapCounts
  const bucket = gapBucket((newest - before) / 1000, LONGEST)
  const length = Math.max(bucket + 1, reading.gapCounts.length)
  return Array.from({ length }, (_, index) => (reading.gapCounts[index] ?? 0) + (index === bucket ? 1 : 0))
}

function withAttempt(account: ReadingState, attempt: ReadingAttempt): ReadingState {
  const { disconnectedAt, result } = attempt
  const tried = {
    ...account,
    attempts: account.attempts + 1,
    failures: account.failures + 1,
    lastAttemptAt: latest(disconnectedAt, account.lastAttemptAt ?? disconnectedAt),
    atLimit: result.kind === 'at-limit',
    lastSucceeded: result.kind !== 'failed',
    problem: problemOf(attempt),
  }
  if (result.kind !== 'read') return tried
  const { reading } = result
  return {
    ...tried,
    failures: 0,
    clockOffset: serverClockOffset(attempt, reading),
    last: { ...reading, at: disconnectedAt },
    cacheReadAt: hasCacheReads(reading) ? disconnectedAt : account.cacheReadAt,
    cache: addCacheReading(account.cache, reading),
    usage: addUsage(account.usage, usageBetween(account, reading)),
  }
}

/** What went wrong in it, or was missing from it, for people. */
function problemOf({ result }: ReadingAttempt): string | undefined {
  switch (result.kind) {
    case 'failed':
      return result.message
    case 'at-limit':
      return undefined
    case 'read':
      return missingFrom(result.reading)
  }
}

const missingFrom = ({ kind, connections, usage, cache, workingSet }: Reading): string | undefined =>
  [connections, usage, ...(kind === 'full' ? [cache, workingSet] : [])].map(whyMissing).find(isText)

const isText = (text: string | undefined): text is string => text !== undefined

const whyMissing = (part: object | NotRead): string | undefined =>
  'missing' in part ? part.missing : undefined
