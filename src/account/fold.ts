// Folds what was seen of one compute into its account.
import type { AutosuspendDelay, Compute, ComputeRef } from '../model/compute.ts'
import type {
  ComputeAccount,
  Counters,
  Evidence,
  ReadingAccount,
  SettledInterval,
  Totals,
} from '../model/ledger.ts'
import type { Look, ReadingAttempt } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import { cuMillis, instant, latest, millis, seconds, type CuMillis, type Instant } from '../model/units.ts'
import type { AccountContext } from './account.ts'
import { lastForeignActivity } from './activity.ts'
import { withCacheReading } from './cache.ts'
import { creditAfter } from './credit.ts'
import { NO_EVIDENCE, withFootprint, withGone, withLook, withOperation } from './evidence.ts'
import { intervalsOf } from './intervals.ts'
import { settle } from './settle.ts'
import { NO_COUNTERS, NO_TOTALS, plus, totalsOf } from './totals.ts'

/** What one sweep tells of one compute; all empty when only time went by. */
export type Facts = {
  readonly ref: ComputeRef
  readonly looks: readonly Look[]
  readonly operations: readonly Operation[]
  readonly readings: readonly ReadingAttempt[]
  readonly goneAt: Instant | undefined
}

type FoldContext = AccountContext & { readonly delayOf: (compute: Compute) => AutosuspendDelay }

const NO_READINGS: ReadingAccount = {
  attempts: 0,
  last: undefined,
  lastAttemptAt: undefined,
  lastSucceeded: false,
  atLimit: false,
  cache: undefined,
  credit: seconds(0),
  activeLooks: 0,
}

type Folded = { readonly account: ComputeAccount; readonly closed: readonly SettledInterval[] }

/** @returns undefined for a compute that was never looked at: operations alone do not make an account */
export function fold(
  before: ComputeAccount | undefined,
  facts: Facts,
  context: FoldContext,
): Folded | undefined {
  const look = facts.looks.at(-1)
  if (look) return folded(before ?? newAccount(facts.ref, look), facts, context)
  return before && folded(before, facts, context)
}

const newAccount = (ref: ComputeRef, look: Look): ComputeAccount => ({
  ref,
  compute: look.compute,
  seenAt: look.answeredAt,
  goneAt: undefined,
  settledUntil: instant(0),
  settled: NO_TOTALS,
  evidence: NO_EVIDENCE,
  totals: NO_TOTALS,
  counters: NO_COUNTERS,
  open: undefined,
  reading: NO_READINGS,
})

function folded(before: ComputeAccount, facts: Facts, context: FoldContext): Folded {
  const look = facts.looks.at(-1)
  const compute = look?.compute ?? before.compute
  const delay = context.delayOf(compute)
  const evidence = evidenceWith(before.evidence, facts)
  const intervals = intervalsOf(evidence, before.settledUntil)
  const totalsContext = { evidence, delay, prices: context.prices, now: context.now }
  const { closed, ...kept } = settle({ ...before, intervals, evidence }, totalsContext)
  const left = intervals.slice(closed.length)
  const totals = left
    .map((interval) => totalsOf(interval, { ...totalsContext, evidence: kept.evidence }))
    .reduce(plus, kept.settled)
  const open = left.at(-1)
  return {
    closed,
    account: {
      ...before,
      ...kept,
      compute,
      seenAt: look?.answeredAt ?? before.seenAt,
      goneAt: look ? undefined : (facts.goneAt ?? before.goneAt),
      totals,
      counters: risen(before.counters, totals),
      open: open?.to ? undefined : open,
      reading: readingsAfter(before, facts, { context, delay, totals, evidence }),
    },
  }
}

function evidenceWith(evidence: Evidence, facts: Facts): Evidence {
  const looked = facts.looks.reduce(withLook, evidence)
  const operated = facts.operations.reduce(withOperation, looked)
  const read = facts.readings.reduce(withFootprint, operated)
  return facts.goneAt === undefined ? read : withGone(read, facts.goneAt)
}

/** The published counters never fall, also when a late fact makes a total smaller. */
function risen(before: Counters, totals: Totals): Counters {
  const cuTime: Record<string, CuMillis> = { ...before.cuTime }
  for (const [price, { likely }] of Object.entries(totals.cuTime)) {
    cuTime[price] = cuMillis(Math.max(cuTime[price] ?? 0, likely))
  }
  return {
    awake: millis(Math.max(before.awake, totals.awake.likely)),
    cuTime,
    idleTail: millis(Math.max(before.idleTail, totals.idleTail)),
    extension: millis(Math.max(before.extension, totals.extension)),
    wakes: Math.max(before.wakes, totals.wakes),
    suspends: Math.max(before.suspends, totals.suspends),
    restarts: Math.max(before.restarts, totals.restarts),
    wakesCaused: Math.max(before.wakesCaused, totals.wakesCaused),
  }
}

function readingsAfter(
  before: ComputeAccount,
  { readings }: Facts,
  after: {
    readonly context: FoldContext
    readonly delay: AutosuspendDelay
    readonly totals: Totals
    readonly evidence: Evidence
  },
): ReadingAccount {
  const known = before.reading
  const newActivity = (lastForeignActivity(after.evidence) ?? 0) > (lastForeignActivity(before.evidence) ?? 0)
  const activeLooks = known.activeLooks + (newActivity ? 1 : 0)
  const spent = readings.reduce((sum, { cost }) => sum + cost, 0)
  const awake = millis(after.totals.awake.likely - before.totals.awake.likely)
  return readings.reduce(withAttempt, {
    ...known,
    activeLooks,
    credit: creditAfter(
      known,
      { awake, overhead: after.context.overhead, delay: after.delay },
      seconds(spent),
    ),
  })
}

function withAttempt(account: ReadingAccount, { disconnectedAt, result }: ReadingAttempt): ReadingAccount {
  const tried = {
    ...account,
    attempts: account.attempts + 1,
    lastAttemptAt: latest(disconnectedAt, account.lastAttemptAt ?? disconnectedAt),
    atLimit: result.kind === 'at-limit',
    lastSucceeded: result.kind !== 'failed',
  }
  if (result.kind !== 'read') return tried
  const { reading } = result
  return {
    ...tried,
    last: { ...reading, at: disconnectedAt },
    cache: withCacheReading(account.cache, reading),
  }
}
