// Size bounds of awake time, from looks, operations and the rule that a change of size restarts a compute.
import type { AwakeInterval, Evidence, SizeObservation } from '../../model/ledger/evidence.ts'
import type { RangeUtilisation } from '../../model/ledger/metering.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { cu, instant, SECOND, type Cu, type Instant, type Ratio, type Interval } from '../../model/units.ts'
import type { UndisturbedSpan } from '../evidence/certainty.ts'
import { deletionIn } from '../evidence/evidence.ts'
import { contains } from '../interval-math.ts'

/** Bounds of an unknown size: the smallest and largest of the service. Source: service-facts.md, "Presets". */
export const ANY_SIZE: Pick<SizeObservation, 'min' | 'max'> = { min: cu(0.25), max: cu(56) }

/** Sizes inside ranges. */
export type MeteredSizes = Readonly<{
  /** Ascending, not overlapping. */
  shares: readonly RangeUtilisation[]
  /** Mean position of such computes in their range; undefined while unknown. */
  expected: Ratio | undefined
  /** End of the metered time: later shares may come. Undefined without metering. */
  until: Instant | undefined
}>

export const NOT_METERED: MeteredSizes = { shares: [], expected: undefined, until: undefined }

export type SizeFacts = Readonly<{
  metered: MeteredSizes
  evidence: Evidence
  certainlyAwake: readonly Interval[]
  undisturbed: readonly UndisturbedSpan[]
  /** Around the time in question; undefined outside of intervals. */
  interval: AwakeInterval | undefined
}>

/** Instants at which the size bounds may change. */
export const sizeChangePoints = ({ evidence, metered }: SizeFacts): readonly Instant[] => [
  ...metered.shares.flatMap(({ from, to }) => [from, to]),
  ...evidence.sizes.flatMap(({ firstSeenAt, lastSeenAt }) => [firstSeenAt, lastSeenAt]),
  ...configChangesOf(evidence).flatMap((one) => [one.createdAt, instant(one.updatedAt + SECOND)]),
  ...evidence.measured.map(({ at }) => at),
]

const configChangesOf = ({ operations }: Evidence): readonly Operation[] =>
  operations.filter((item) => item.action === 'apply_config' && awakeEffect(item) === undefined)

/** `moves`: the compute changes its size inside a range. */
export type SizeBounds = Readonly<{ size: Bounds<Cu>; moves?: true }>

/**
 * Low and high are the limits. Likely is the first that is known:
 * 1. the metered share of the range;
 * 2. a reading of the same interval, the last one before rather than one after;
 * 3. the mean share of such computes;
 * 4. the minimum.
 */
export function sizeIn({ from, to }: Interval, facts: SizeFacts): SizeBounds {
  const at = instant(Math.floor((from + to) / 2))
  const { size, moves } = limitsAt(at, facts)
  const { low, high } = size
  if (low === high) return { size }
  const { shares, expected } = facts.metered
  const share = shares.findLast((item) => item.from <= at && at < item.to)?.share
  const metered = moves && share !== undefined ? interpolateSize(size, share) : undefined
  const usual = moves && expected !== undefined ? interpolateSize(size, expected) : size.likely
  const likely = metered ?? measuredAt(at, facts) ?? usual
  return { size: { low, likely: cu(Math.min(high, Math.max(low, likely))), high }, ...(moves && { moves }) }
}

/** Steps of a size, 1024 per CU: binary fractions keep sums exact. */
const SIZE_STEPS = 1024

/** Size at a share of the range. */
const interpolateSize = ({ low, high }: Bounds<Cu>, share: number) =>
  cu(Math.round((low + share * (high - low)) * SIZE_STEPS) / SIZE_STEPS)

function measuredAt(at: Instant, { interval, evidence }: SizeFacts): Cu | undefined {
  const share = evidence.measured.filter(
    (item) => interval && item.at >= interval.from.earliest && item.at <= (interval.to?.latest ?? item.at),
  )
  return (share.findLast((item) => item.at <= at) ?? share[0])?.cu
}

function limitsAt(at: Instant, facts: SizeFacts): SizeBounds {
  const { sizes } = facts.evidence
  const index = sizes.findLastIndex(({ firstSeenAt }) => firstSeenAt <= at)
  const [before, next] = [sizes[index], sizes[index + 1]]
  if (before?.isChanging || next?.isChanging) return eitherOf(sizes.slice(Math.max(0, index - 1), index + 3))
  if (!before) return next ? sizeBefore(at, next, facts) : { size: boundsOf(ANY_SIZE) }
  if (at <= before.lastSeenAt) return sizeAsSeen(at, before, facts)
  return next ? sizeBetween(at, [before, next], facts) : sizeSince(at, before, facts)
}

/** Unchanged after the last observation. A deleted compute may have changed unseen. */
const sizeSince = (at: Instant, last: SizeObservation, facts: SizeFacts): SizeBounds =>
  deletionIn(facts.evidence) && !isUnbroken(facts.certainlyAwake, last.lastSeenAt, at)
    ? anySize(last)
    : sizeAsSeen(at, last, facts)

/** Size around a change: any of the observed limits. */
const eitherOf = (sizes: readonly SizeObservation[], likely = sizes[0]): SizeBounds => ({
  size: {
    low: cu(Math.min(...sizes.map(({ min }) => min))),
    likely: likely?.min ?? cu(0),
    high: cu(Math.max(...sizes.map(({ max }) => max))),
  },
})

type Limits = Pick<SizeObservation, 'min' | 'max'>

const boundsOf = ({ min, max }: Limits): Bounds<Cu> => ({ low: min, likely: min, high: max })

const exactly = (limits: Limits): SizeBounds => ({
  size: boundsOf(limits),
  // no compute has the range of an unknown size
  ...(limits.min < limits.max && limits.max < ANY_SIZE.max && { moves: true }),
})

/** Between equal observations a different size takes two changes: time, or operations, which a sleeping compute may not leave. */
function sizeAsSeen(at: Instant, size: SizeObservation, facts: SizeFacts): SizeBounds {
  const { certainlyAwake, evidence } = facts
  const before = evidence.states.findLast(({ askedAt }) => askedAt <= at)?.askedAt
  const next = evidence.states.find(({ answeredAt }) => answeredAt > at)?.answeredAt
  if (before === undefined || next === undefined) return exactly(size)
  if (next - before <= MAX_SINGLE_CHANGE && configChangesBetween(evidence, before, next) < 2)
    return exactly(size)
  return isUnbroken(certainlyAwake, before, at) || isUnbroken(certainlyAwake, at, next)
    ? exactly(size)
    : anySize(size)
}

/** Size of the observation that no start separates from `at`; else either; else any size. */
function sizeBetween(
  at: Instant,
  looks: readonly [SizeObservation, SizeObservation],
  { certainlyAwake, interval, evidence }: SizeFacts,
) {
  const [before, next] = looks
  if (isUnbroken(certainlyAwake, at, next.firstSeenAt)) return exactly(next)
  if (isUnbroken(certainlyAwake, before.lastSeenAt, at)) return exactly(before)
  const changedByStart = interval !== undefined && interval.from.likely > before.lastSeenAt
  const mayHideChanges = next.firstSeenAt - before.lastSeenAt > MAX_SINGLE_CHANGE
  if (mayHideChanges || configChangesBetween(evidence, before.lastSeenAt, next.firstSeenAt) > 1)
    return anySize(changedByStart ? next : before)
  return eitherOf(looks, changedByStart ? next : before)
}

/** Longest time between observations in which at most one change of size is assumed, 5 min, ms. */
const MAX_SINGLE_CHANGE = 300_000

const anySize = ({ min }: SizeObservation): SizeBounds => ({
  size: { low: ANY_SIZE.min, likely: min, high: ANY_SIZE.max },
})

/** As operations report them. */
const configChangesBetween = (evidence: Evidence, from: number, to: Instant) =>
  configChangesOf(evidence).filter(({ createdAt }) => createdAt >= from && createdAt <= to).length

/** Before the first observation: the same, unless something may have changed it since. */
function sizeBefore(
  at: Instant,
  first: SizeObservation,
  { evidence, certainlyAwake, undisturbed, interval }: SizeFacts,
): SizeBounds {
  if (isUnbroken(certainlyAwake, at, first.firstSeenAt)) return exactly(first)
  const end = interval?.to
  const isUndisturbed = undisturbed.some(
    ({ from, to }) => end !== undefined && from <= end.latest + SECOND && to >= first.firstSeenAt - SECOND,
  )
  if (end && isUndisturbed && isUnbroken(certainlyAwake, at, end.earliest)) return exactly(first)
  const isChanged = configChangesOf(evidence).some(
    ({ createdAt, updatedAt }) => updatedAt + SECOND > at && createdAt <= first.firstSeenAt,
  )
  if (isCovered(evidence, at, first.firstSeenAt) && !isChanged) return exactly(first)
  return anySize(first)
}

const isUnbroken = (certainlyAwake: readonly Interval[], from: Instant, to: Instant) =>
  certainlyAwake.some((span) => contains(span, { from, to }))

/** The operations were read for the whole span. A late one restates the size. */
const isCovered = ({ covered }: Evidence, from: Instant, to: Instant) =>
  covered !== undefined && covered.from <= from && covered.to + ALLOWED_LATENESS * 1000 >= to
