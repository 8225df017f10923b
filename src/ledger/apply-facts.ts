// Applies the facts of one compute to its ledger entry.
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
import { NO_READING_STATE, applyReadings, endedGap } from './readings/reading-state.ts'
import { rollUpFacts } from './rollup/roll-up.ts'
import { settle } from './settle/settle.ts'
import { NOT_METERED } from './settle/sizing.ts'
import { priceAt } from './settle/slices.ts'
import { NO_PUBLISHED_COUNTERS, NO_TOTALS, raiseCounters } from './settle/totals.ts'

export type AppliedFacts = {
  readonly entry: ComputeEntry
  readonly closed: readonly SettledInterval[]
  /** Slices that became final now; the provisional ones are in the entry. */
  readonly slices: readonly AwakeSlice[]
  /** Days that differ from what was published before. */
  readonly days: readonly DayRow[]
  /** `gapBucket` of the gap between client activities that ended now. */
  readonly gap: number | undefined
  /** Closed buckets. */
  readonly rollups: readonly Rollup[]
}

export function applyFacts(
  { before, isNew }: EntryBefore,
  facts: ComputeFacts,
  context: ApplyContext,
): AppliedFacts {
  const { entry, ...applied } = applyToIntervals(before, facts, context)
  const rolled = rollUpFacts(isNew ? undefined : before, facts, context.preset)
  return { ...applied, entry: { ...entry, rollups: rolled.state }, rollups: rolled.closed }
}

/** @param isAlreadyCounted whether the project's totals hold this compute's past: then the entry starts at the look */
export const newComputeEntry = (ref: ComputeRef, look: Look, isAlreadyCounted: boolean): ComputeEntry => ({
  ref,
  compute: look.compute,
  observedAt: look.answeredAt,
  deletedAt: undefined,
  settledUntil: isAlreadyCounted ? look.askedAt : instant(0),
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

function applyToIntervals(
  before: ComputeEntry,
  facts: ComputeFacts,
  context: ApplyContext,
): Omit<AppliedFacts, 'rollups'> {
  const { ref, settledUntil, partlySettled } = before
  const { prices, now, metered = NOT_METERED } = context
  const delay = context.delayOf(facts.looks.at(-1)?.compute ?? before.compute)
  const observed = observedFields(before, facts, { now, delay })
  const evidence = evidenceWith(before, facts, { now, delay, preset: context.preset })
  const watermark = { settledUntil, partlySettled }
  const awaiting = awaitsOperations(observed)
  const timeline = deriveTimeline(evidence, watermark, observed.deletedAt === undefined ? now : undefined)
  const settled = settle(
    { ref, timeline, evidence, watermark, settled: before.settled, awaiting, metered },
    { evidence, delay, prices, now },
  )
  const { totals, slices, provisional, current } = settled
  const days = updateDays(
    before.days,
    { settled, provisional: { slices: provisional, postings: settled.provisionalPostings } },
    { ref, dayOf: context.dayOf ?? createUtc().dayOf, settledUntil: settled.watermark.settledUntil, now },
  )
  return {
    closed: settled.closed,
    slices,
    days: days.restated,
    gap: endedGap(before, evidence),
    entry: {
      ...before,
      ...observed,
      ...settled.watermark,
      settled: settled.settled,
      evidence: settled.evidence,
      provisional,
      days: days.open,
      totals,
      counters: raiseCounters(before.counters, totals, priceAt(prices, now)),
      current,
      settlesAt: settlesAt(settled.remaining, {
        wait: allowedLateness(awaiting),
        deletedAt: observed.deletedAt,
        now,
      }),
      appliedAt: now,
      reading: applyReadings(before, facts, {
        overhead: context.overhead,
        delay,
        totals,
        evidence,
        awake: current !== undefined,
        preset: context.preset,
      }),
    },
  }
}

function settlesAt(
  remaining: readonly AwakeInterval[],
  {
    wait,
    deletedAt,
    now,
  }: { readonly wait: Seconds; readonly deletedAt: Instant | undefined; readonly now: Instant },
): Instant | undefined {
  const ends = remaining.flatMap(({ to }) => (to ? [instant(after(to.latest, wait) + 1)] : []))
  const leaves = retiresAt({ deletedAt })
  const due = leaves === undefined ? ends : [...ends, leaves > now ? leaves : after(now, RETRY_AFTER)]
  return due.length === 0 ? undefined : due.reduce((a, b) => earliest(a, b))
}

/** Wait before a deleted compute that is not settled in time is applied again, 1 h. */
const RETRY_AFTER = seconds(3600)

type ObservedFields = Pick<
  ComputeEntry,
  'compute' | 'observedAt' | 'inTransitionSince' | 'deletedAt' | 'transitionAt' | 'operationsReadAt'
>

function observedFields(
  before: ComputeEntry,
  facts: ComputeFacts,
  { now, delay }: { readonly now: Instant; readonly delay: AutosuspendDelay },
): ObservedFields {
  const look = facts.looks.at(-1)
  const operationsReadAt = facts.operationsRead ? now : before.operationsReadAt
  const lookedAt = look
    ? {
        compute: look.compute,
        observedAt: look.answeredAt,
        inTransitionSince: facts.looks.reduce(inTransitionSinceAfter, before.inTransitionSince),
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

const inTransitionSinceAfter = (
  since: Instant | undefined,
  { compute, answeredAt }: Look,
): Instant | undefined => (isInTransition(compute) ? (since ?? answeredAt) : undefined)

/** The last look whose transition only operations can date. Where they were never read, every look is undated. */
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
  const attributed = attributeSinceReading(before, facts.looks, delay)
  const looked = facts.looks.reduce(addLook, { ...evidence, attributed })
  const operated = addOperations(looked, provisionalOperations(before, facts))
  const read = facts.readings.reduce(
    (all, attempt) => addMeasuredSize(addOwnSession(all, attempt, reading), attempt, preset),
    operated,
  )
  const covered = facts.operationsRead ? addOperationsRead(read, facts, now) : read
  return facts.deletion ? addDeletion(covered, facts.deletion, delay) : covered
}

/** Drops operations of settled time, which would count twice. Those shortly before the watermark stay: they explain what follows it. */
export function provisionalOperations(
  { settledUntil }: Pick<ComputeEntry, 'settledUntil'>,
  { operations }: Pick<ComputeFacts, 'operations'>,
): readonly Operation[] {
  const from = settledUntil - ALLOWED_LATENESS * 1000
  return operations.filter(({ updatedAt }) => updatedAt >= from)
}
