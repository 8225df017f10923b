// Metrics of this process, counted by the client library in a registry of our own.
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client'
import type { Instant } from '../../model/units.ts'
import type { RenderedFamily } from './exposition/body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from './catalogue.ts'
import type { Family } from './catalogue/family.ts'
import { boundText, labelText, valueText } from './exposition/format.ts'

export type SelfMetrics = {
  /** A request to the service was answered or failed. */
  request(event: {
    /** Account. */
    readonly key: string
    readonly operation: string
    /** Status, `network` or `timeout`. */
    readonly code: string
    readonly priority: string
    readonly seconds: number
    /** Seconds in the line of the rate limiter. */
    readonly waited: number
    /** Share of the request allowance that the operation has now. */
    readonly share: number
    /** Requests that may go out at once now. */
    readonly tokens: number
    readonly retry: boolean
  }): void
  pass(result: 'success' | 'failure', seconds: number): void
  /** A stage of a pass ended. */
  stage(stage: string, seconds: number): void
  commit(seconds: number): void
  reading(kind: 'light' | 'full', seconds: number): void
  /** Starts the delivery counters of a receiver of events at 0. */
  receiver(sink: string): void
  delivery(sink: string, result: DeliveryResult): void
  /** Starts the delivery counters of a receiver of reports at 0. */
  reportReceiver(sink: string): void
  reportDelivery(sink: string, result: DeliveryResult): void
  /** Removes the last success of a receiver that is not configured any more, so that no alert waits for its next report. */
  reportReceiverLeft(account: string, sink: string): void
  /** `at`: seconds since 1970. */
  reportSucceeded(account: string, sink: string, at: number): void
  /** A snapshot was rendered. */
  rendered(event: RenderingResult): void
  /** The configuration was read; `isTaken`: and is now in effect. */
  reloaded(isTaken: boolean, at: Instant): void
  /** A listener answered; `route` is the pattern. */
  answered(event: { readonly route: string; readonly code: string; readonly seconds: number }): void
  /** Rejects when one of the library's own metrics cannot be read. */
  parts(): Promise<readonly RenderedFamily[]>
}

const DELIVERY_RESULTS = ['delivered', 'retry', 'failed', 'dropped'] as const
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number]

export type RenderingResult = {
  readonly seconds: number
  readonly series: number
  readonly duplicates: ReadonlyMap<FamilyKey, number>
  readonly failed: readonly FamilyKey[]
  /** Family → series that the cap left out. */
  readonly dropped: ReadonlyMap<FamilyKey, number>
}

/** Codes whose counters start at 0: the first increase of a series that starts above 0 is invisible. */
const INITIAL_CODES = [
  '200',
  '401',
  '403',
  '404',
  '423',
  '429',
  '500',
  '502',
  '503',
  '504',
  '524',
  'network',
  'timeout',
]
const PRIORITIES = ['verify', 'apply', 'poll', 'report']
const READ_OPERATIONS = ['list_projects', 'get_project', 'list_computes', 'list_operations']

/** Metrics of the library whose names promtool objects to. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
]

export function createSelfMetrics(): SelfMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const counter = (family: Family): Counter<string> =>
    new Counter({ ...described(family), registers: [registry] })
  const histogram = (family: Family): Histogram<string> =>
    new Histogram({ ...described(family), registers: [registry], buckets: BUCKETS })
  const gauge = (family: Family): Gauge<string> => new Gauge({ ...described(family), registers: [registry] })
  const requests = counter(CATALOGUE.apiRequests)
  const limited = counter(CATALOGUE.apiLimited)
  const rate = gauge(CATALOGUE.apiRate)
  const tokensLeft = gauge(CATALOGUE.apiTokens)
  const requestDuration = histogram(CATALOGUE.apiDuration)
  const retries = counter(CATALOGUE.apiRetries)
  const runs = counter(CATALOGUE.jobRuns)
  const runDuration = histogram(CATALOGUE.jobDuration)
  const stages = histogram(CATALOGUE.passStageDuration)
  const commits = histogram(CATALOGUE.storeCommit)
  const readings = histogram(CATALOGUE.readingDuration)
  const reports = counter(CATALOGUE.reportDeliveries)
  const reportSuccess = gauge(CATALOGUE.reportLastSuccess)
  const notifications = counter(CATALOGUE.notifications)
  const reloadResult = gauge(CATALOGUE.configReloaded)
  const reloadTime = gauge(CATALOGUE.configReloadTime)
  const answers = counter(CATALOGUE.httpRequests)
  const answerDuration = histogram(CATALOGUE.httpDuration)
  const rendered = renderingMetrics({ counter, gauge })
  for (const operation of READ_OPERATIONS) {
    retries.inc({ operation }, 0)
    for (const code of INITIAL_CODES) requests.inc({ operation, code, priority: 'poll' }, 0)
  }
  for (const priority of PRIORITIES) limited.inc({ priority }, 0)
  for (const result of ['success', 'failure']) runs.inc({ job_name: 'pass', result }, 0)
  return {
    request: ({ key, operation, code, priority, seconds, waited, share, tokens, retry }) => {
      requests.inc({ operation, code, priority })
      limited.inc({ priority }, waited)
      rate.set({ key, operation }, share)
      tokensLeft.set({ key }, tokens)
      requestDuration.observe({ operation }, seconds)
      if (retry) retries.inc({ operation })
    },
    pass: (result, seconds) => {
      runs.inc({ job_name: 'pass', result })
      runDuration.observe({ job_name: 'pass' }, seconds)
    },
    stage: (stage, seconds) => stages.observe({ stage }, seconds),
    commit: (seconds) => commits.observe(seconds),
    reading: (kind, seconds) => readings.observe({ kind }, seconds),
    receiver: (sink) => {
      for (const result of DELIVERY_RESULTS) notifications.inc({ sink, result }, 0)
    },
    delivery: (sink, result) => notifications.inc({ sink, result }),
    reportReceiver: (sink) => {
      for (const result of DELIVERY_RESULTS) reports.inc({ sink, result }, 0)
    },
    reportReceiverLeft: (account, sink) => reportSuccess.remove({ account, sink }),
    reportDelivery: (sink, result) => reports.inc({ sink, result }),
    reportSucceeded: (account, sink, at) => reportSuccess.set({ account, sink }, at),
    rendered,
    reloaded: (isTaken, at) => {
      reloadResult.set(isTaken ? 1 : 0)
      if (isTaken) reloadTime.set(at / 1000)
    },
    answered: ({ route, code, seconds }) => {
      answers.inc({ route, code })
      answerDuration.observe({ route }, seconds)
    },
    parts: async () => (await registry.getMetricsAsJSON()).map(renderClientMetric),
  }
}

function renderingMetrics({
  counter,
  gauge,
}: {
  readonly counter: (family: Family) => Counter<string>
  readonly gauge: (family: Family) => Gauge<string>
}): SelfMetrics['rendered'] {
  const series = gauge(CATALOGUE.series)
  const duration = gauge(CATALOGUE.renderDuration)
  const duplicates = counter(CATALOGUE.seriesDuplicate)
  const errors = counter(CATALOGUE.renderErrors)
  const dropped = counter(CATALOGUE.seriesDropped)
  return (event) => {
    series.set(event.series)
    duration.set(event.seconds)
    for (const [key, count] of event.duplicates) duplicates.inc({ family: CATALOGUE[key].name }, count)
    for (const [key, count] of event.dropped) dropped.inc({ family: CATALOGUE[key].name }, count)
    for (const key of event.failed) errors.inc({ family: CATALOGUE[key].name })
  }
}

/** Upper bounds of all histograms, seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const described = ({ name, help, labels }: Family): { name: string; help: string; labelNames: string[] } => ({
  name: PREFIX + name,
  help,
  labelNames: [...labels],
})

type ClientMetric = MetricObjectWithValues<MetricValue<string>>

/** A metric of the client library as lines. The library's own text is not used: once OpenMetrics was asked for, it renames counters for good. */
function renderClientMetric({ name, help, type, values }: ClientMetric): RenderedFamily {
  const lines = values.map(
    (value) => `${lineName(value, name)}${lineLabels(value)} ${valueText(value.value)}\n`,
  )
  return { name, help, type: type as RenderedFamily['type'], blocks: [Buffer.from(lines.join(''))] }
}

const lineName = (value: MetricValue<string>, name: string): string =>
  'metricName' in value && typeof value.metricName === 'string' ? value.metricName : name

function lineLabels({ labels }: MetricValue<string>): string {
  const present = Object.entries(labels).filter(([, value]) => value !== undefined)
  return labelText(
    present.map(([name]) => name),
    present.map(([name, value]) =>
      name === 'le' && typeof value === 'number' ? boundText(value) : String(value),
    ),
  )
}
