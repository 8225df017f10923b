// The size limits of a stretch of awake time, from looks, operations and the rule that a change of size restarts a compute.
import type { AwakeInterval, Evidence, SizeObservation } from '../../model/ledger/evidence.ts'
import type { RangeUtilisation } from '../../model/ledger/metering.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import { cu, instant, type Cu, type Instant, type Ratio } from '../../model/units.ts'
import type { UndisturbedSpan } from '../evidence/continuity.ts'
import { deletionIn } from '../evidence/evidence.ts'

/** The smallest and the largest size of the service: what is known of a size that no fact tells. Source: service-facts.md, "Presets". */
export const ANY_SIZE: Pick<SizeObservation, 'min' | 'max'> = { min: cu(0.25), max: cu(56) }

/** What the service's count tells of the sizes inside ranges. */
export type MeteredSizes = {
  /** Ascending, not overlapping. */
  readonly shares: readonly RangeUtilisation[]
  /** Where computes like these are on average; undefined while nothing tells. */
  readonly expected: Ratio | undefined
  /** How far the count reaches: a share of what is later may still come. Undefined where none ever came. */
  readonly until: Instant | undefined
}

export const NOT_METERED: MeteredSizes = { shares: [], expected: undefined, until: undefined }

export type SizeFacts = {
  readonly counted: MeteredSizes
  readonly evidence: Evidence
  /** Where the compute was surely awake without a break. */
  readonly sure: readonly Span[]
  readonly quiet: readonly UndisturbedSpan[]
  /** The interval that the stretch lies in; undefined where it lies in none. */
  readonly interval: AwakeInterval | undefined
}

/** Instants at which what is known of the size may change. */
export const sizeChangePoints = ({ evidence, counted }: SizeFacts): readonly Instant[] => [
  ...counted.shares.flatMap(({ from, to }) => [from, to]),
  ...evidence.sizes.flatMap(({ firstSeenAt, lastSeenAt }) => [firstSeenAt, lastSeenAt]),
  ...appliesOf(evidence).flatMap(({ createdAt, updatedAt }) => [createdAt, instant(updatedAt + SECOND)]),
  ...evidence.measured.map(({ at }) => at),
]

const SECOND = 1000

const appliesOf = ({ operations }: Evidence): readonly Operation[] =>
  operations.filter((one) => one.action === 'apply_config' && awakeEffect(one) === undefined)

/** A size between bounds, and whether it is a range that the compute moves in. */
export type SizeBounds = { readonly size: Bounds<Cu>; readonly moves?: true }

/**
 * Low and high are the limits. Inside a range likely is what the service's count says; else what a reading of the same interval told,
 * the one before rather than one after; else where such computes are on average; else the minimum.
 */
export function sizeIn([from, to]: Span, facts: SizeFacts): SizeBounds {
  const at = instant(Math.floor((from + to) / 2))
  const { size, moves } = limitsAt(at, facts)
  const { low, high } = size
  if (low === high) return { size }
  const { shares, expected } = facts.counted
  const told = shares.findLast((one) => one.from <= at && at < one.to)?.share
  const counted = moves && told !== undefined ? interpolateSize(size, told) : undefined
  const usual = moves && expected !== undefined ? interpolateSize(size, expected) : size.likely
  const likely = counted ?? measuredAt(at, facts) ?? usual
  return { size: { low, likely: cu(Math.min(high, Math.max(low, likely))), high }, ...(moves && { moves }) }
}

/** Sizes are added up by the millisecond: a binary fraction keeps the sums exact. */
const STEPS = 1024

/** A share of the way from the least size to the largest. */
export const interpolateSize = ({ low, high }: Bounds<Cu>, share: number): Cu =>
  cu(Math.round((low + share * (high - low)) * STEPS) / STEPS)

function measuredAt(at: Instant, { interval, evidence }: SizeFacts): Cu | undefined {
  const told = evidence.measured.filter(
    (one) => interval && one.at >= interval.from.earliest && one.at <= (interval.to?.latest ?? one.at),
  )
  return (told.findLast((one) => one.at <= at) ?? told[0])?.cu
}

function limitsAt(at: Instant, facts: SizeFacts): SizeBounds {
  const { sizes } = facts.evidence
  const index = sizes.findLastIndex(({ firstSeenAt }) => firstSeenAt <= at)
  const [before, next] = [sizes[index], sizes[index + 1]]
  if (before?.isChanging || next?.isChanging) return anyOf(sizes.slice(Math.max(0, index - 1), index + 3))
  if (before) return sizeFrom(at, [before, next], facts)
  return next ? sizeBefore(at, next, facts) : { size: boundsOf(ANY_SIZE) }
}

/** From the first look that showed `before` on. */
function sizeFrom(
  at: Instant,
  [before, next]: readonly [SizeObservation, SizeObservation | undefined],
  facts: SizeFacts,
): SizeBounds {
  if (at <= before.lastSeenAt) return sizeAsSeen(at, before, facts)
  return next ? sizeBetween(at, [before, next], facts) : sizeSince(at, before, facts)
}

/** After the last look: as it showed. Of a compute that is gone no look will tell of a change before it went. */
const sizeSince = (at: Instant, last: SizeObservation, facts: SizeFacts): SizeBounds =>
  deletionIn(facts.evidence) && !isUnbroken(facts.sure, last.lastSeenAt, at)
    ? anySize(last)
    : sizeAsSeen(at, last, facts)

/** Around a change that is under way: any of the limits seen. */
const anyOf = (sizes: readonly SizeObservation[]): SizeBounds => ({
  size: {
    low: cu(Math.min(...sizes.map(({ min }) => min))),
    likely: sizes.at(0)?.min ?? cu(0),
    high: cu(Math.max(...sizes.map(({ max }) => max))),
  },
})

type Limits = Pick<SizeObservation, 'min' | 'max'>

const boundsOf = ({ min, max }: Limits): Bounds<Cu> => ({ low: min, likely: min, high: max })

const exactly = (limits: Limits): SizeBounds => ({
  size: boundsOf(limits),
  ...(limits.min < limits.max && { moves: true }),
})

/**
 * Looks on both sides show the same size. To be another between them it was changed twice: there has to be room, or operations that tell.
 * One of a sleeping compute may leave no operation, so that none is no proof.
 */
function sizeAsSeen(at: Instant, size: SizeObservation, facts: SizeFacts): SizeBounds {
  const { sure, evidence } = facts
  const before = evidence.states.findLast(({ askedAt }) => askedAt <= at)?.askedAt
  const next = evidence.states.find(({ answeredAt }) => answeredAt > at)?.answeredAt
  if (before === undefined || next === undefined) return exactly(size)
  if (next - before <= ROOM && applied(evidence, before, next) < 2) return exactly(size)
  return isUnbroken(sure, before, at) || isUnbroken(sure, at, next) ? exactly(size) : anySize(size)
}

/**
 * Between looks that show two sizes: the one that no start lies between, else either, and where there was room for more changes,
 * any.
 */
function sizeBetween(at: Instant, looks: Looks, { sure, interval, evidence }: SizeFacts): SizeBounds {
  const [before, next] = looks
  if (isUnbroken(sure, at, next.firstSeenAt)) return exactly(next)
  if (isUnbroken(sure, before.lastSeenAt, at)) return exactly(before)
  const changedByStart = interval !== undefined && interval.from.likely > before.lastSeenAt
  const hasRoom = next.firstSeenAt - before.lastSeenAt > ROOM
  if (hasRoom || applied(evidence, before.lastSeenAt, next.firstSeenAt) > 1)
    return anySize(changedByStart ? next : before)
  return {
    size: {
      low: cu(Math.min(before.min, next.min)),
      likely: changedByStart ? next.min : before.min,
      high: cu(Math.max(before.max, next.max)),
    },
  }
}

type Looks = readonly [before: SizeObservation, next: SizeObservation]

/** Between two looks nearer than that a size is taken to be changed once, ms. Doubled, somebody who tries two sizes in ten minutes is missed. */
const ROOM = 300_000

const anySize = ({ min }: SizeObservation): SizeBounds => ({
  size: { low: ANY_SIZE.min, likely: min, high: ANY_SIZE.max },
})

/** How many changes of settings the operations show. */
const applied = (evidence: Evidence, from: number, to: Instant): number =>
  appliesOf(evidence).filter(({ createdAt }) => createdAt >= from && createdAt <= to).length

/** Before the first look: as it showed, unless something may have changed it since. */
function sizeBefore(
  at: Instant,
  first: SizeObservation,
  { evidence, sure, quiet, interval }: SizeFacts,
): SizeBounds {
  if (isUnbroken(sure, at, first.firstSeenAt)) return exactly(first)
  const end = interval?.to
  const left = quiet.some(
    ({ span: [from, to] }) =>
      end !== undefined && from <= end.latest + SECOND && to >= first.firstSeenAt - SECOND,
  )
  if (end && left && isUnbroken(sure, at, end.earliest)) return exactly(first)
  const isChanged = appliesOf(evidence).some(({ updatedAt }) => updatedAt + SECOND > at)
  if (isCovered(evidence, at, first.firstSeenAt) && !isChanged) return exactly(first)
  return anySize(first)
}

const isUnbroken = (sure: readonly Span[], from: Instant, to: Instant): boolean =>
  sure.some(([a, b]) => a <= from && to <= b)

/** Whether the operations were read for all of it; one that is listed late restates the size. */
const isCovered = ({ covered }: Evidence, from: Instant, to: Instant): boolean =>
  covered !== undefined && covered[0] <= from && covered[1] + ALLOWED_LATENESS * 1000 >= to
