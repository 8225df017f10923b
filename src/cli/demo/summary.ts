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
import type { recommendedOf } from './recommendations.ts'
import type { ReceivedNotification } from './receiver.ts'
import type { DemoReport } from './report.ts'

export type Summary = ReturnType<typeof buildSummary>

type SummaryInput = Readonly<{
  fleet: FleetJson
  truth: Truth
  urls: Readonly<Record<'page' | 'metrics' | 'api' | 'service', string>> & {
    readonly prometheus?: string
    readonly alertmanager?: string
  }
  /** Earliest first. */
  told: readonly ReceivedNotification[]
  recommended: ReturnType<typeof recommendedOf>
  report: DemoReport
}>

/** Wakes, suspensions and awake time are those of the truth. */
export function buildSummary({ fleet, truth, ...rest }: SummaryInput) {
  const { computes } = fleet
  const account = fleet.accounts[0]
  const summaries = truth.computes.map((real) => computeSummary(real, computes))
  const cuSeconds = sumOf(computes, ({ cu_seconds }) => cu_seconds.likely)
  const trueCuSeconds = sumOf(truth.computes, (real) => real.cuSeconds)
  return {
    computes: summaries,
    wakes: sumOf(truth.computes, ({ wakes }) => wakes.length),
    suspends: sumOf(truth.computes, ({ suspends }) => suspends),
    awakeSeconds: sumOf(truth.computes, ({ awakeSeconds }) => awakeSeconds),
    spend: account?.spend ?? { low: 0, likely: 0, high: 0, currency: '' },
    ledger: {
      errorRatio: trueCuSeconds === 0 ? 0 : Math.abs(cuSeconds - trueCuSeconds) / trueCuSeconds,
      boundsContainTruth: summaries.every(({ boundsContainTruth }) => boundsContainTruth),
    },
    readings: readingsOf(account?.readings),
    observer: {
      wakesCaused: sumOf(truth.computes, ({ wakes }) => wakes.filter(isCausedByDormouse).length),
      awakeExtensionSeconds: account?.observer.awake_extension_seconds ?? 0,
    },
    ...rest,
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

function computeSummary(real: Truth['computes'][number], computes: readonly ComputeJson[]) {
  const facts = { endpointId: real.endpointId, wakes: real.wakes.length, suspends: real.suspends }
  const observed = computes.find(({ endpoint_id }) => endpoint_id === real.endpointId)
  if (!observed)
    return {
      ...NOT_OBSERVED,
      ...facts,
      name: real.projectId,
      awakeSeconds: { ...NO_TIME, truth: real.awakeSeconds },
    }
  const { low, high } = observed.awake_seconds
  return {
    ...facts,
    name: observed.project_name ?? real.projectId,
    state: observed.state,
    awakeSeconds: { ...observed.awake_seconds, truth: real.awakeSeconds },
    boundsContainTruth: low <= real.awakeSeconds && real.awakeSeconds <= high,
    hitRatio: observed.hit_ratio,
    connections: observed.connections,
    readingAt: observed.reading_at,
    why: observed.why,
  }
}

const NO_TIME = { low: 0, likely: 0, high: 0 }
const NOT_OBSERVED = {
  state: 'unknown',
  boundsContainTruth: false,
  hitRatio: null,
  connections: null,
  readingAt: null,
  why: 'not seen',
}

export function summaryText(summary: Summary): string {
  const { spend, ledger, readings, observer, report } = summary
  const money = (value: number) => budgetAmountText(value, spend.currency)
  const computes = summary.computes.map(({ name, wakes, suspends, awakeSeconds }) => {
    const { low, high, truth } = awakeSeconds
    return `  ${name.padEnd(9)} awake ${lengthOf(truth).padStart(8)}, Dormouse says ${low.toFixed(1)} to ${high.toFixed(1)} s; ${countWithNoun(wakes, 'wake')}, ${countWithNoun(suspends, 'suspension')}`
  })
  return [
    '',
    `${countWithNoun(summary.wakes, 'wake')} and ${countWithNoun(summary.suspends, 'suspension')} of real Postgres processes; awake ${lengthOf(summary.awakeSeconds)} in all:`,
    ...computes,
    `Spend ${money(spend.likely)}${inBrackets(rangeText(spend, money))}; ` +
      `the ledger is off by ${(ledger.errorRatio * 100).toFixed(2)} %, its bounds ${ledger.boundsContainTruth ? 'contain' : 'DO NOT CONTAIN'} the truth.`,
    `Readings: ${readings.ok} taken, ${readings.refused} refused by the quiet rule, ${readings.failed} failed. Wakes caused by readings: ${observer.wakesCaused}; ` +
      `awake time added: ${lengthOf(observer.awakeExtensionSeconds)}.`,
    notificationsLine(summary.told),
    'Recommended:',
    ...summary.recommended.map(({ name, text }) => `  ${name.padEnd(9)} ${text}`),
    `The report of this week: ${report.markdown}, ${report.html}`,
  ].join('\n')
}

const lengthOf = (seconds: number) => spanText(seconds * 1000)

function notificationsLine(notifications: readonly ReceivedNotification[]) {
  const countOf = (state: ReceivedNotification['state']) =>
    notifications.filter((notification) => notification.state === state).length
  const alerts = `, Alertmanager ${countWithNoun(countOf('firing'), 'alert')} and ${countOf('resolved')} resolved`
  const isMonitored = notifications.some(({ by }) => by === 'alertmanager')
  return `Dormouse sent ${countWithNoun(countOf('event'), 'event')}${isMonitored ? alerts : ''}.`
}
