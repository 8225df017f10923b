// Folds what was seen of one compute into its account.
import { createUtc } from '../calendar/zone.ts'
import { isInTransition, type AutosuspendDelay, type ComputeRef } from '../model/service/compute.ts'
import type { DayRow } from '../model/ledger/day.ts'
import type { AwakeInterval, Evidence } from '../model/ledger/evidence.ts'
import type { ComputeEntry, SettledInterval } from '../model/ledger/ledger.ts'
import type { Look } from '../model/observation.ts'
import type { Operation } from '../model/service/operation.ts'
import { NO_ROLLUPS, type Rollup } from '../model/ledger/rollup.ts'
import type { Preset } from '../model/service/sizes.ts'
import type { AwakeSlice } from '../model/ledger/slice.ts'
import { awaitsOperations, ALLOWED_LATENESS, needsOperations } from '../model/inference/transition.ts'
import { after, earliest, instant, seconds, type Instant, type Seconds } from '../model/units.ts'
import type { ApplyContext, EntryBefore } from './context.ts'
import type { ComputeFacts } from './facts.ts'
import { updateDays } from './settle/days.ts'
import { retiresAt } from './retention.ts'
import {
  EMPTY_EVIDENCE,
  addDeletion,
  addLook,
  addMeasuredSize,
  addOperations,
  addOperationsRead,
} from './evidence/evidence.ts'
import { addOwnSession } from './evidence/own-sessions.ts'
import { allowedLateness } from './settle/watermark.ts'
import { attributeSinceReading } from './attribution/attribution.ts'
import { deriveTimeline } from './evidence/intervals.ts'
import { NO_READING_STATE, applyReadings } from './readings/reading-state.ts'
import { rollUpFacts } from './rollup/roll-up.ts'
import { settle } from './settle/settle.ts'
import { NOT_METERED } from './settle/sizing.ts'
import { priceAt } from './settle/slices.ts'
import { NO_PUBLISHED_COUNTERS, NO_TOTALS, raiseCounters } from './settle/totals.ts'

export type AppliedFacts = {
  readonly account: ComputeEntry
  readonly closed: readonly SettledInterval[]
  /** What became final now; what is not is in the account. */
  readonly slices: readonly AwakeSlice[]
  /** Days that are another than they were told before. */
  readonly days: readonly DayRow[]
  /** Stretches that are over. */
  readonly rollups: readonly Rollup[]
}

/** What `facts` make of the account `before`. */
export function applyFacts(
  { before, isNew }: EntryBefore,
  facts: ComputeFacts,
  context: ApplyContext,
): AppliedFacts {
  const { account, ...told } = folded(before, facts, context)
  const rolled = rollUpFacts(isNew ? undefined : before, facts, context.preset)
  return { ...told, account: { ...account, rollups: rolled.state }, rollups: rolled.closed }
}

/** @param isBack whether what was before is counted: it is counted from now on */
export const newComputeEntry = (ref: ComputeRef, look: Look, isBack: boolean): ComputeEntry => ({
  ref,
  compute: look.compute,
  observedAt: look.answeredAt,
  deletedAt: undefined,
  settledUntil: isBack ? look.askedAt : instant(0),
  settled: NO_TOTALS,
  partlySettled: undefined,
  provisional: [],
  days: [],
  evidence: EMPTY_EVIDENCE,
  totals: NO_TOTALS,
  counters: NO_PUBLISHED_COUNTERS,
  current: undefined,
  settlesAt: undefined,
  appliedAt: look.answeredAt,
  transitionAt: undefined,
  operationsReadAt: undefined,
  reading: NO_READING_STATE,
  rollups: NO_ROLLUPS,
})

function folded(
  before: ComputeEntry,
  facts: ComputeFacts,
  context: ApplyContext,
): Omit<AppliedFacts, 'rollups'> {
  const { ref, settledUntil, partlySettled } = before
  const { prices, now, counted = NOT_METERED } = context
  const delay = context.delayOf(facts.looks.at(-1)?.compute ?? before.compute)
  const seen = seenAfter(before, facts, { now, delay })
  const evidence = evidenceWith(before, facts, { now, delay, preset: context.preset })
  const frontier = { settledUntil, partlySettled }
  const awaiting = awaitsOperations(seen)
  const history = deriveTimeline(evidence, frontier, seen.deletedAt === undefined ? now : undefined)
  const settled = settle(
    { ref, history, evidence, frontier, settled: before.settled, awaiting, counted },
    { evidence, delay, prices, now },
  )
  const { totals, slices, unsettled, open } = settled
  const days = updateDays(
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
      provisional: unsettled,
      days: days.open,
      totals,
      counters: raiseCounters(before.counters, totals, priceAt(prices, now)),
      current: open,
      settlesAt: settlesAt(settled.left, { wait: allowedLateness(awaiting), deletedAt: seen.deletedAt, now }),
      appliedAt: now,
      reading: applyReadings(before, facts, {
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
    deletedAt,
    now,
  }: { readonly wait: Seconds; readonly deletedAt: Instant | undefined; readonly now: Instant },
): Instant | undefined {
  const ends = left.flatMap(({ to }) => (to ? [instant(after(to.latest, wait) + 1)] : []))
  const leaves = retiresAt({ deletedAt })
  const due = leaves === undefined ? ends : [...ends, leaves > now ? leaves : after(now, AGAIN)]
  return due.length === 0 ? undefined : due.reduce((a, b) => earliest(a, b))
}

/** What is gone and not settled when it should be is looked at again. */
const AGAIN = seconds(3600)

type Seen = Pick<
  ComputeEntry,
  'compute' | 'observedAt' | 'inTransitionSince' | 'deletedAt' | 'transitionAt' | 'operationsReadAt'
>

function seenAfter(
  before: ComputeEntry,
  facts: ComputeFacts,
  { now, delay }: { readonly now: Instant; readonly delay: AutosuspendDelay },
): Seen {
  const look = facts.looks.at(-1)
  const operationsReadAt = facts.operationsRead ? now : before.operationsReadAt
  const lookedAt = look
    ? {
        compute: look.compute,
        observedAt: look.answeredAt,
        inTransitionSince: facts.looks.reduce(movingAfter, before.inTransitionSince),
        deletedAt: undefined,
      }
    : {
        compute: before.compute,
        observedAt: before.observedAt,
        deletedAt: facts.deletion?.from ?? before.deletedAt,
      }
  const undated = undatedLook(before, facts, delay)
  return { ...lookedAt, operationsReadAt, transitionAt: undated?.askedAt ?? before.transitionAt }
}

const movingAfter = (since: Instant | undefined, { compute, answeredAt }: Look): Instant | undefined =>
  isInTransition(compute) ? (since ?? answeredAt) : undefined

/** The last look that only the operations can explain; where they were never read, all that was before the first. */
function undatedLook(
  before: ComputeEntry,
  { looks, operationsRead }: ComputeFacts,
  delay: AutosuspendDelay,
): Look | undefined {
  const undated = looks.findLast((one) => needsOperations(before, one, delay))
  const unread = before.operationsReadAt === undefined && !operationsRead
  return undated ?? (unread ? looks.at(-1) : undefined)
}

function evidenceWith(
  before: ComputeEntry,
  facts: ComputeFacts,
  {
    now,
    delay,
    preset,
  }: { readonly now: Instant; readonly delay: AutosuspendDelay; readonly preset: Preset },
): Evidence {
  const { evidence, reading } = before
  const held = attributeSinceReading(before, facts.looks, delay)
  const looked = facts.looks.reduce(addLook, { ...evidence, attributed: held })
  const operated = addOperations(looked, unsettledOperations(before, facts))
  const read = facts.readings.reduce(
    (all, attempt) => addMeasuredSize(addOwnSession(all, attempt, reading), attempt, preset),
    operated,
  )
  const covered = facts.operationsRead ? addOperationsRead(read, facts, now) : read
  return facts.deletion ? addDeletion(covered, facts.deletion, delay) : covered
}

/** Of what is long settled nothing is counted again. What was done shortly before explains what came after. */
export function unsettledOperations(
  { settledUntil }: Pick<ComputeEntry, 'settledUntil'>,
  { operations }: Pick<ComputeFacts, 'operations'>,
): readonly Operation[] {
  const from = settledUntil - ALLOWED_LATENESS * 1000
  return operations.filter(({ updatedAt }) => updatedAt >= from)
}
