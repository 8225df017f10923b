// Folds what was seen of one compute into its account.
import { createUtc } from '../calendar/zone.ts'
import { isMoving, type AutosuspendDelay, type Compute, type ComputeRef } from '../model/service/compute.ts'
import type { DayRow } from '../model/ledger/day.ts'
import type { AwakeInterval, Evidence } from '../model/ledger/evidence.ts'
import type { ComputeAccount, SettledInterval } from '../model/ledger/ledger.ts'
import type { Absence, Look, ReadingAttempt } from '../model/observation.ts'
import type { Operation } from '../model/service/operation.ts'
import { NO_ROLLUPS, type Rollup } from '../model/ledger/rollup.ts'
import type { Preset } from '../model/service/sizes.ts'
import type { AwakeSlice } from '../model/ledger/slice.ts'
import { awaitsOperations, LATENESS, needsOperations } from '../model/inference/transition.ts'
import { after, earliest, instant, seconds, type Instant, type Seconds } from '../model/units.ts'
import type { AccountContext } from './apply-sweep.ts'
import { risen } from './settle/monotonic-counters.ts'
import { daysAfter } from './settle/days.ts'
import { departsAt } from './retention/retired-computes.ts'
import {
  NO_EVIDENCE,
  withGone,
  withLook,
  withMeasured,
  withOperations,
  withOperationsRead,
} from './evidence/evidence.ts'
import { withFootprint } from './evidence/own-sessions.ts'
import { patience } from './settle/watermark.ts'
import { withHeld } from './attribution/attribution.ts'
import { historyOf } from './evidence/intervals.ts'
import { NO_READINGS, readingsAfter } from './readings/reading-state.ts'
import { rollupsAfter } from './rollup/apply.ts'
import { settle } from './settle/settle.ts'
import { NOT_COUNTED, type CountedSizes } from './settle/sizing.ts'
import { priceAt } from './settle/slices.ts'
import { NO_COUNTERS, NO_TOTALS } from './settle/totals.ts'

/** What one sweep tells of one compute; all empty when only time went by. */
export type Facts = {
  readonly ref: ComputeRef
  readonly looks: readonly Look[]
  readonly operations: readonly Operation[]
  /** Whether the operations were read without a failure. */
  readonly operationsRead: boolean
  /** Whether records among them did not fit that may be of this compute. */
  readonly operationsLost: boolean
  readonly readings: readonly ReadingAttempt[]
  /** Undefined while the compute is there. */
  readonly gone: Absence | undefined
}

export type FoldContext = AccountContext & {
  readonly delayOf: (compute: Compute) => AutosuspendDelay
  /** What the service's count tells of the sizes of the project's computes; default nothing. */
  readonly counted?: CountedSizes
}

export type Folded = {
  readonly account: ComputeAccount
  readonly closed: readonly SettledInterval[]
  /** What became final now; what is not is in the account. */
  readonly slices: readonly AwakeSlice[]
  /** Days that are another than they were told before. */
  readonly days: readonly DayRow[]
  /** Stretches that are over. */
  readonly rollups: readonly Rollup[]
}

/** What a fold goes on from; `isNew` when nothing was ever looked at before. */
export type Begin = { readonly before: ComputeAccount; readonly isNew: boolean }

/** What `facts` make of the account `before`. */
export function fold({ before, isNew }: Begin, facts: Facts, context: FoldContext): Folded {
  const { account, ...told } = folded(before, facts, context)
  const rolled = rollupsAfter(isNew ? undefined : before, facts, context.preset)
  return { ...told, account: { ...account, rollups: rolled.state }, rollups: rolled.closed }
}

/** @param isBack whether what was before is counted: it is counted from now on */
export const newAccount = (ref: ComputeRef, look: Look, isBack: boolean): ComputeAccount => ({
  ref,
  compute: look.compute,
  seenAt: look.answeredAt,
  goneAt: undefined,
  settledUntil: isBack ? look.askedAt : instant(0),
  settled: NO_TOTALS,
  carried: undefined,
  unsettled: [],
  days: [],
  evidence: NO_EVIDENCE,
  totals: NO_TOTALS,
  counters: NO_COUNTERS,
  open: undefined,
  settlesAt: undefined,
  foldedAt: look.answeredAt,
  transitionAt: undefined,
  operationsReadAt: undefined,
  reading: NO_READINGS,
  rollups: NO_ROLLUPS,
})

function folded(before: ComputeAccount, facts: Facts, context: FoldContext): Omit<Folded, 'rollups'> {
  const { ref, settledUntil, carried } = before
  const { prices, now, counted = NOT_COUNTED } = context
  const delay = context.delayOf(facts.looks.at(-1)?.compute ?? before.compute)
  const seen = seenAfter(before, facts, { now, delay })
  const evidence = evidenceWith(before, facts, { now, delay, preset: context.preset })
  const frontier = { settledUntil, carried }
  const awaiting = awaitsOperations(seen)
  const history = historyOf(evidence, frontier, seen.goneAt === undefined ? now : undefined)
  const settled = settle(
    { ref, history, evidence, frontier, settled: before.settled, awaiting, counted },
    { evidence, delay, prices, now },
  )
  const { totals, slices, unsettled, open } = settled
  const days = daysAfter(
    before.days,
    { settled, unsettled: { slices: unsettled, entries: settled.unsettledEntries } },
    { ref, dayOf: context.dayOf ?? createUtc().dayOf, settledUntil: settled.frontier.settledUntil, now },
  )
  return {
    closed: settled.closed,
    slices,
    days: days.told,
    account: {
      ...before,
      ...seen,
      ...settled.frontier,
      settled: settled.settled,
      evidence: settled.evidence,
      unsettled,
      days: days.open,
      totals,
      counters: risen(before.counters, totals, priceAt(prices, now)),
      open,
      settlesAt: settlesAt(settled.left, { wait: patience(awaiting), goneAt: seen.goneAt, now }),
      foldedAt: now,
      reading: readingsAfter(before, facts, {
        overhead: context.overhead,
        delay,
        totals,
        evidence,
        awake: open !== undefined,
        preset: context.preset,
      }),
    },
  }
}

function settlesAt(
  left: readonly AwakeInterval[],
  {
    wait,
    goneAt,
    now,
  }: { readonly wait: Seconds; readonly goneAt: Instant | undefined; readonly now: Instant },
): Instant | undefined {
  const ends = left.flatMap(({ to }) => (to ? [instant(after(to.latest, wait) + 1)] : []))
  const leaves = departsAt({ goneAt })
  const due = leaves === undefined ? ends : [...ends, leaves > now ? leaves : after(now, AGAIN)]
  return due.length === 0 ? undefined : due.reduce((a, b) => earliest(a, b))
}

/** What is gone and not settled when it should be is looked at again. */
const AGAIN = seconds(3600)

type Seen = Pick<
  ComputeAccount,
  'compute' | 'seenAt' | 'movingSince' | 'goneAt' | 'transitionAt' | 'operationsReadAt'
>

function seenAfter(
  before: ComputeAccount,
  facts: Facts,
  { now, delay }: { readonly now: Instant; readonly delay: AutosuspendDelay },
): Seen {
  const look = facts.looks.at(-1)
  const operationsReadAt = facts.operationsRead ? now : before.operationsReadAt
  const lookedAt = look
    ? {
        compute: look.compute,
        seenAt: look.answeredAt,
        movingSince: facts.looks.reduce(movingAfter, before.movingSince),
        goneAt: undefined,
      }
    : { compute: before.compute, seenAt: before.seenAt, goneAt: facts.gone?.from ?? before.goneAt }
  const undated = undatedLook(before, facts, delay)
  return { ...lookedAt, operationsReadAt, transitionAt: undated?.askedAt ?? before.transitionAt }
}

const movingAfter = (since: Instant | undefined, { compute, answeredAt }: Look): Instant | undefined =>
  isMoving(compute) ? (since ?? answeredAt) : undefined

/** The last look that only the operations can explain; where they were never read, all that was before the first. */
function undatedLook(
  before: ComputeAccount,
  { looks, operationsRead }: Facts,
  delay: AutosuspendDelay,
): Look | undefined {
  const undated = looks.findLast((one) => needsOperations(before, one, delay))
  const unread = before.operationsReadAt === undefined && !operationsRead
  return undated ?? (unread ? looks.at(-1) : undefined)
}

function evidenceWith(
  before: ComputeAccount,
  facts: Facts,
  {
    now,
    delay,
    preset,
  }: { readonly now: Instant; readonly delay: AutosuspendDelay; readonly preset: Preset },
): Evidence {
  const { evidence, reading } = before
  const held = withHeld(before, facts.looks, delay)
  const looked = facts.looks.reduce(withLook, { ...evidence, held })
  const operated = withOperations(looked, unsettledOperations(before, facts))
  const read = facts.readings.reduce(
    (all, attempt) => withMeasured(withFootprint(all, attempt, reading), attempt, preset),
    operated,
  )
  const covered = facts.operationsRead ? withOperationsRead(read, facts, now) : read
  return facts.gone ? withGone(covered, facts.gone, delay) : covered
}

/** Of what is long settled nothing is counted again. What was done shortly before explains what came after. */
export function unsettledOperations(
  { settledUntil }: Pick<ComputeAccount, 'settledUntil'>,
  { operations }: Pick<Facts, 'operations'>,
): readonly Operation[] {
  const from = settledUntil - LATENESS * 1000
  return operations.filter(({ updatedAt }) => updatedAt >= from)
}
