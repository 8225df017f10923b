// What a demo came to: the daemon's account beside the truth of the local service at the same instant.
import type { ComputeJson, FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Truth } from '../../local/engine/truth.ts'
import {
  budgetAmountText,
  countWithNoun,
  inBrackets,
  rangeText,
  spanText,
} from '../../outputs/text/amounts.ts'
import type { ReceivedNotification } from './receiver.ts'
import type { DemoReport } from './report.ts'

export type Summary = {
  readonly computes: readonly ComputeSummary[]
  readonly wakes: number
  readonly suspends: number
  readonly awakeSeconds: number
  readonly spend: {
    readonly low: number
    readonly likely: number
    readonly high: number
    readonly currency: string
  }
  readonly ledger: { readonly errorRatio: number; readonly boundsContainTruth: boolean }
  /** Taken; held back by the quiet rule; tried in vain. */
  readonly readings: { readonly ok: number; readonly refused: number; readonly failed: number }
  readonly observer: { readonly wakesCaused: number; readonly awakeExtensionSeconds: number }
  /** Everything that somebody was told of, the earliest first. */
  readonly told: readonly ReceivedNotification[]
  readonly report: DemoReport
  readonly urls: {
    readonly page: string
    readonly metrics: string
    readonly api: string
    readonly service: string
    readonly prometheus?: string
    readonly alertmanager?: string
  }
}

export type ComputeSummary = {
  readonly name: string
  readonly endpointId: string
  readonly state: string
  readonly wakes: number
  readonly suspends: number
  readonly awakeSeconds: {
    readonly low: number
    readonly likely: number
    readonly high: number
    readonly truth: number
  }
  readonly boundsContainTruth: boolean
  readonly hitRatio: number | null
  readonly connections: number | null
  readonly readingAt: string | null
  readonly why: string
}

export type SummaryInput = {
  readonly fleet: FleetJson
  /** As of `fleet.taken_at`. */
  readonly truth: Truth
} & Pick<Summary, 'urls' | 'told' | 'report'>

/** Wakes, suspensions and awake time are the truth's; the ledger is judged by it. */
export function buildSummary({ fleet, truth, ...rest }: SummaryInput): Summary {
  const { computes } = fleet
  const account = fleet.accounts[0]
  const summaries = truth.computes.map((real) => computeSummary(real, computes))
  const cuSeconds = computes.reduce((sum, { cu_seconds }) => sum + cu_seconds.likely, 0)
  const trueCuSeconds = sum(truth.computes.map((real) => real.cuSeconds))
  return {
    computes: summaries,
    wakes: sum(truth.computes.map(({ wakes }) => wakes.length)),
    suspends: sum(truth.computes.map(({ suspends }) => suspends)),
    awakeSeconds: sum(truth.computes.map(({ awakeSeconds }) => awakeSeconds)),
    spend: account?.spend ?? { low: 0, likely: 0, high: 0, currency: '' },
    ledger: {
      errorRatio: trueCuSeconds === 0 ? 0 : Math.abs(cuSeconds - trueCuSeconds) / trueCuSeconds,
      boundsContainTruth: summaries.every(({ boundsContainTruth }) => boundsContainTruth),
    },
    readings: readingsOf(account?.readings),
    observer: {
      wakesCaused: sum(truth.computes.map(({ wakes }) => wakes.filter(isOurs).length)),
      awakeExtensionSeconds: account?.observer.awake_extension_seconds ?? 0,
    },
    ...rest,
  }
}

/** By the service's truth: a start that a session of Dormouse caused. */
const isOurs = ({ applicationName }: Truth['computes'][number]['wakes'][number]): boolean =>
  applicationName === 'dormouse'

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

function readingsOf(readings: FleetJson['accounts'][number]['readings'] | undefined): Summary['readings'] {
  const counts = Object.entries(readings ?? {})
  const refused = sum(counts.map(([result, count]) => (result.startsWith('skipped_') ? count : 0)))
  const ok = readings?.ok ?? 0
  return { ok, refused, failed: sum(counts.map(([, count]) => count)) - ok - refused }
}

function computeSummary(real: Truth['computes'][number], computes: readonly ComputeJson[]): ComputeSummary {
  const facts = { endpointId: real.endpointId, wakes: real.wakes.length, suspends: real.suspends }
  const seen = computes.find(({ endpoint_id }) => endpoint_id === real.endpointId)
  if (!seen)
    return {
      ...UNSEEN,
      ...facts,
      name: real.projectId,
      awakeSeconds: { ...NO_TIME, truth: real.awakeSeconds },
    }
  const { low, high } = seen.awake_seconds
  return {
    ...facts,
    name: seen.project_name ?? real.projectId,
    state: seen.state,
    awakeSeconds: { ...seen.awake_seconds, truth: real.awakeSeconds },
    boundsContainTruth: low <= real.awakeSeconds && real.awakeSeconds <= high,
    hitRatio: seen.hit_ratio,
    connections: seen.connections,
    readingAt: seen.reading_at,
    why: seen.why,
  }
}

const NO_TIME = { low: 0, likely: 0, high: 0 }
/** A compute that the daemon does not know: its account says nothing, so it contains nothing. */
const UNSEEN = {
  state: 'unknown',
  boundsContainTruth: false,
  hitRatio: null,
  connections: null,
  readingAt: null,
  why: 'not seen',
}

/** The same for a person. */
export function summaryText(summary: Summary): string {
  const { spend, ledger, readings, observer, report } = summary
  const told = (value: number): string => budgetAmountText(value, spend.currency)
  const computes = summary.computes.map(({ name, wakes, suspends, awakeSeconds }) => {
    const { low, high, truth } = awakeSeconds
    return `  ${name.padEnd(9)} awake ${lengthOf(truth).padStart(8)}, Dormouse says ${low.toFixed(1)} to ${high.toFixed(1)} s; ${countWithNoun(wakes, 'wake')}, ${countWithNoun(suspends, 'suspension')}`
  })
  return [
    '',
    `${countWithNoun(summary.wakes, 'wake')} and ${countWithNoun(summary.suspends, 'suspension')} of real Postgres processes; awake ${lengthOf(summary.awakeSeconds)} in all:`,
    ...computes,
    `Spend ${told(spend.likely)}${inBrackets(rangeText(spend, told))}; ` +
      `the ledger is off by ${(ledger.errorRatio * 100).toFixed(2)} %, its bounds ${ledger.boundsContainTruth ? 'contain' : 'DO NOT CONTAIN'} the truth.`,
    `Readings: ${readings.ok} taken, ${readings.refused} times held back by the quiet rule, ${readings.failed} failed. Wakes caused by looking: ${observer.wakesCaused}; ` +
      `awake time added: ${lengthOf(observer.awakeExtensionSeconds)}.`,
    toldLine(summary.told),
    `The report of this week: ${report.markdown}, ${report.html}`,
  ].join('\n')
}

const lengthOf = (seconds: number): string => spanText(seconds * 1000)

function toldLine(told: readonly ReceivedNotification[]): string {
  const of = (state: ReceivedNotification['state']): number =>
    told.filter((one) => one.state === state).length
  const alerts = `, Alertmanager of ${countWithNoun(of('firing'), 'alert')} and ${of('resolved')} that ended`
  const isMonitored = told.some(({ by }) => by === 'alertmanager')
  return `Dormouse told of ${countWithNoun(of('event'), 'event')}${isMonitored ? alerts : ''}.`
}
