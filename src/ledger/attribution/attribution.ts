// Awake time by cause, from readings, operations and settings. The rest is unattributed.
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import type {
  AttributedInterval,
  AttributedTime,
  Attribution,
  AwakeInterval,
  Evidence,
} from '../../model/ledger/evidence.ts'
import type { ComputeEntry, Totals } from '../../model/ledger/ledger.ts'
import type { Look } from '../../model/observation.ts'
import { instant, micros, millis, type Instant, type Micros, type Interval } from '../../model/units.ts'
import { lastClientActivity } from '../evidence/activity.ts'
import { duration, overlap } from '../interval-math.ts'
import { attributeAt, causeKey, parseCulpritKey } from './causes.ts'

/** Culprits of one compute, 20, the rest as `other`: short-lived names would make the entry grow without limit. */
const MAX_CULPRITS = 20
const OTHER = causeKey('other')

/** Adds the interval from the last reading to the next look, but no longer than the delay. */
export function attributeSinceReading(
  before: ComputeEntry,
  looks: readonly Look[],
  delay: AutosuspendDelay,
): readonly AttributedInterval[] {
  const { reading, current, evidence } = before
  const { last, usage } = reading
  const { attributed } = evidence
  if (!last || !current || last.at < current.from.earliest || (attributed.at(-1)?.to ?? 0) > last.at)
    return attributed
  const next = looks.find(({ askedAt }) => askedAt > last.at)
  if (!next) return attributed
  const to = instant(Math.min(next.askedAt, last.at + delayMillis(delay)))
  const by = attributeAt(last, usage.last, millis(to - last.at))
  return Object.keys(by).length === 0 ? attributed : [...attributed, { from: last.at, to, by }]
}

/** Each attributed interval counts with its part inside `interval`. */
export function attributionIn(
  interval: AwakeInterval,
  evidence: Evidence,
  delay: AutosuspendDelay,
): Attribution {
  const { from, to, knownUntil } = interval
  const likely = { from: from.likely, to: to?.likely ?? knownUntil }
  const whole = millis(duration(likely))
  if (delay === 'never') return { [causeKey('autosuspend-off')]: whole }
  if (isAvailabilityCheck(interval, evidence)) return { [causeKey('availability-check')]: whole }
  return evidence.attributed.map((attributed) => partInside(attributed, likely)).reduce(addAttribution, {})
}

function partInside(attributed: AttributedInterval, within: Interval): Attribution {
  const part = overlap(attributed, within) / (attributed.to - attributed.from)
  if (part <= 0) return {}
  return Object.fromEntries(Object.entries(attributed.by).map(([key, time]) => [key, millis(time * part)]))
}

/** Largest distance of an operation of the service before the start it explains, 5 s, ms: wider, it would claim a client's wake. */
const MAX_OPERATION_DISTANCE = 5000

/** Whether the service woke the compute for its availability check, and no client used it then. */
const isAvailabilityCheck = (interval: AwakeInterval, evidence: Evidence) =>
  isWokenBy(['check_availability'], interval, evidence) &&
  (lastClientActivity(evidence) ?? 0) <= interval.from.latest

/** Whether the service woke the compute for a check or a change of settings; clients may have used it, too. */
export const isWokenByService = (interval: AwakeInterval, evidence: Evidence): boolean =>
  isWokenBy(['check_availability', 'apply_config'], interval, evidence)

const isWokenBy = (actions: readonly string[], { from }: AwakeInterval, { operations }: Evidence) =>
  operations.some(
    ({ action, createdAt }) =>
      actions.includes(action) &&
      createdAt >= from.earliest - MAX_OPERATION_DISTANCE &&
      createdAt <= from.latest,
  )

export function addAttribution(a: Attribution, b: Attribution): Attribution {
  const sum: Record<string, Attribution[string]> = { ...a }
  for (const [key, time] of Object.entries(b)) sum[key] = millis((sum[key] ?? 0) + time)
  const entries = Object.entries(sum)
  if (entries.length <= MAX_CULPRITS) return sum
  const ordered = entries.filter(([key]) => key !== OTHER).toSorted(([, x], [, y]) => y - x)
  const rest = ordered.slice(MAX_CULPRITS - 1).reduce((total, [, time]) => total + time, sum[OTHER] ?? 0)
  return { ...Object.fromEntries(ordered.slice(0, MAX_CULPRITS - 1)), [OTHER]: millis(rest) }
}

/** Merges the intervals between `begin` and `horizon`: only their sum is needed. */
export function mergeAttribution(
  intervals: readonly AttributedInterval[],
  begin: Instant,
  horizon: Instant,
): readonly AttributedInterval[] {
  const isPast = ({ from, to }: AttributedInterval) => from >= begin && to < horizon
  const past = intervals.filter(isPast)
  const first = past[0]
  const last = past.at(-1)
  if (!first || !last || past.length === 1) return intervals
  const merged = { from: first.from, to: last.to, by: past.map(({ by }) => by).reduce(addAttribution, {}) }
  return [
    ...intervals.filter(({ to }) => to <= first.from),
    merged,
    ...intervals.filter(({ from }) => from >= last.to),
  ]
}

/** Culprits listed for one compute, 5: the rest is seconds each. */
const MAX_LISTED = 5

/** Longest first, with its share of `spend`. Time that no reading covers is left out. */
export function topAwakeCauses({ attribution, awake }: Totals, spend: Micros): readonly AttributedTime[] {
  return Object.entries(attribution)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_LISTED)
    .map(([key, time]) => ({
      ...parseCulpritKey(key),
      time: millis(time),
      spend: micros(awake.likely === 0 ? 0 : (spend * time) / awake.likely),
    }))
}
