// Recommendations as JSON: the API answers with it, reports keep it, and all texts are made of it.
import { countUpTo, type AccountCounters } from '../../model/ledger/counters.ts'
import type {
  Effect,
  Grounds,
  Life,
  Recommendation,
  RecommendationDetail,
  Setting,
  Withheld,
} from '../../model/policy/recommendation.ts'
import type { Manager } from '../../model/policy/change-policy.ts'
import { requestOf, type ChangeRequest } from '../../model/service/change-request.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import { toIso } from '../../model/time.ts'
import { millis, seconds, type Micros, type Seconds } from '../../model/units.ts'
import { targetFields, sizingFields, timeField } from './compute-fields.ts'
import type { RecommendationJson, SettingJson, WithheldJson } from './recommendation-schema.ts'
import { terraformPatch } from './terraform-patch.ts'

export type RecommendationContext = Readonly<{
  projectName: string | undefined
  computeName: string | undefined
  /** URL of the account's service, with its version. */
  baseUrl: string
  /** Median of the wakes of its region; undefined before the first. */
  wakeLatency: Seconds | undefined
  /** Owner of the settings of the compute; absent: Dormouse and people. */
  managedBy?: Manager | undefined
}>

export function recommendationJson(
  recommendation: Recommendation,
  context: RecommendationContext,
): RecommendationJson {
  const { id, hash, kind, life, ref, from, to, restarts, spend, saving, effect, confidence } = recommendation
  const request = requestOf(recommendation)
  return {
    id,
    hash,
    kind,
    state: life.state,
    ...identityJson(ref, context),
    from: settingJson(from),
    to: settingJson(to),
    restarts,
    request: request ? { ...request, body: request.body ?? null } : null,
    curl: request ? curlLine(request, context.baseUrl) : null,
    patch: (context.managedBy === 'terraform' ? terraformPatch(recommendation) : undefined) ?? null,
    spend_micros_per_30_days: spend,
    saving_micros_per_30_days: saving,
    effect: { ...effectJson(effect), wake_latency_seconds: context.wakeLatency ?? null },
    confidence,
    grounds: groundsJson(recommendation.grounds),
    alternatives: recommendation.alternatives.map((alternative) => ({
      to: settingJson(alternative.to),
      saving_micros_per_30_days: alternative.saving,
      effect: effectJson(alternative.effect),
      because: alternative.because,
    })),
    detail: recommendation.detail ? detailJson(recommendation.detail) : null,
    opened_at: toIso(recommendation.openedAt),
    confirmed_at: toIso(recommendation.confirmedAt),
    ended: endedJson(life),
    dismissed_before: recommendation.dismissedBefore ? dismissedJson(recommendation.dismissedBefore) : null,
  }
}

export const withheldJson = (
  ref: TargetRef,
  { kind, because, have, needs, until, sizing }: Withheld,
  context: Pick<RecommendationContext, 'projectName' | 'computeName'> & {
    /** In 30 days; undefined where autosuspend is on. */
    readonly alwaysOn: Micros | undefined
  },
): WithheldJson => ({
  ...identityJson(ref, context),
  kind,
  because,
  have,
  needs,
  until: timeField(until),
  sizing: sizing ?? null,
  always_on_micros_per_30_days: context.alwaysOn ?? null,
})

const identityJson = (
  ref: TargetRef,
  { projectName, computeName }: Pick<RecommendationContext, 'projectName' | 'computeName'>,
) => ({ ...targetFields(ref, projectName ?? null), name: computeName ?? null })

export const settingJson = ({ delay, sizing, poolerEnabled }: Setting): SettingJson => ({
  ...(delay !== undefined && { delay_seconds: delay }),
  ...(sizing && sizingFields(sizing)),
  ...(poolerEnabled !== undefined && { pooler_enabled: poolerEnabled }),
})

const effectJson = ({ wakesPerDay, sessionsCut, connections, throttled }: Effect) => ({
  wakes_per_day: wakesPerDay ?? null,
  sessions_cut: sessionsCut ?? null,
  connections: connections ?? null,
  throttled_share: throttled ?? null,
})

/** Decimals of lengths in seconds and of numbers of gaps: both are means or parts. */
const GROUP_DECIMALS = 6

const rounded = (value: number) => Number(value.toFixed(GROUP_DECIMALS))

const groundsJson = ({ from, to, days, followed, cu, perCuHour, gaps }: Grounds) => ({
  from: toIso(from),
  to: toIso(to),
  days,
  followed_share: followed,
  cu,
  price_micros_per_cu_hour: perCuHour,
  gaps: gaps.map(({ low, high, count }): [number, number, number] => [
    rounded(low),
    rounded(high),
    rounded(count),
  ]),
})

function detailJson(detail: RecommendationDetail): NonNullable<RecommendationJson['detail']> {
  switch (detail.kind) {
    case 'awake-for-nothing': {
      const { cause, application, user, database } = detail.culprit
      const period_seconds = detail.period ?? null
      return { kind: detail.kind, cause, application, user, database, period_seconds, fix: detail.fix }
    }
    case 'unused':
      return { kind: detail.kind, what: detail.what, since: timeField(detail.since) }
    case 'refresh':
      return {
        kind: detail.kind,
        started_at: timeField(detail.startedAt),
        rides_with: detail.ridesWith ?? null,
      }
    case 'cache':
      return { kind: detail.kind, hit_ratio: detail.hitRatio, target: detail.target }
    case 'defaults': {
      const { delay = null, sizing = null } = detail.keeps ?? {}
      return { kind: detail.kind, lives: detail.lives, at_once: detail.atOnce, keeps: { delay, sizing } }
    }
    case 'budget':
    case 'pooler':
      return detail
  }
}

const NOT_ENDED = {
  because: null,
  by: null,
  until: null,
  promised_micros_per_30_days: null,
  realised_micros_per_30_days: null,
}

function endedJson(life: Life): RecommendationJson['ended'] {
  if (life.state === 'open') return null
  const ended = { ...NOT_ENDED, at: toIso(life.at) }
  switch (life.state) {
    case 'implemented':
      return {
        ...ended,
        promised_micros_per_30_days: life.promised ?? null,
        realised_micros_per_30_days: life.realised ?? null,
      }
    case 'superseded':
      return { ...ended, because: life.by }
    case 'withdrawn':
      return { ...ended, because: life.because }
    case 'dismissed':
      return { ...ended, because: life.reason, by: life.by, until: timeField(life.until) }
  }
}

const dismissedJson = ({
  id,
  to,
  saving,
  at,
  until,
  reason,
  by,
}: NonNullable<Recommendation['dismissedBefore']>) => ({
  id,
  at: toIso(at),
  until: timeField(until),
  by,
  because: reason,
  to: settingJson(to),
  saving_micros_per_30_days: saving,
})

/** Name of the variable with the API key in printed commands. */
const KEY_VARIABLE = 'DORMOUSE_API_KEY'

/** For a POSIX shell, without the key itself. */
function curlLine({ method, path, body }: ChangeRequest, baseUrl: string) {
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`
  const data =
    body === undefined
      ? ''
      : ` -H 'Content-Type: application/json' --data ${shellQuoted(JSON.stringify(body))}`
  return `curl -X ${method} ${shellQuoted(url)} -H "Authorization: Bearer $${KEY_VARIABLE}"${data}`
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Bound of the bucket that has the median; undefined without a wake of that region. */
export function medianWakeLatency(
  counters: AccountCounters['wakeLatency'],
  regionId: string,
): Seconds | undefined {
  const histogram = counters.find((one) => one.regionId === regionId)
  if (!histogram || histogram.count === 0) return undefined
  const bounds = Object.keys(histogram.upTo)
    .map(Number)
    .toSorted((a, b) => a - b)
  const median = bounds.find((bound) => 2 * countUpTo(histogram, millis(bound)) >= histogram.count)
  return median === undefined ? undefined : seconds(median / 1000)
}
