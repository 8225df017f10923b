// Findings of an audit beside its recommendations: delays that operations cannot judge, unused computes, old keys.
import type { AuditedCompute, Finding, UndecidedDelay } from '../../model/output/audit.ts'
import type { Withheld, WithheldBecause } from '../../model/policy/recommendation.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import { DAY, micros, ratio, type Instant, type Interval, type Micros } from '../../model/units.ts'
import { sumDays, type CorrectedDay } from './corrected-days.ts'

/** Days over which spend is summed, ms. */
const MONTH = 30 * DAY
/** Share of time awake of a compute that practically never sleeps; 0.9 would include office databases at month's end. */
const ALWAYS = 0.95
/** Time over which `ALWAYS` is assessed, ms: two weeks show a compute soon after it was left on. */
const RECENT = 14 * DAY
/** Smallest spend that is reported, a cent in 30 days. */
const MIN_SPEND: Micros = micros(10_000)
/** Age in days from which on a key should be replaced. */
const OLD_KEY = 180
/** Days without use after which a key should be revoked. */
const UNUSED_KEY = 60

/** Reasons that end with more evidence, or with a known plan. */
const UNDECIDED: ReadonlySet<WithheldBecause> = new Set([
  'history-short',
  'not-followed',
  'no-readings',
  'plan-unknown',
])

export type AssessedCompute = Readonly<{
  compute: AuditedCompute
  createdAt: Instant
  days: readonly CorrectedDay[]
  withheld: readonly Withheld[]
}>

export const findUndecided = (
  assessed: readonly AssessedCompute[],
  { to: now }: Interval,
): readonly UndecidedDelay[] =>
  assessed.flatMap((one) => undecidedDelay(one, now) ?? []).toSorted((a, b) => b.spend - a.spend)

function undecidedDelay(assessed: AssessedCompute, now: Instant): UndecidedDelay | undefined {
  const { ref, projectName, delay } = assessed.compute
  const withheld = assessed.withheld.find(({ kind }) => kind === 'delay')
  if (!withheld || !UNDECIDED.has(withheld.because)) return undefined
  const month = sumDays(assessed.days.filter(({ to }) => to > now - MONTH))
  const isAlwaysAwake = recentAwakeShare(assessed, now) >= ALWAYS
  const usual = isAlwaysAwake ? 'always-awake' : 'idle-tails'
  const cost = delay === 'never' ? 'autosuspend-off' : usual
  const spend = cost === 'idle-tails' ? month.tailSpend : month.spend.likely
  return spend < MIN_SPEND ? undefined : { ref, projectName, delay, withheld, cost, spend }
}

/** 0 in its first three days. */
function recentAwakeShare({ createdAt, days }: AssessedCompute, now: Instant) {
  const since = Math.max(now - RECENT, createdAt)
  if (now - since < 3 * DAY) return ratio(0)
  const { awake } = sumDays(days.filter(({ to }) => to > since))
  return ratio(Math.min(1, awake.likely / (now - since)))
}

export const findFindings = (
  assessed: readonly AssessedCompute[],
  keys: readonly ApiKey[],
  { from, to }: Interval,
): readonly Finding[] => [
  ...assessed.flatMap((one) => findUnused(one, from) ?? []),
  ...keys.flatMap((key) => findOldKey(key, to) ?? []),
]

const findUnused = ({ compute, createdAt }: AssessedCompute, from: Instant): Finding | undefined => {
  const { ref, projectName, wakes, awake } = compute
  const isUnused = wakes === 0 && awake.high === 0 && createdAt < from
  return isUnused ? { kind: 'unused', ref, projectName } : undefined
}

function findOldKey(key: ApiKey, now: Instant): Finding | undefined {
  const { name, keyId, createdAt, lastUsedAt, revoked } = key
  if (revoked || createdAt === undefined) return undefined
  const days = Math.floor((now - createdAt) / DAY)
  const unusedDays = lastUsedAt === undefined ? undefined : Math.floor((now - lastUsedAt) / DAY)
  const isOld = days >= OLD_KEY || (unusedDays ?? days) >= UNUSED_KEY
  return isOld ? { kind: 'old-key', name, keyId, days, unusedDays } : undefined
}
