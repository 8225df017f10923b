// The cause that keeps a compute awake without use, and what ends that.
//
// 1. Readings attribute awake time to causes. A cause is without use if it has a fix: for clients this is a job that comes at regular
//    times, by the gaps between activities.
// 2. The cause with the most time is named. Its time would be saved; a suspension comes one delay after the activity before it, which
//    the lower end leaves to it in each interval.
import { parseCulpritKey } from '../ledger/attribution/causes.ts'
import { duration, overlap } from '../ledger/interval-math.ts'
import { spendOf } from '../ledger/settle/cu-time.ts'
import type { Attribution, AwakeCause } from '../model/ledger/evidence.ts'
import type { Gap } from '../model/ledger/gap.ts'
import { eachBound, scaleBounds, type Bounds } from '../model/ledger/quantities.ts'
import type { Proposal, RecommendationDetail, Withheld } from '../model/policy/recommendation.ts'
import { delayMillis, effectiveDelay } from '../model/service/compute.ts'
import {
  after,
  DAY,
  latest,
  micros,
  ratio,
  SECOND,
  seconds,
  type Micros,
  type Seconds,
  type Instant,
} from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { awakeIntervals } from './awake-time.ts'
import type { AdviseInput } from './input.ts'
import { confidenceOf, SAVING_PERIOD } from './interval.ts'
import { observedSince, propose, recentUse, withhold } from './propose.ts'

type Fix = Extract<RecommendationDetail, { kind: 'awake-for-nothing' }>['fix']

/** Undefined: nothing to be done about it, or another adviser's business. */
const FIXES: Readonly<Record<AwakeCause, Fix | undefined>> = {
  'idle-in-transaction': 'end-transaction',
  'keep-alive': 'idle-timeout',
  replication: 'drop-slot',
  subscription: 'drop-slot',
  clients: undefined,
  other: undefined,
  autovacuum: undefined,
  'autosuspend-off': undefined,
  'availability-check': undefined,
}

/** Time that is looked at, 28 days, ms: four weekday cycles. */
const HISTORY = 28 * DAY
/** Share of the spend that a cause must have, a tenth: less is within the error of the attribution. */
const MIN_SHARE = 0.1

export function adviseAwakeForNothing(input: AdviseInput): Proposal | Withheld {
  const { needs, now } = input
  const since = observedSince(input, HISTORY)
  const days = (now - since) / DAY
  const needed = (needs.minHistory * SECOND) / DAY
  if (days < needed) {
    const until = after(since, needs.minHistory)
    return withhold('awake-for-nothing', 'history-short', { have: days, needs: needed, until })
  }
  const uses = usesSince(input, since)
  const causes = new Set(uses.flatMap(({ attribution }) => Object.keys(attribution)))
  if (uses.length > 0 && causes.size === 0) return withhold('awake-for-nothing', 'no-readings')
  const period = periodSince(input, since)
  const largest = [...causes]
    .flatMap((key) => withFix(key, { uses, period }) ?? [])
    .toSorted((a, b) => b.time - a.time)[0]
  if (!largest) return withhold('awake-for-nothing', 'fits')
  const saving = savingOf(largest.key, { uses, input, scale: SAVING_PERIOD / (now - since) })
  const { spend, grounds } = recentUse(input)
  const least = micros(MIN_SHARE * spend.likely)
  if (saving.likely <= least)
    return withhold('awake-for-nothing', 'saving-small', { have: saving.likely, needs: least })
  const { culprit, fix } = largest
  return propose(input, 'awake-for-nothing', {
    spend,
    saving,
    grounds: { ...grounds, followed: attributedShare(uses) },
    confidence: confidenceOf(days, saving),
    detail: { kind: 'awake-for-nothing', culprit, period, fix },
  })
}

/** Awake time since the compute is observed. */
type Use = Readonly<{
  attribution: Attribution
  /** ms of the interval in which readings could attribute time. */
  observed: number
  /** On the part that is looked at. */
  spend: Bounds<Micros>
}>

function usesSince(input: AdviseInput, since: Instant): readonly Use[] {
  const { settings, now } = input
  return awakeIntervals(input).flatMap((interval) => {
    const part = overlap(interval, { from: since, to: now }) / duration(interval)
    const observed = interval.to - latest(interval.from, settings[0]?.since ?? interval.from)
    const { attribution, cuTime } = interval
    return part > 0 ? [{ attribution, observed, spend: scaleBounds(spendOf(cuTime), part, micros) }] : []
  })
}

const timeOf = (key: string, uses: readonly Use[]) => sumOf(uses, ({ attribution }) => attribution[key] ?? 0)

function withFix(
  key: string,
  { uses, period }: Readonly<{ uses: readonly Use[]; period: Seconds | undefined }>,
) {
  const culprit = parseCulpritKey(key)
  const isJob = culprit.cause === 'clients' && period !== undefined
  const fix = isJob ? 'move-job' : FIXES[culprit.cause]
  return fix && { key, culprit, fix, time: timeOf(key, uses) }
}

const attributedShare = (uses: readonly Use[]) =>
  ratio(
    Math.min(
      1,
      sumOf(uses, ({ attribution }) => sumOf(Object.values(attribution), Number)) /
        Math.max(
          1,
          sumOf(uses, ({ observed }) => observed),
        ),
    ),
  )

/** Money of each interval by the share of its time that the cause has. */
function savingOf(
  key: string,
  { uses, input, scale }: Readonly<{ uses: readonly Use[]; input: AdviseInput; scale: number }>,
): Bounds<Micros> {
  const delay = delayMillis(effectiveDelay(input.entry.compute, input.project?.project))
  const shareOf = ({ attribution, observed }: Use, kept: number) =>
    Math.min(1, Math.max(0, (attribution[key] ?? 0) - kept) / Math.max(1, observed))
  return eachBound((bound) =>
    micros(scale * sumOf(uses, (use) => use.spend[bound] * shareOf(use, bound === 'low' ? delay : 0))),
  )
}

/** Steps of the grid from which on a period is one, 2: clients at work all the time seem to come once a step. */
const MIN_PERIOD_STEPS = 2
/** Gaps without which a length is no period, 10: fewer are alike by chance. */
const MIN_PERIODIC = 10
/** Share of the gaps that have the period, and how far they may be from it. */
const PERIODIC_SHARE = 0.5
const PERIODIC_WIDTH = 0.1

function periodSince({ gaps, needs }: AdviseInput, since: Instant): Seconds | undefined {
  const period = gapPeriod(gaps.filter(({ from }) => from >= since))
  return period !== undefined && period >= MIN_PERIOD_STEPS * needs.grid ? period : undefined
}

/** Length of gaps, if at least half of them lie within a tenth of one: the middle of these. */
export function gapPeriod(gaps: readonly Gap[]): Seconds | undefined {
  const lengths = gaps.map(({ low, high }) => (low + high) / 2).toSorted((a, b) => a - b)
  if (lengths.length < MIN_PERIODIC) return undefined
  let [first, end] = [0, 0]
  let most: readonly number[] = []
  for (const length of lengths) {
    while ((lengths[first] ?? Infinity) < length * (1 - PERIODIC_WIDTH)) first += 1
    while ((lengths[end] ?? Infinity) <= length * (1 + PERIODIC_WIDTH)) end += 1
    if (end - first > most.length) most = lengths.slice(first, end)
  }
  const middle = most[Math.floor(most.length / 2)]
  return middle !== undefined && most.length >= PERIODIC_SHARE * lengths.length
    ? seconds(Math.round(middle))
    : undefined
}
