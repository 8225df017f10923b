// Time awake by what held it: of what readings saw, and of what is known without them. The rest is not known.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type {
  AttributedInterval,
  AttributedTime,
  Attribution,
  AwakeInterval,
  Evidence,
} from '../../model/ledger/evidence.ts'
import type { ComputeEntry, Totals } from '../../model/ledger/ledger.ts'
import type { Look } from '../../model/observation.ts'
import { instant, micros, millis, type Instant, type Micros } from '../../model/units.ts'
import { lastClientActivity } from '../evidence/activity.ts'
import { attributeAt, causeKey, longestHold, parseCulpritKey } from './causes.ts'

/** Names kept of one compute; the smallest others share one. Doubled, an account of many short-lived names is twice as large. */
const NAMES = 20
const OTHER = causeKey('other')

/**
 * The stretches with the one from the last reading to the next look: what a reading saw holds until something newer is
 * known, and no longer than the delay, because after that somebody must have come again.
 */
export function attributeSinceReading(
  before: ComputeEntry,
  looks: readonly Look[],
  delay: AutosuspendDelay,
): readonly AttributedInterval[] {
  const { reading, current, evidence } = before
  const { last, usage } = reading
  const known = evidence.attributed
  if (!last || !current || last.at < current.from.earliest || (known.at(-1)?.to ?? 0) > last.at) return known
  const next = looks.find(({ askedAt }) => askedAt > last.at)
  if (!next) return known
  const to = instant(Math.min(next.askedAt, last.at + longestHold(delay)))
  const by = attributeAt(last, usage.last, millis(to - last.at))
  return Object.keys(by).length === 0 ? known : [...known, { from: last.at, to, by }]
}

/** What held one interval: each stretch with the part of it that lies inside. */
export function attributionIn(
  interval: AwakeInterval,
  evidence: Evidence,
  delay: AutosuspendDelay,
): Attribution {
  const { from, to, knownUntil } = interval
  const [begin, end] = [from.likely, to?.likely ?? knownUntil]
  const whole = millis(Math.max(0, end - begin))
  if (delay === 'never') return { [causeKey('autosuspend-off')]: whole }
  if (isChecked(interval, evidence)) return { [causeKey('availability-check')]: whole }
  return evidence.attributed.map((stretch) => inside(stretch, begin, end)).reduce(addAttribution, {})
}

function inside({ from, to, by }: AttributedInterval, begin: number, end: number): Attribution {
  const part = Math.max(0, Math.min(to, end) - Math.max(from, begin)) / (to - from)
  if (part <= 0) return {}
  return Object.fromEntries(Object.entries(by).map(([key, time]) => [key, millis(time * part)]))
}

/** How near to a start its availability check is noted. Doubled, a check a few seconds before a client's wake takes the blame for it. */
const NEAR = 5000

/** Whether the service itself woke it to see that it wakes, and nobody used it then. */
function isChecked({ from }: AwakeInterval, evidence: Evidence): boolean {
  const checked = evidence.operations.some(
    ({ action, createdAt }) =>
      action === 'check_availability' && createdAt >= from.earliest - NEAR && createdAt <= from.latest,
  )
  return checked && (lastClientActivity(evidence) ?? 0) <= from.latest
}

export function addAttribution(a: Attribution, b: Attribution): Attribution {
  const sum: Record<string, Attribution[string]> = { ...a }
  for (const [key, time] of Object.entries(b)) sum[key] = millis((sum[key] ?? 0) + time)
  const names = Object.entries(sum)
  if (names.length <= NAMES) return sum
  const ordered = names.filter(([key]) => key !== OTHER).toSorted(([, x], [, y]) => y - x)
  const rest = ordered.slice(NAMES - 1).reduce((all, [, time]) => all + time, sum[OTHER] ?? 0)
  return { ...Object.fromEntries(ordered.slice(0, NAMES - 1)), [OTHER]: millis(rest) }
}

/** The stretches of the open interval that lie before `horizon` as one: they are kept for their sum only. */
export function mergeAttribution(
  stretches: readonly AttributedInterval[],
  begin: Instant,
  horizon: Instant,
): readonly AttributedInterval[] {
  const isPast = ({ from, to }: AttributedInterval): boolean => from >= begin && to < horizon
  const past = stretches.filter(isPast)
  const first = past[0]
  const last = past.at(-1)
  if (!first || !last || past.length === 1) return stretches
  const merged = { from: first.from, to: last.to, by: past.map(({ by }) => by).reduce(addAttribution, {}) }
  return [
    ...stretches.filter(({ to }) => to <= first.from),
    merged,
    ...stretches.filter(({ from }) => from >= last.to),
  ]
}

/** Culprits listed for one compute, 5: the rest is seconds each. */
const MAX_LISTED = 5

/** Attributed awake time with its share of `spend`, the longest first. Time that no reading covers is left out. */
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
