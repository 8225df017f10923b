// Findings of an audit, from days and keys alone: an audit reads nothing inside computes.
import type { AuditedCompute, Finding } from '../../model/output/audit.ts'
import { MIN_AUTOSUSPEND_DELAY } from '../../model/service/compute.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import { DAY, micros, millis, ratio, type Instant, type Micros, type Interval } from '../../model/units.ts'
import { sumDays, type CorrectedDay } from './corrected-days.ts'

/** Days over which spend and saving of a finding are summed, ms. */
const MONTH = 30 * DAY
/** Share of time awake of a compute that practically never sleeps; 0.9 would include office databases at month's end. */
const ALWAYS = 0.95
/** Time over which `ALWAYS` is assessed, ms: two weeks show a compute soon after it was left on. */
const RECENT = 14 * DAY
/** Smallest saving that is reported, a cent in 30 days. */
const MIN_SAVING: Micros = micros(10_000)
/** Age in days from which on a key should be replaced. */
const OLD_KEY = 180
/** Days without use after which a key should be revoked. */
const UNUSED_KEY = 60

type AuditedDays = Readonly<{ compute: AuditedCompute; createdAt: Instant; days: readonly CorrectedDay[] }>

export function findFindings(
  assessed: readonly AuditedDays[],
  keys: readonly ApiKey[],
  span: Interval,
): readonly Finding[] {
  const ofComputes = assessed.flatMap((days) => findingOf(days, span) ?? [])
  const ofKeys = keys.flatMap((key) => findOldKey(key, span.to) ?? [])
  return [...ofComputes, ...ofKeys].toSorted((a, b) => worthOf(b) - worthOf(a))
}

const worthOf = (finding: Finding): number => {
  switch (finding.kind) {
    case 'never-sleeps':
      return finding.spend
    case 'long-delay':
      return finding.saving
    case 'unused':
    case 'old-key':
      return 0
  }
}

function findingOf(audited: AuditedDays, { from, to: now }: Interval): Finding | undefined {
  const { ref, projectName, wakes, awake } = audited.compute
  if (wakes === 0 && awake.high === 0)
    return audited.createdAt < from ? { kind: 'unused', ref, projectName } : undefined
  return findNeverSleeping(audited, now) ?? findLongDelay(audited, now)
}

function findNeverSleeping({ compute, createdAt, days }: AuditedDays, now: Instant): Finding | undefined {
  const since = Math.max(now - RECENT, createdAt)
  if (now - since < 3 * DAY) return undefined
  const { awake } = sumDays(days.filter(({ to }) => to > since))
  const awakeShare = ratio(Math.min(1, awake.likely / (now - since)))
  if (awakeShare < ALWAYS) return undefined
  const { ref, projectName, delay } = compute
  const spend = sumDays(lastMonth(days, now)).spend.likely
  return { kind: 'never-sleeps', ref, projectName, awakeShare, autosuspendOff: delay === 'never', spend }
}

/** Saving if each suspension had come at the least delay; suspensions in gaps that an audit does not see come on top. */
function findLongDelay({ compute, days }: AuditedDays, now: Instant): Finding | undefined {
  const { ref, projectName, delay } = compute
  if (delay === 'never' || delay <= MIN_AUTOSUSPEND_DELAY) return undefined
  const { idleTail, tailSpend, wakes } = sumDays(lastMonth(days, now))
  const saving = micros((tailSpend * (delay - MIN_AUTOSUSPEND_DELAY)) / delay)
  if (saving < MIN_SAVING) return undefined
  return { kind: 'long-delay', ref, projectName, delay, suspends: wakes, idleTail: millis(idleTail), saving }
}

const lastMonth = (days: readonly CorrectedDay[], now: Instant): readonly CorrectedDay[] =>
  days.filter(({ to }) => to > now - MONTH)

function findOldKey(key: ApiKey, now: Instant): Finding | undefined {
  const { name, keyId, createdAt, lastUsedAt, revoked } = key
  if (revoked || createdAt === undefined) return undefined
  const days = Math.floor((now - createdAt) / DAY)
  const unusedDays = lastUsedAt === undefined ? undefined : Math.floor((now - lastUsedAt) / DAY)
  const isOld = days >= OLD_KEY || (unusedDays ?? days) >= UNUSED_KEY
  return isOld ? { kind: 'old-key', name, keyId, days, unusedDays } : undefined
}
