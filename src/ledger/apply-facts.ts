import type { Zone } from '../calendar/zone.ts'
import type { AutosuspendDelay, Compute, ComputeRef } from '../model/service/compute.ts'
import { isInTransition } from '../model/service/compute.ts'
import type { ActivityState, Gap, ObservedSetting } from '../model/ledger/gap.ts'
import type { DayRow, AwakeSlice, Prices } from '../model/ledger/quantities.ts'
import type { AwakeInterval, Edge } from '../model/ledger/evidence.ts'
import type { ComputeEntry, SettledInterval } from '../model/ledger/ledger.ts'
import type { Look } from '../model/observation.ts'
import { NO_ROLLUPS, type Rollup } from '../model/ledger/rollup.ts'
import type { Preset } from '../model/service/sizes.ts'
import { awaitsOperations, isResized, needsOperations } from '../model/inference/transition.ts'
import { MIN_GAP } from '../model/ledger/gap.ts'
import {
  after,
  earliest,
  instant,
  seconds,
  type Instant,
  type Seconds,
  type Interval,
} from '../model/units.ts'
import { addBranchMoves, divideByBranch } from './branch-moves.ts'
import type { ComputeFacts } from './facts.ts'
import { updateDays } from './settle/days.ts'
import { replacedAt } from './deleted-computes.ts'
import { EMPTY_EVIDENCE, type OwnActions } from './evidence/evidence.ts'
import type { PastDelays } from './evidence/past-delay.ts'
import { evidenceWith } from './evidence/evidence-of-facts.ts'
import { finalAfter } from './settle/watermark.ts'
import { deriveTimeline, type Watermark } from './evidence/intervals.ts'
import { NO_READING_STATE, applyReadings, endedGap } from './readings/reading-state.ts'
import { followActivity } from './gaps/follow-activity.ts'
import { suspensionGaps } from './gaps/suspension-gaps.ts'
import { rollUp } from './rollup/roll-up.ts'
import { settle } from './settle/settle.ts'
import { NOT_METERED, type MeteredSizes } from './settle/sizing.ts'
import { priceAt } from './settle/slices.ts'
import { NO_PUBLISHED_COUNTERS, NO_TOTALS, raiseCounters } from './settle/totals.ts'

/** Stays the same while a sweep is applied. */
export type LedgerContext = Readonly<{
  prices: Prices
  preset: Preset
  /** Share of awake time that readings may add. */
  overhead: number
  now: Instant
  /** Days of the account's zone. */
  dayOf: Zone['dayOf']
  /** Shortest gap that is stored; by default `MIN_GAP`. */
  minGap?: Seconds
  /** By default there were none. */
  ownActionsOf?: OwnActionsOf
}>

/** Undefined where there were none. */
export type OwnActionsOf = (ref: ComputeRef) => OwnActions | undefined

type TimesOf = (ref: ComputeRef) => readonly Interval[] | undefined

export const joinActions =
  (changesOf: TimesOf, warmUpsOf: TimesOf): OwnActionsOf =>
  (ref) => {
    const changes = changesOf(ref)
    const warmUps = warmUpsOf(ref)
    return changes || warmUps ? { changes, warmUps } : undefined
  }

export type ApplyContext = LedgerContext &
  Readonly<{
    delayOf: (compute: Compute) => AutosuspendDelay
    /** Delay in force; undefined where it is not known. */
    knownDelayOf: (compute: Compute) => AutosuspendDelay | undefined
    /** Delays before the first look; none by default. */
    pastDelays?: PastDelays
    /** Metered sizes of the project's computes; none by default. */
    metered?: MeteredSizes
  }>

/** `isNew`: this is the first look at the compute. */
export type EntryBefore = Readonly<{ before: ComputeEntry; isNew: boolean }>

export type AppliedFacts = Readonly<{
  entry: ComputeEntry
  closed: readonly SettledInterval[]
  /** Became final now; the provisional ones are in the entry. */
  slices: readonly AwakeSlice[]
  /** Differ from what was published. */
  days: readonly DayRow[]
  /** `gapBucket` of the gap between client activities that ended now. */
  gap: number | undefined
  rollups: readonly Rollup[]
  /** Both ends are final; each is found once. */
  gaps: readonly Gap[]
  /** First seen or changed now. */
  settings: readonly ObservedSetting[]
}>

/** @param isAlreadyCounted whether a row of a deleted compute holds its past: then the entry starts at the look */
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

export function applyFacts(
  { before, isNew }: EntryBefore,
  facts: ComputeFacts,
  given: ApplyContext,
): AppliedFacts {
  const { ref } = before
  const { prices, now, dayOf, metered = NOT_METERED } = given
  const delay = given.delayOf(facts.looks.at(-1)?.compute ?? before.compute)
  const context = { ...given, delay }
  const observed = observedFields(before, facts, context)
  const evidence = evidenceWith(before, facts, { ...context, ownActions: given.ownActionsOf?.(ref) })
  const watermark = resumedWatermark(before, facts)
  const awaiting = awaitsOperations(observed)
  const timeline = deriveTimeline(evidence, watermark, observed.deletedAt === undefined ? now : undefined)
  const { pastDelays } = given
  const input = { ref, timeline, evidence, watermark, settled: before.settled, awaiting, pastDelays }
  const settled = settle({ ...input, metered, delay, prices, now })
  const { totals, current } = settled
  const days = updateDays(before.days, settled, { ref, dayOf, now, ...settled.watermark })
  const branchMoves = addBranchMoves(before, facts)
  const rolled = rollUp(isNew ? undefined : before, facts, given.preset)
  const { settings, delay: knownDelay } = settingsAfter(before, facts, given)
  const { gaps, activity } = gapsAfter({ before, isNew }, facts, {
    ...context,
    ...observed,
    settled,
    evidence,
  })
  return {
    closed: settled.closed,
    slices: divideByBranch(settled.final.slices, branchMoves),
    days: days.restated,
    gap: endedGap(before, evidence),
    rollups: rolled.closed,
    gaps,
    settings,
    entry: {
      ...before,
      ...observed,
      ...settled.watermark,
      settled: settled.settled,
      evidence: settled.evidence,
      provisional: divideByBranch(settled.provisional.slices, branchMoves),
      days: days.open,
      totals,
      counters: raiseCounters(before.counters, totals, priceAt(prices, now)),
      current,
      settlesAt: settlesAt(settled.remaining, observed, { awaiting, metered, now }),
      appliedAt: now,
      reading: applyReadings(before, facts, { ...context, totals, evidence, awake: current !== undefined }),
      rollups: rolled.state,
      activity,
      delay: knownDelay,
      ...(branchMoves && { branchMoves }),
    },
  }
}

type SettledFacts = Pick<ComputeEntry, 'evidence' | 'deletedAt'> &
  Readonly<{ settled: ReturnType<typeof settle>; delay: AutosuspendDelay }> &
  Pick<ApplyContext, 'minGap' | 'pastDelays'>

function gapsAfter(
  { before, isNew }: EntryBefore,
  { ref, looks, listed }: ComputeFacts,
  { settled, evidence, delay, pastDelays, deletedAt, minGap = MIN_GAP }: SettledFacts,
) {
  const { ownSessions, warmUps } = evidence
  const followed = followActivity(isNew ? undefined : before, {
    ref,
    looks,
    listed,
    ownSessions,
    warmUps,
    minGap,
  })
  const closed = settled.closed.map(({ interval }) => interval)
  // a gap that an earlier step of the first sight began
  const activity = isNew ? { ...followed.activity, open: before.activity?.open } : followed.activity
  const over = suspensionGaps(activity, {
    closed,
    remaining: settled.remaining,
    watermark: settled.watermark,
    evidence,
    delay,
    pastDelays,
    minGap,
  })
  return {
    gaps: [...followed.gaps, ...over.gaps.map((gap) => ({ ref, ...gap }))],
    // A deleted compute has no clients: after its recovery they are followed anew.
    activity: deletedAt === undefined && hasActivity(over.activity) ? over.activity : undefined,
  }
}

const hasActivity = ({ shown, shownBeforeSleep, open, followed }: ActivityState) =>
  [shown, shownBeforeSleep, open].some((known) => known !== undefined) || followed.length > 0

/** Settings that changed, where the delay is known. */
function settingsAfter(
  before: ComputeEntry,
  { ref, looks }: ComputeFacts,
  { knownDelayOf }: ApplyContext,
): { readonly delay: AutosuspendDelay | undefined; readonly settings: readonly ObservedSetting[] } {
  const look = looks.at(-1)
  if (!look) return { delay: before.delay, settings: [] }
  const { answeredAt: since, compute } = look
  const delay = knownDelayOf(compute)
  const isSame = before.delay === delay && !isResized(before.compute, compute)
  const isRecorded = delay === undefined || isSame
  if (isRecorded) return { delay, settings: [] }
  const isOwn = compute.autosuspendDelay !== undefined
  const setting = { ref, since, delay, ...(isOwn && { isOwnDelay: true as const }), sizing: compute.sizing }
  return { delay, settings: [setting] }
}

/** A compute that is observed again was never deleted: where it was awake all the time, the interval that the deletion ended goes on. */
function resumedWatermark(
  { deletedAt, settledUntil, partlySettled }: ComputeEntry,
  { looks: [look] }: ComputeFacts,
): Watermark {
  const { state, startedAt = Infinity, suspendedAt = 0 } = look?.compute ?? {}
  const isResumed = deletedAt !== undefined && state === 'active' && !partlySettled
  if (!isResumed || startedAt >= settledUntil || suspendedAt > startedAt)
    return { settledUntil, partlySettled }
  const from = edgeAt(settledUntil)
  const interval = { from, to: undefined, knownUntil: settledUntil, restart: false }
  return { settledUntil, partlySettled: { interval, cuTime: {} } }
}

const edgeAt = (at: Instant): Edge => ({ earliest: at, likely: at, latest: at, source: 'record' })

function settlesAt(
  remaining: readonly AwakeInterval[],
  observed: ObservedFields,
  { now, ...waits }: { awaiting: boolean; metered: MeteredSizes; now: Instant },
) {
  const ends = remaining.flatMap(({ to }) => (to ? [finalAfter(to.latest, waits)] : []))
  const replaced = replacedAt(observed)
  const due = replaced === undefined ? ends : [...ends, replaced > now ? replaced : after(now, RETRY_AFTER)]
  return due.length === 0 ? undefined : earliest(...due)
}

/** Wait before a deleted compute that is not settled in time is applied again, 1 h. */
const RETRY_AFTER = seconds(3600)

type DelayContext = ApplyContext & { readonly delay: AutosuspendDelay }

type ObservedFields = Pick<
  ComputeEntry,
  'compute' | 'observedAt' | 'inTransitionSince' | 'deletedAt' | 'transitionAt' | 'operationsReadAt'
>

function observedFields(before: ComputeEntry, facts: ComputeFacts, { now, delay }: DelayContext) {
  const look = facts.looks.at(-1)
  const { compute, observedAt } = before
  const dated = {
    operationsReadAt: facts.operationsRead ? now : before.operationsReadAt,
    transitionAt: undatedLook(before, facts, delay)?.askedAt ?? before.transitionAt,
  }
  if (!look) return { ...dated, compute, observedAt, deletedAt: facts.deletion?.from ?? before.deletedAt }
  const inTransitionSince = facts.looks.reduce(inTransitionSinceAfter, before.inTransitionSince)
  return {
    ...dated,
    compute: look.compute,
    observedAt: look.answeredAt,
    inTransitionSince,
    deletedAt: undefined,
  }
}

const inTransitionSinceAfter = (since: Instant | undefined, { compute, answeredAt }: Look) =>
  isInTransition(compute) ? (since ?? answeredAt) : undefined

/** Last look with a transition that only operations can date; where they were never read, the last of all. */
function undatedLook(before: ComputeEntry, { looks, operationsRead }: ComputeFacts, delay: AutosuspendDelay) {
  const undated = looks.findLast((one) => needsOperations(before, one, delay))
  const unread = before.operationsReadAt === undefined && !operationsRead
  return undated ?? (unread ? looks.at(-1) : undefined)
}
