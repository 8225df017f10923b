// The daemon's figures beside the truth of the local service at the same instant.
import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Truth } from '../../local/engine/truth.ts'
import {
  budgetAmountText,
  countWithNoun,
  inBrackets,
  rangeText,
  spanText,
} from '../../outputs/text/amounts.ts'
import { sumOf } from '../../std/sum.ts'
import { isActing, PAST_DAYS } from './cast.ts'
import { CU_HOUR } from './configuration.ts'
import type { changedOf } from './changes.ts'
import type { recommendedOf } from './recommendations.ts'
import type { ReceivedNotification } from './receiver.ts'
import type { DemoReport } from './report.ts'

export type Summary = ReturnType<typeof buildSummary>

type SummaryInput = Readonly<{
  fleet: FleetJson
  truth: Truth
  /** Truth at the end of the past. */
  past: Truth
  urls: Readonly<Record<'page' | 'metrics' | 'api' | 'service', string>> & {
    readonly prometheus?: string
    readonly alertmanager?: string
  }
  /** Earliest first. */
  told: readonly ReceivedNotification[]
  recommended: ReturnType<typeof recommendedOf>
  changed: ReturnType<typeof changedOf>
  /** Rows about changes in the report of this week, as Markdown. */
  reported: readonly string[]
  report: DemoReport
}>

/** Wakes, suspensions and awake time are those of the truth, since the past ended; the ledger is compared over all of it. */
export function buildSummary({ fleet, truth, past, ...rest }: SummaryInput) {
  const { computes } = fleet
  const account = fleet.accounts[0]
  const before = new Map(past.computes.map((real) => [real.endpointId, real]))
  const existing = truth.computes.filter(({ port }) => port !== null)
  const summaries = existing.map((real) => computeSummary(real, before.get(real.endpointId), computes))
  const whole = wholeOf(account, truth)
  return {
    computes: summaries,
    wakes: sumOf(summaries, ({ wakes }) => wakes),
    suspends: sumOf(summaries, ({ suspends }) => suspends),
    awakeSeconds: sumOf(truth.computes, awakeIn) - sumOf(past.computes, awakeIn),
    whole: { computes: truth.computes.length, deleted: truth.computes.length - existing.length, ...whole },
    ledger: {
      errorRatio: Math.abs(whole.spend.likely - whole.spend.truth) / whole.spend.truth,
      boundsContainTruth: [
        ...summaries.map((one) => one.awakeSeconds),
        whole.awakeSeconds,
        whole.spend,
      ].every(containsTruth),
    },
    readings: readingsOf(account?.readings),
    observer: {
      wakesCaused: sumOf(truth.computes, ({ wakes }) => wakes.filter(isCausedByDormouse).length),
      awakeExtensionSeconds: account?.observer.awake_extension_seconds ?? 0,
    },
    ...rest,
  }
}

type ComputeTruth = Truth['computes'][number]

const awakeIn = ({ awakeSeconds }: ComputeTruth) => awakeSeconds

type Compared = Readonly<Record<'low' | 'likely' | 'high' | 'truth', number>>

const containsTruth = ({ low, high, truth }: Compared) => low <= truth && truth <= high

/** Computes that were deleted included. */
function wholeOf(account: FleetJson['accounts'][number] | undefined, { computes }: Truth) {
  const spend = account?.spend ?? { ...NO_BOUNDS, shown_low: 0, shown_likely: 0, shown_high: 0, currency: '' }
  const cuHours = sumOf(computes, ({ cuSeconds }) => cuSeconds) / 3600
  return {
    awakeSeconds: { ...(account?.awake_seconds ?? NO_BOUNDS), truth: sumOf(computes, awakeIn) },
    spend: { ...spend, truth: cuHours * CU_HOUR },
  }
}

const isCausedByDormouse = ({ applicationName }: Truth['computes'][number]['wakes'][number]) =>
  applicationName === 'dormouse'

/** `refused`: by the quiet rule. */
function readingsOf(readings: FleetJson['accounts'][number]['readings'] | undefined) {
  const counts = Object.entries(readings ?? {})
  const refused = sumOf(counts, ([result, count]) => (result.startsWith('skipped_') ? count : 0))
  const ok = readings?.ok ?? 0
  return { ok, refused, failed: sumOf(counts, ([, count]) => count) - ok - refused }
}

function computeSummary(
  real: ComputeTruth,
  before: ComputeTruth | undefined,
  computes: readonly ComputeJson[],
) {
  const facts = {
    endpointId: real.endpointId,
    wakes: real.wakes.length - (before?.wakes.length ?? 0),
    suspends: real.suspends - (before?.suspends ?? 0),
  }
  const observed = computes.find(({ endpoint_id }) => endpoint_id === real.endpointId)
  if (!observed)
    return {
      ...NOT_OBSERVED,
      ...facts,
      name: real.projectId,
      awakeSeconds: { ...NO_BOUNDS, truth: real.awakeSeconds },
    }
  return {
    ...facts,
    name: observed.project_name ?? real.projectId,
    state: observed.state,
    awakeSeconds: { ...observed.awake_seconds, truth: real.awakeSeconds },
    hitRatio: observed.hit_ratio,
    connections: observed.connections,
    readingAt: observed.reading_at,
    why: observed.why,
  }
}

const NO_BOUNDS = { low: 0, likely: 0, high: 0 }
const NOT_OBSERVED = {
  state: 'unknown',
  hitRatio: null,
  connections: null,
  readingAt: null,
  why: 'not seen',
}

export function summaryText(summary: Summary): string {
  const { whole, ledger, readings, observer, report } = summary
  const { spend } = whole
  const shown = { low: spend.shown_low, likely: spend.shown_likely, high: spend.shown_high }
  const money = (value: number) => budgetAmountText(value, spend.currency)
  const computes = summary.computes
    .filter(({ name }) => isActing(name))
    .map(
      ({ name, wakes, suspends, awakeSeconds }) =>
        `  ${name.padEnd(9)} ${awakeText(awakeSeconds)}; ${countWithNoun(wakes, 'wake')}, ${countWithNoun(suspends, 'suspension')}`,
    )
  return [
    '',
    `${countWithNoun(summary.wakes, 'wake')} and ${countWithNoun(summary.suspends, 'suspension')} of real Postgres processes; awake ${lengthOf(summary.awakeSeconds)} in all:`,
    ...computes,
    `All ${PAST_DAYS} days of ${countWithNoun(whole.computes, 'compute')}, ${whole.deleted} of them deleted: ${awakeText(whole.awakeSeconds)};`,
    `spend ${money(spend.truth)}, Dormouse says ${money(spend.shown_likely)}${inBrackets(rangeText(shown, money))}; ` +
      `the ledger is off by ${(ledger.errorRatio * 100).toFixed(2)} %, its bounds ${ledger.boundsContainTruth ? 'contain' : 'DO NOT CONTAIN'} the truth.`,
    `Readings: ${readings.ok} taken, ${readings.refused} refused by the quiet rule, ${readings.failed} failed. Wakes caused by readings: ${observer.wakesCaused}; ` +
      `awake time added: ${lengthOf(observer.awakeExtensionSeconds)}.`,
    notificationsLine(summary.told),
    'Recommended:',
    ...summary.recommended
      .filter(({ name, state }) => isActing(name) || state !== 'withheld')
      .map(({ name, text }) => `  ${name.padEnd(9)} ${text}`),
    ...summary.changed.map(
      ({ name, text, requests, stops, sessionsInterrupted }) =>
        `Changed: ${name} ${text}. By the truth of the service: ${countWithNoun(requests, 'request')}, ` +
        `${countWithNoun(stops, 'stop')} for it, ${countWithNoun(sessionsInterrupted, 'session')} interrupted.`,
    ),
    ...(summary.reported.length === 0
      ? []
      : ['In the report of this week:', ...summary.reported.map((line) => `  ${line}`)]),
    `The report of last week: ${report.markdown}, ${report.html}`,
  ].join('\n')
}

const awakeText = ({ low, high, truth }: Compared) =>
  `awake ${lengthOf(truth).padStart(8)}, Dormouse says ${lengthOf(low)} to ${lengthOf(high)}`

const lengthOf = (seconds: number) => spanText(seconds * 1000)

function notificationsLine(notifications: readonly ReceivedNotification[]) {
  const countOf = (state: ReceivedNotification['state']) =>
    notifications.filter((notification) => notification.state === state).length
  const alerts = `, Alertmanager ${countWithNoun(countOf('firing'), 'alert')} and ${countOf('resolved')} resolved`
  const isMonitored = notifications.some(({ by }) => by === 'alertmanager')
  return `Dormouse sent ${countWithNoun(countOf('event'), 'event')}${isMonitored ? alerts : ''}.`
}
