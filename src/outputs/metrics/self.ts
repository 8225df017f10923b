// Counted by the client library in a registry of our own.
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client'
import { COUNTED_VERDICTS, type CountedVerdict } from '../../model/policy/change.ts'
import type { Instant } from '../../model/units.ts'
import type { RenderedFamily } from './exposition/body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from './catalogue.ts'
import { boundText, labelText, valueText } from './exposition/format.ts'

type RequestResult = Readonly<{
  key: string
  operation: string
  /** Status, `network`, `timeout`. */
  code: string
  priority: string
  seconds: number
  /** Seconds, for the rate limiter. */
  waited: number
  /** Share of the request allowance that is left to the operation. */
  share: number
  /** Requests that may go out at once. */
  tokens: number
  retry: boolean
}>

type RenderingResult = Readonly<{
  seconds: number
  series: number
  duplicates: ReadonlyMap<FamilyKey, number>
  failed: readonly FamilyKey[]
  dropped: ReadonlyMap<FamilyKey, number>
}>

/** `route`: the pattern. */
type HttpAnswer = Readonly<{ route: string; code: string; seconds: number }>

const DELIVERY_RESULTS = ['delivered', 'retry', 'failed', 'dropped'] as const
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number]

const HTTP_LISTENERS = ['telemetry', 'api'] as const
export type HttpListenerName = (typeof HTTP_LISTENERS)[number]
/** The limit that a new connection found reached: of its address, or of all. */
const CONNECTION_LIMITS = ['address', 'listener'] as const
export type ConnectionLimit = (typeof CONNECTION_LIMITS)[number]

/** Counters that start at 0: the first increase of a series that starts above 0 is invisible. */
const INITIAL_CODES = '200 401 403 404 423 429 500 502 503 504 524 network timeout'.split(' ')
const PRIORITIES = ['verify', 'apply', 'poll', 'report']
const READ_OPERATIONS = ['list_projects', 'get_project', 'list_computes', 'list_operations']

/** promtool objects to these names. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
]

/** Milliseconds between two measurements of the lag of the event loop. Each wakes the process: every 20 ms they took 0.45 % of a core, so 0.15 %. */
const LAG_INTERVAL = 100
/** Milliseconds between two measurements of the utilisation, the longest of a timer. Its metrics are misnamed, and every 100 ms they took 0.3 %. */
const NO_UTILIZATION = 2 ** 31 - 1

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type SelfMetrics = ReturnType<typeof createSelfMetrics>

export function createSelfMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: LAG_INTERVAL,
    eventLoopUtilizationTimeout: NO_UTILIZATION,
  })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const described = (name: FamilyKey) => {
    const { help, labels } = CATALOGUE[name]
    return { name: PREFIX + name, help, labelNames: [...labels], registers: [registry] }
  }
  const counter = (name: FamilyKey) => new Counter(described(name))
  const histogram = (name: FamilyKey) => new Histogram({ ...described(name), buckets: BUCKETS })
  const gauge = (name: FamilyKey) => new Gauge(described(name))
  const requests = counter('api_requests_total')
  const limited = counter('api_rate_limited_seconds_total')
  const rate = gauge('api_rate_ratio')
  const tokensLeft = gauge('api_tokens')
  const requestDuration = histogram('api_request_duration_seconds')
  const retries = counter('api_retries_total')
  const runs = counter('job_runs_total')
  const runDuration = histogram('job_duration_seconds')
  const stages = histogram('pass_stage_duration_seconds')
  const commits = histogram('store_commit_seconds')
  const readings = histogram('reading_duration_seconds')
  const reports = counter('report_deliveries_total')
  const reportDue = gauge('report_due_timestamp_seconds')
  const reportSuccess = gauge('report_last_success_timestamp_seconds')
  const notifications = counter('notifications_total')
  const verdicts = counter('verdicts_total')
  const reloadResult = gauge('config_last_reload_successful')
  const reloadTime = gauge('config_last_reload_success_timestamp_seconds')
  const answers = counter('http_requests_total')
  const refusedConnections = counter('http_connections_refused_total')
  const answerDuration = histogram('http_request_duration_seconds')
  const renderedSeries = gauge('series')
  const renderDuration = gauge('render_duration_seconds')
  const duplicates = counter('series_duplicate_total')
  const renderErrors = counter('render_errors_total')
  const dropped = counter('series_dropped_total')
  for (const operation of READ_OPERATIONS) {
    retries.inc({ operation }, 0)
    for (const code of INITIAL_CODES) requests.inc({ operation, code, priority: 'poll' }, 0)
  }
  for (const listener of HTTP_LISTENERS)
    for (const limit of CONNECTION_LIMITS) refusedConnections.inc({ listener, limit }, 0)
  for (const verdict of COUNTED_VERDICTS) verdicts.inc({ verdict }, 0)
  for (const priority of PRIORITIES) limited.inc({ priority }, 0)
  for (const result of ['success', 'failure']) runs.inc({ job_name: 'pass', result }, 0)
  return {
    request({ key, operation, code, priority, seconds, waited, share, tokens, retry }: RequestResult) {
      requests.inc({ operation, code, priority })
      limited.inc({ priority }, waited)
      rate.set({ key, operation }, share)
      tokensLeft.set({ key }, tokens)
      requestDuration.observe({ operation }, seconds)
      if (retry) retries.inc({ operation })
    },
    pass(result: 'success' | 'failure', seconds: number) {
      runs.inc({ job_name: 'pass', result })
      runDuration.observe({ job_name: 'pass' }, seconds)
    },
    stage: (stage: string, seconds: number) => stages.observe({ stage }, seconds),
    commit: (seconds: number) => commits.observe(seconds),
    reading: (kind: 'light' | 'full', seconds: number) => readings.observe({ kind }, seconds),
    verdict: (verdict: CountedVerdict) => verdicts.inc({ verdict }),
    /** Starts the counters of a receiver of events at 0. */
    receiver: (sink: string) => startDeliveries(notifications, sink),
    delivery: (sink: string, result: DeliveryResult) => notifications.inc({ sink, result }),
    /** Starts the counters of a receiver of reports at 0. */
    reportReceiver: (sink: string) => startDeliveries(reports, sink),
    reportDelivery: (sink: string, result: DeliveryResult) => reports.inc({ sink, result }),
    /** `at`: seconds since 1970. */
    reportDue: (at: number) => reportDue.set(at),
    /** Forgets a removed receiver, so that no alert waits for its next report. */
    reportReceiverLeft: (account: string, sink: string) => reportSuccess.remove({ account, sink }),
    /** `at`: seconds since 1970. */
    reportSucceeded: (account: string, sink: string, at: number) => reportSuccess.set({ account, sink }, at),
    rendered(event: RenderingResult) {
      renderedSeries.set(event.series)
      renderDuration.set(event.seconds)
      for (const [family, count] of event.duplicates) duplicates.inc({ family }, count)
      for (const [family, count] of event.dropped) dropped.inc({ family }, count)
      for (const family of event.failed) renderErrors.inc({ family })
    },
    /** `isTaken`: now in effect. */
    reloaded(isTaken: boolean, at: Instant) {
      reloadResult.set(isTaken ? 1 : 0)
      if (isTaken) reloadTime.set(at / 1000)
    },
    answered({ route, code, seconds }: HttpAnswer) {
      answers.inc({ route, code })
      answerDuration.observe({ route }, seconds)
    },
    connectionRefused: (listener: HttpListenerName, limit: ConnectionLimit) =>
      refusedConnections.inc({ listener, limit }),
    /** Rejects when a metric of the library cannot be read. */
    parts: async (): Promise<readonly RenderedFamily[]> =>
      (await registry.getMetricsAsJSON()).map(renderClientMetric),
  }
}

function startDeliveries(deliveries: Counter<string>, sink: string) {
  for (const result of DELIVERY_RESULTS) deliveries.inc({ sink, result }, 0)
}

/** The library's own text is not used: once OpenMetrics was asked for, it renames counters for good. */
function renderClientMetric(metric: MetricObjectWithValues<MetricValue<string>>): RenderedFamily {
  const { name, help, type, values } = metric
  const lines = values.map(
    (value) => `${lineName(value, name)}${lineLabels(value)} ${valueText(value.value)}\n`,
  )
  return { name, help, type: type as RenderedFamily['type'], blocks: [Buffer.from(lines.join(''))] }
}

const lineName = (value: MetricValue<string>, name: string) =>
  'metricName' in value && typeof value.metricName === 'string' ? value.metricName : name

function lineLabels({ labels }: MetricValue<string>) {
  const present = Object.entries(labels).filter(([, value]) => value !== undefined)
  return labelText(
    present.map(([name]) => name),
    present.map(([name, value]) =>
      name === 'le' && typeof value === 'number' ? boundText(value) : String(value),
    ),
  )
}
