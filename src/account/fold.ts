// Folds what was seen of one compute into its account.
import type { AutosuspendDelay, Compute, ComputeRef } from '../model/compute.ts'
import type { AwakeInterval, ComputeAccount, Evidence, SettledInterval } from '../model/ledger.ts'
import type { Look, ReadingAttempt } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import { awaitsOperations, needsOperations } from '../model/transition.ts'
import { after, earliest, instant, type Instant, type Seconds } from '../model/units.ts'
import type { AccountContext } from './account.ts'
import { risen } from './counters.ts'
import { priceAt } from './cu-time.ts'
import { NO_EVIDENCE, withGone, withLook, withOperation } from './evidence.ts'
import { withFootprint } from './footprint.ts'
import { withHeld } from './held.ts'
import { intervalsOf } from './intervals.ts'
import { NO_READINGS, readingsAfter } from './reading-account.ts'
import { patience, settle } from './settle.ts'
import { NO_COUNTERS, NO_TOTALS, plus, totalsOf } from './totals.ts'

/** What one sweep tells of one compute; all empty when only time went by. */
export type Facts = {
  readonly ref: ComputeRef
  readonly looks: readonly Look[]
  readonly operations: readonly Operation[]
  /** Whether the operations were read without a failure. */
  readonly operationsRead: boolean
  readonly readings: readonly ReadingAttempt[]
  readonly goneAt: Instant | undefined
}

type FoldContext = AccountContext & { readonly delayOf: (compute: Compute) => AutosuspendDelay }

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
  settlesAt: undefined,
  foldedAt: look.answeredAt,
  transitionAt: undefined,
  operationsReadAt: undefined,
  reading: NO_READINGS,
})

function folded(before: ComputeAccount, facts: Facts, context: FoldContext): Folded {
  const delay = context.delayOf(facts.looks.at(-1)?.compute ?? before.compute)
  const seen = seenAfter(before, facts, { now: context.now, delay })
  const evidence = evidenceWith(before, facts, delay)
  const intervals = intervalsOf(evidence, before.settledUntil)
  const totalsContext = { evidence, delay, prices: context.prices, now: context.now }
  const awaiting = awaitsOperations(seen)
  const { closed, ...kept } = settle({ ...before, intervals, evidence, awaiting }, totalsContext)
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
      ...seen,
      totals,
      counters: risen(before.counters, totals, priceAt(context.prices, context.now)),
      open: open?.to ? undefined : open,
      settlesAt: settlesAt(left, patience(awaiting)),
      foldedAt: context.now,
      reading: readingsAfter(before, facts, {
        overhead: context.overhead,
        delay,
        totals,
        evidence,
        awake: open !== undefined && !open.to,
      }),
    },
  }
}

function settlesAt(left: readonly AwakeInterval[], wait: Seconds): Instant | undefined {
  const ends = left.flatMap(({ to }) => (to ? [after(to.latest, wait)] : []))
  return ends.length === 0 ? undefined : instant(earliest(...ends) + 1)
}

type Seen = Pick<ComputeAccount, 'compute' | 'seenAt' | 'goneAt' | 'transitionAt' | 'operationsReadAt'>

function seenAfter(
  before: ComputeAccount,
  { looks, goneAt, operationsRead }: Facts,
  { now, delay }: { readonly now: Instant; readonly delay: AutosuspendDelay },
): Seen {
  const look = looks.at(-1)
  const transition = looks.findLast((one) => needsOperations(before, one, delay))
  return {
    compute: look?.compute ?? before.compute,
    seenAt: look?.answeredAt ?? before.seenAt,
    goneAt: look ? undefined : (goneAt ?? before.goneAt),
    transitionAt: transition?.answeredAt ?? before.transitionAt,
    operationsReadAt: operationsRead ? now : before.operationsReadAt,
  }
}

function evidenceWith(before: ComputeAccount, facts: Facts, delay: AutosuspendDelay): Evidence {
  const { evidence, reading } = before
  const held = withHeld(before, facts.looks, delay)
  const looked = facts.looks.reduce(withLook, { ...evidence, held })
  const operated = facts.operations.reduce(withOperation, looked)
  const read = facts.readings.reduce((all, attempt) => withFootprint(all, attempt, reading), operated)
  return facts.goneAt === undefined ? read : withGone(read, facts.goneAt)
}
