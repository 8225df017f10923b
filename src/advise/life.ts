// Life of the recommendations of one compute, or of the defaults of one project: what an evaluation makes of earlier ones. By kind:
//
// 1. An open one ends (superseded, withdrawn, implemented) or stays; one that stays takes the figures of the evaluation.
// 2. An implemented one takes the saving that came, once its follow-up has ended.
// 3. Where none is open, the proposal of the evaluation becomes the next one, unless a follow-up or a dismissal holds it back.
//
// The result depends on the rows and the evaluation alone: a second evaluation at the same time changes nothing.
import { targetKey, type TargetRef } from '../model/service/compute.ts'
import {
  RECOMMENDATION_KINDS,
  type Advice,
  type ComputeAdvice,
  type Life,
  type Proposal,
  type Recommendation,
  type RecommendationKind,
  type Setting,
  type Withheld,
  type WithheldBecause,
} from '../model/policy/recommendation.ts'
import type { Bounds } from '../model/ledger/quantities.ts'
import { after, DAY, type Instant, type Micros, type Seconds } from '../model/units.ts'
import { FOLLOW_UP, realisedSaving } from './follow-up.ts'
import { isBetter, isLarger, renewedFigures, settingKey, sizingKey } from './hysteresis.ts'
import type { AdviseInput } from './input.ts'
import { promisedSaving } from './promised-saving.ts'

/** Time without confirmation after which an open recommendation is withdrawn, 7 days: a weekday cycle. */
const MAX_UNCONFIRMED = 7 * DAY
/**
 * Time in which an estimate may lie on the other side of its threshold, 28 days: the whole history that delays are judged by. In less, noise of a
 * stationary load withdraws a recommendation and makes it again.
 */
const MAX_DOUBTFUL = 28 * DAY

/** The compute or project that recommendations are about, as it is now. */
export type LifeSubject = Readonly<{
  ref: TargetRef
  isDeleted: boolean
  /** Fields that are not known are absent. */
  setting: Setting
  /** Recommendations that count now, oldest first. */
  previous: readonly Recommendation[]
  wakeCost: Seconds
  /** Saving that came of an implemented one; undefined where it is not known, or its follow-up goes on. */
  realised: (row: Recommendation) => Bounds<Micros> | undefined
  now: Instant
}>

export type LifeInput = Readonly<{
  /** Result of the evaluation of `subject`. */
  advice: Advice
  subject: LifeSubject
  made: ComputeAdvice['made']
  /** Another delay replaces an open one only if it is better by more than this in 30 days. */
  minSaving: Micros
  /** Digest of a text, in a form that suits a hash. */
  hash: (text: string) => string
}>

type Rows = readonly Recommendation[]

/** `recommendations`: rows that are new or changed. `withheld`: of kinds without an open recommendation. */
type LifeResult = Readonly<{ recommendations: Rows }> & Pick<ComputeAdvice, 'withheld' | 'made'>

/** A compute. */
export function lifeSubjectOf(input: AdviseInput): LifeSubject {
  const { entry, settings, previous, policy, now } = input
  const { delay, sizing } = settings.at(-1) ?? {}
  return {
    ref: entry.ref,
    isDeleted: entry.deletedAt !== undefined,
    setting: {
      ...(delay !== undefined && { delay }),
      ...(sizing && { sizing }),
      poolerEnabled: entry.compute.poolerEnabled,
    },
    previous,
    wakeCost: policy.wakeCost,
    realised: (row) => realisedSaving(row, input),
    now,
  }
}

export function advanceLife(life: LifeInput): LifeResult {
  const kinds = RECOMMENDATION_KINDS.map((kind) => advanceKind(kind, life))
  return {
    recommendations: kinds.flatMap(({ changed }) => changed),
    withheld: kinds.flatMap(({ withheld }) => withheld ?? []),
    made: kinds.reduce((made, { opened }) => (opened ? countOn(made, opened) : made), life.made),
  }
}

const numberOf = (made: ComputeAdvice['made'], kind: RecommendationKind) => (made[kind] ?? 0) + 1

const countOn = (made: ComputeAdvice['made'], { kind }: Recommendation) => ({
  ...made,
  [kind]: numberOf(made, kind),
})

/** What one evaluation says of one kind. */
type Evaluated = Readonly<{
  life: LifeInput
  /** Rows of the kind, oldest first. */
  rows: Rows
  proposal: Proposal | undefined
  withheld: Withheld | undefined
  /** Id of the recommendation that would come next. */
  nextId: string
}>

function advanceKind(kind: RecommendationKind, life: LifeInput) {
  const { advice, subject, made } = life
  const { ref, isDeleted, previous } = subject
  const isKind = (item: { kind: RecommendationKind }) => item.kind === kind
  const evaluated: Evaluated = {
    life,
    rows: previous.filter(isKind),
    proposal: isDeleted ? undefined : advice.proposals.find(isKind),
    withheld: advice.withheld.find(isKind),
    nextId: `${ref.endpointId ?? ref.projectId}.${kind}.${numberOf(made, kind)}`,
  }
  const rows = evaluated.rows.map((row) => advanceRow(row, evaluated))
  const changed = rows.filter((row, index) => !isSame(row, evaluated.rows[index]))
  if (rows.some(({ life: { state } }) => state === 'open')) return { changed }
  const hold = holdOf({ ...evaluated, rows })
  const opened = hold ? undefined : open({ ...evaluated, rows })
  return opened
    ? { changed: [...changed, opened], opened }
    : { changed, withheld: hold ?? evaluated.withheld }
}

const isSame = (a: Recommendation, b: Recommendation | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** The proposal as a recommendation; undefined without a proposal. */
function open({ life, rows, proposal, nextId }: Evaluated): Recommendation | undefined {
  if (!proposal) return undefined
  const { ref, kind, from, to } = proposal
  const { now } = life.subject
  const dismissal = lastDismissal(rows)
  return {
    ...proposal,
    id: nextId,
    hash: life.hash(`${targetKey(ref)} ${kind} ${settingKey(from)} ${settingKey(to)}`),
    openedAt: now,
    confirmedAt: now,
    life: { state: 'open' },
    ...(dismissal && { dismissedBefore: dismissedBefore(dismissal) }),
  }
}

const dismissedBefore = ({ row: { id, to, saving }, end: { at, until, reason, by } }: Dismissal) => ({
  id,
  to,
  saving,
  at,
  until,
  reason,
  by,
})

function advanceRow(row: Recommendation, evaluated: Evaluated): Recommendation {
  const { life } = row
  if (life.state === 'open') return advanceOpen(row, evaluated)
  if (life.state !== 'implemented' || life.realised) return row
  const { realised: realisedOf, previous } = evaluated.life.subject
  const realised = realisedOf(row)
  if (!realised) return row
  const promised = promisedSaving(row, life.at, previous)
  return ended(row, { ...life, realised, ...(promised && { promised }) })
}

/**
 * An open recommendation after the evaluation. The first rule that applies decides:
 * 1. it is not the newest open one, or the compute or project is deleted;
 * 2. the setting is the recommended one, or neither that nor the one that was to be changed;
 * 3. the evaluation proposes the same setting, or another one;
 * 4. the evaluation proposes nothing.
 */
function advanceOpen(row: Recommendation, evaluated: Evaluated): Recommendation {
  const { life, rows, proposal } = evaluated
  const { isDeleted, now } = life.subject
  const newest = rows.findLast(({ life: { state } }) => state === 'open') ?? row
  if (row !== newest) return ended(row, { state: 'superseded', at: now, by: newest.id })
  if (isDeleted) return ended(row, { state: 'withdrawn', at: now, because: 'deleted' })
  if (isInForce(row.to, life.subject) === true)
    return ended(row, { state: 'implemented', at: now, realised: undefined })
  if (isInForce(row.from, life.subject) === false)
    return ended(row, { state: 'withdrawn', at: now, because: 'changed' })
  return proposal ? advanceProposed(row, proposal, evaluated) : advanceUnconfirmed(row, evaluated)
}

const ended = (row: Recommendation, life: Life): Recommendation => ({ ...row, life })

/** Whether it has this setting; undefined where that is not known, and for a setting without fields. */
function isInForce(wanted: Setting, { setting }: LifeSubject): boolean | undefined {
  const fields = [
    [wanted.delay, setting.delay],
    [sizingKey(wanted.sizing), sizingKey(setting.sizing)],
    [wanted.poolerEnabled, setting.poolerEnabled],
  ].filter(([value]) => value !== undefined)
  if (fields.length === 0 || fields.some(([, shown]) => shown === undefined)) return undefined
  return fields.every(([value, shown]) => value === shown)
}

/** Another setting replaces the open one if it is better by more than the hysteresis, or the open one is not allowed any more. */
function advanceProposed(row: Recommendation, proposal: Proposal, evaluated: Evaluated): Recommendation {
  const { life, nextId } = evaluated
  const { now, wakeCost } = life.subject
  const kept = renewedFigures(row, proposal)
  const isHeld = holdOf(evaluated) !== undefined
  const isReplaced =
    !isHeld && (kept === undefined || isBetter(proposal, kept, { wakeCost, minSaving: life.minSaving }))
  if (isReplaced) return ended(row, { state: 'superseded', at: now, by: nextId })
  return kept ? { ...row, ...kept, confirmedAt: now } : advanceUnconfirmed(row, evaluated)
}

/**
 * What a kind without a proposal means for an open recommendation:
 * - `ends`: a rule or a fact ends it at once;
 * - `waits`: an estimate at its threshold, which noise may cross; ends it with this reason if it lasts;
 * - `unknown`: the evaluation could not tell.
 */
const WITHHELD_EFFECTS = {
  policy: 'ends',
  'plan-fixed': 'ends',
  'not-listed': 'ends',
  dismissed: 'ends',
  fits: 'waits',
  'saving-small': 'waits',
  unsure: 'waits',
  'follow-up': 'waits',
  'history-short': 'unknown',
  'not-followed': 'unknown',
  'plan-unknown': 'unknown',
  'no-readings': 'unknown',
} satisfies Record<WithheldBecause, 'ends' | 'waits' | 'unknown'>

/** Kinds that `fits` answers by a fact of the record. */
const FACTUAL: readonly RecommendationKind[] = ['refresh', 'pooler', 'unused']

function advanceUnconfirmed(row: Recommendation, { life, withheld }: Evaluated): Recommendation {
  const { now } = life.subject
  const effect = withheld ? effectOf(withheld) : 'unknown'
  const isLasting = now - row.confirmedAt >= (effect === 'waits' ? MAX_DOUBTFUL : MAX_UNCONFIRMED)
  if (effect !== 'ends' && !isLasting) return row
  const because = withheld && effect !== 'unknown' ? withheld.because : 'not-confirmed'
  return ended(row, { state: 'withdrawn', at: now, because })
}

const effectOf = ({ kind, because }: Withheld) =>
  because === 'fits' && FACTUAL.includes(kind) ? 'ends' : WITHHELD_EFFECTS[because]

/** Why the proposal does not become a recommendation now; undefined where nothing holds it back. */
const holdOf = ({ life, rows, proposal }: Evaluated): Withheld | undefined =>
  proposal && (followUpHold(proposal, rows, life.subject.now) ?? dismissalHold(proposal, rows, life))

function followUpHold({ kind, from, to }: Proposal, rows: Rows, now: Instant): Withheld | undefined {
  const implementedAt = lastImplementation(rows.filter((row) => setsSame(row.to, to)))
  if (implementedAt === undefined) return undefined
  const until = after(implementedAt, FOLLOW_UP)
  if (now >= until || isLarger(to, from)) return undefined
  return {
    kind,
    because: 'follow-up',
    have: Math.floor((now - implementedAt) / DAY),
    needs: (FOLLOW_UP * 1000) / DAY,
    until,
  }
}

/** Whether both set a field, or none of them any: the delay and the size of defaults are followed up apart. */
const setsSame = (one: Setting, other: Setting): boolean =>
  Object.keys(other).length === 0 || Object.keys(one).some((field) => field in other)

function dismissalHold({ kind, saving }: Proposal, rows: Rows, life: LifeInput): Withheld | undefined {
  const dismissal = lastDismissal(rows)
  if (!dismissal) return undefined
  const { until } = dismissal.end
  const needs = 2 * Math.max(dismissal.row.saving.likely, life.minSaving)
  const isDoubled = saving.likely > 0 && saving.likely >= needs
  if (isDoubled || life.subject.now >= (until ?? Infinity)) return undefined
  return { kind, because: 'dismissed', have: saving.likely, needs, until }
}

type Dismissal = Readonly<{ row: Recommendation; end: Extract<Life, { state: 'dismissed' }> }>

const lastDismissal = (rows: Rows): Dismissal | undefined =>
  rows.flatMap((row) => (row.life.state === 'dismissed' ? [{ row, end: row.life }] : [])).at(-1)

const lastImplementation = (rows: Rows): Instant | undefined =>
  rows.flatMap(({ life }) => (life.state === 'implemented' ? [life.at] : [])).at(-1)
