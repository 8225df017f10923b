// What first to look at, from days alone: nothing here is known of what went on inside the computes.
import type { AuditedCompute, Finding } from '../../model/output/audit.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import { micros, millis, ratio, type Instant, type Micros } from '../../model/units.ts'
import { sumDays } from './sums.ts'
import type { CorrectedDay } from './corrected-days.ts'

const DAY = 86_400_000
/** Money of a finding is told for so many days, from as many. */
const RATE = 30 * DAY
/** Awake for so much of the last weeks, a compute never sleeps for practical purposes. Doubled doubt (0.9), office databases at month's end are among them. */
const ALWAYS = 0.95
/** Milliseconds over which that is judged. Doubled, one that was left on a week ago is told a week later. */
const RECENT = 14 * DAY
/** The least delay that the service takes. Source: service interface, "Limits". */
const LEAST_DELAY = 60
/** Savings below this are not worth a line: a cent in 30 days. */
const WORTH: Micros = micros(10_000)
/** Days after which a key that is still in use should have been replaced, and one that is not should be revoked. */
const OLD_KEY = 180
const UNUSED_KEY = 60

export type AuditedDays = {
  readonly compute: AuditedCompute
  readonly createdAt: Instant
  readonly days: readonly CorrectedDay[]
}

export function findFindings(
  judged: readonly AuditedDays[],
  keys: readonly ApiKey[],
  { from, now }: { readonly from: Instant; readonly now: Instant },
): readonly Finding[] {
  const ofComputes = judged.flatMap((one) => findingOf(one, { from, now }) ?? [])
  const ofKeys = keys.flatMap((key) => oldKey(key, now) ?? [])
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

function findingOf(
  judged: AuditedDays,
  time: { readonly from: Instant; readonly now: Instant },
): Finding | undefined {
  const { compute, createdAt } = judged
  const { ref, projectName, wakes, awake } = compute
  if (wakes === 0 && awake.high === 0) {
    return createdAt < time.from ? { kind: 'unused', ref, projectName } : undefined
  }
  return neverSleeps(judged, time.now) ?? longDelay(judged, time.now)
}

function neverSleeps({ compute, createdAt, days }: AuditedDays, now: Instant): Finding | undefined {
  const since = Math.max(now - RECENT, createdAt)
  if (now - since < 3 * DAY) return undefined
  const { awake } = sumDays(days.filter(({ to }) => to > since))
  const awakeShare = ratio(Math.min(1, awake.likely / (now - since)))
  if (awakeShare < ALWAYS) return undefined
  const { ref, projectName, delay } = compute
  const { spend } = sumDays(lastMonth(days, now))
  return {
    kind: 'never-sleeps',
    ref,
    projectName,
    awakeShare,
    autosuspendOff: delay === 'never',
    spend: spend.likely,
  }
}

/** What the same suspensions would have saved had each come at the least delay: silences in between are not known and come on top. */
function longDelay({ compute, days }: AuditedDays, now: Instant): Finding | undefined {
  const { ref, projectName, delay } = compute
  if (delay === 'never' || delay <= LEAST_DELAY) return undefined
  const { idleTail, tailSpend, wakes } = sumDays(lastMonth(days, now))
  const saving = micros((tailSpend * (delay - LEAST_DELAY)) / delay)
  if (saving < WORTH) return undefined
  return { kind: 'long-delay', ref, projectName, delay, suspends: wakes, idleTail: millis(idleTail), saving }
}

const lastMonth = (days: readonly CorrectedDay[], now: Instant): readonly CorrectedDay[] =>
  days.filter(({ to }) => to > now - RATE)

function oldKey({ name, keyId, createdAt, lastUsedAt, revoked }: ApiKey, now: Instant): Finding | undefined {
  if (revoked || createdAt === undefined) return undefined
  const days = Math.floor((now - createdAt) / DAY)
  const unusedDays = lastUsedAt === undefined ? days : Math.floor((now - lastUsedAt) / DAY)
  const isOld = days >= OLD_KEY || unusedDays >= UNUSED_KEY
  return isOld
    ? { kind: 'old-key', name, keyId, days, unusedDays: lastUsedAt === undefined ? undefined : unusedDays }
    : undefined
}
