// A delay as a proposal: saving, wakes, grounds, and the curve of the other delays.
import { duration, overlap } from '../../ledger/interval-math.ts'
import { priceAt } from '../../ledger/settle/slices.ts'
import { mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Alternative, Effect, Grounds, Proposal } from '../../model/policy/recommendation.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { DAY, micros, SECOND, seconds, type Cu, type Interval, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { gapGroups, savedTime, savedTimeIn, wakesUnder, type BacktestGap } from '../backtest.ts'
import type { AdviseInput } from '../input.ts'
import {
  blockWindows,
  confidenceOf,
  moneyOf,
  savedTimeInterval,
  statedWidening,
  type Block,
} from '../interval.ts'
import type { AllowedDelays } from './choose.ts'
import type { JudgedGaps } from './observed-gaps.ts'

/** What a delay is proposed for, and what it is priced by. */
export type DelaySubject = Pick<Proposal, 'ref'> &
  Pick<AdviseInput, 'policy' | 'needs' | 'prices' | 'previous' | 'finished' | 'now'> &
  Readonly<{
    kind: 'delay' | 'defaults'
    /** While awake. */
    size: Bounds<Cu>
    /** Idle client sessions that each suspension ends; undefined where they are not known. */
    sessionsCut: number | undefined
    /** Most awake seconds in 30 days. */
    maxAwake: number
  }>

export type DelayEvidence = JudgedGaps &
  Readonly<{
    input: DelaySubject
    /** Time in which the gaps are gaps of a compute, ms from block to block; of several computes the sum. */
    existing: readonly Interval[]
    now: AutosuspendDelay
    allowed: AllowedDelays
    /** Shorter delays cannot be judged, because shorter gaps were hidden or are too few. */
    judgedFrom: number
  }>

/** Delays of the curve, seconds; `never` follows where it is allowed. */
const CURVE = [60, 120, 180, 300, 600, 900, 1800, 3600].map(seconds)

/** Undefined where the gain is not certain. */
export function delayProposal(evidence: DelayEvidence, to: AutosuspendDelay): Proposal | undefined {
  const { input, now, allowed } = evidence
  const gain = gainedSeconds(evidence, to)
  if (!gain || gain.low <= 0) return undefined
  const curve = [
    ...CURVE.filter((delay) => isAllowed(delay, allowed)),
    ...(allowed.mayNever ? ['never' as const] : []),
  ]
  const others = [...new Set([...curve, ...openDelays(evidence), now])]
    .filter((delay) => delay !== to)
    .toSorted(byLength)
  const spend = spendOf30Days(evidence)
  const saving = atMost(savingOf(evidence, to), spend)
  const chosen = { saving, wakes: wakesPerDay(evidence, to) }
  return {
    ref: input.ref,
    kind: input.kind,
    from: { delay: now },
    to: { delay: to },
    restarts: false,
    spend,
    saving,
    effect: effectOf(evidence, to),
    confidence: confidenceOf(daysOf(evidence), saving),
    grounds: groundsOf(evidence, [...others, to]),
    alternatives: others.map((delay) => alternative(evidence, delay, chosen)),
  }
}

/** The interval of a saving may be wider than that of the spend. */
const atMost = (saving: Bounds<Micros>, { high }: Bounds<Micros>): Bounds<Micros> => ({
  ...saving,
  high: micros(Math.min(saving.high, high)),
})

/** Recommended by an open recommendation: compared with `to`, it may stay. */
const openDelays = ({ input, allowed }: DelayEvidence): readonly AutosuspendDelay[] =>
  input.previous.flatMap(({ life, to: { delay } }) =>
    life.state === 'open' &&
    delay !== undefined &&
    (delay === 'never' ? allowed.mayNever : isAllowed(delay, allowed))
      ? [delay]
      : [],
  )

const isAllowed = (delay: number, { range }: AllowedDelays) =>
  range !== undefined && delay >= range.from && delay <= range.to

const byLength = (a: AutosuspendDelay, b: AutosuspendDelay) =>
  (a === 'never' ? Infinity : a) - (b === 'never' ? Infinity : b)

/** Time that the gaps stand for. */
const daysOf = ({ observed }: JudgedGaps): number => sumOf(observed, duration) / DAY

const isShorter = (to: AutosuspendDelay, { now }: DelayEvidence) => byLength(to, now) < 0

/** Awake seconds saved in 30 days. Whatever use comes, a shorter delay adds none and a longer one saves none. */
function savedSeconds(evidence: DelayEvidence, to: AutosuspendDelay): Bounds<number> | undefined {
  const change = { from: evidence.now, to }
  const blocks = blocksOf(evidence, (gap, within) => savedTimeIn(gap, change, within))
  const saved = savedTimeInterval(blocks, savedTime(evidence.gaps, change), wideningOf(evidence))
  const { maxAwake } = evidence.input
  const [least, most] = isShorter(to, evidence) ? [0, maxAwake] : [-maxAwake, 0]
  return saved && mapBounds(saved, (time) => Math.min(most, Math.max(least, time)))
}

const wideningOf = (evidence: DelayEvidence) =>
  scarcityOf(evidence) * statedWidening(evidence.input.finished?.get(evidence.input.kind))

/**
 * Factor of all half widths, 1 from `advice.min_gaps` on: with a quarter of them a half width is twice as wide. Days with few gaps look more
 * alike than the days that follow them.
 */
function scarcityOf({ gaps, input }: DelayEvidence): number {
  const ended = gaps.filter(({ isOpen }) => !isOpen).length
  return Math.sqrt(Math.max(1, input.needs.minGaps / Math.max(1, ended)))
}

/**
 * Saved seconds with each wake at its price; a wake belongs to the time in which its gap begins. How wide the interval is depends on what is
 * at risk:
 * 1. a shorter delay cannot cost money, only wakes, of which each gap brings one at the most: the plain interval, wider for few gaps;
 * 2. a longer one costs money without bound: the interval of a stated saving.
 */
function gainedSeconds(evidence: DelayEvidence, to: AutosuspendDelay): Bounds<number> | undefined {
  const { gaps, now, input } = evidence
  const change = { from: now, to }
  const priceOfWakes = (some: readonly BacktestGap[]) =>
    input.policy.wakeCost * (wakesUnder(some, now) - wakesUnder(some, to))
  const blocks = blocksOf(evidence, (gap, within) => {
    const begins = gap.from >= within.from && gap.from < within.to
    return savedTimeIn(gap, change, within) + (begins ? priceOfWakes([gap]) : 0)
  })
  const wakes = priceOfWakes(gaps)
  const gained = mapBounds(savedTime(gaps, change), (time) => time + wakes)
  return savedTimeInterval(
    blocks,
    gained,
    isShorter(to, evidence) ? scarcityOf(evidence) : wideningOf(evidence),
  )
}

function blocksOf(
  { from, to, gaps, observed, input }: DelayEvidence,
  savedBy: (gap: BacktestGap, within: Interval) => number,
): readonly (Block & Readonly<{ within: Interval }>)[] {
  const windows = blockWindows({ from, to }, input.needs)
  const count = windows.length
  const saved = windows.map(() => 0)
  const blockAt = (at: number) => Math.min(count - 1, Math.floor(((at - from) * count) / (to - from)))
  for (const gap of gaps) {
    const last = blockAt(gap.from + gap.length.likely * 1000)
    for (let at = blockAt(gap.from); at <= last; at += 1) {
      const within = windows[at]
      if (within) saved[at] = (saved[at] ?? 0) + savedBy(gap, within)
    }
  }
  return windows.map((within, at) => ({
    within,
    saved: saved[at] ?? 0,
    observed: sumOf(observed, (span) => overlap(span, within)),
  }))
}

const NOTHING: Bounds<number> = { low: 0, likely: 0, high: 0 }

const savingOf = (evidence: DelayEvidence, to: AutosuspendDelay): Bounds<Micros> =>
  money(evidence, savedSeconds(evidence, to) ?? NOTHING)

const money = ({ input }: DelayEvidence, time: Bounds<number>): Bounds<Micros> =>
  moneyOf(time, input.size, priceAt(input.prices, input.now))

/** With the delay in force. As unsure as a saving: other days may bring more use. */
function spendOf30Days(evidence: DelayEvidence): Bounds<Micros> {
  const { gaps, now, existing, input } = evidence
  const asleep = { from: 'never', to: now } as const
  const blocks = blocksOf(evidence, (gap, within) => savedTimeIn(gap, asleep, within))
  const { low, likely, high } = savedTime(gaps, asleep)
  const time = sumOf(existing, duration) / SECOND
  const awake = savedTimeInterval(
    blocks.map(({ saved, observed, within }) => ({
      saved: sumOf(existing, (span) => overlap(span, within)) / SECOND - saved,
      observed,
    })),
    { low: time - high, likely: time - likely, high: time - low },
    wideningOf(evidence),
  )
  return money(
    evidence,
    mapBounds(awake ?? NOTHING, (span) => Math.min(input.maxAwake, Math.max(0, span))),
  )
}

const wakesPerDay = (evidence: DelayEvidence, delay: AutosuspendDelay): number =>
  wakesUnder(evidence.gaps, delay) / daysOf(evidence)

const effectOf = (evidence: DelayEvidence, to: AutosuspendDelay): Effect => ({
  wakesPerDay: { before: wakesPerDay(evidence, evidence.now), after: wakesPerDay(evidence, to) },
  sessionsCut: evidence.input.sessionsCut,
  connections: undefined,
})

function groundsOf(evidence: DelayEvidence, delays: readonly AutosuspendDelay[]): Grounds {
  const { input, from, to, gaps, followedShare } = evidence
  return {
    from,
    to,
    days: daysOf(evidence),
    followed: followedShare,
    cu: input.size,
    perCuHour: priceAt(input.prices, input.now),
    gaps: gapGroups(gaps, delays, input.needs.grid),
  }
}

type Chosen = Readonly<{ saving: Bounds<Micros>; wakes: number }>

/** The chosen delay has the least cost with wakes priced, so another one loses by money or by wakes. */
function alternative(evidence: DelayEvidence, delay: AutosuspendDelay, chosen: Chosen): Alternative {
  const saving = savingOf(evidence, delay)
  const wakesMore = wakesPerDay(evidence, delay) > chosen.wakes && saving.likely >= chosen.saving.likely
  const isUnsure = delay !== 'never' && delay < evidence.judgedFrom
  const because = isUnsure ? 'unsure' : wakesMore ? 'wakes-more' : 'dearer'
  return { to: { delay }, saving, effect: effectOf(evidence, delay), because }
}
