// Metrics about this process: events, kept by the client library in a registry of our own.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Instant } from '../../model/units.ts'
import type { RenderedFamily } from './exposition/body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from './catalogue.ts'
import type { Family } from './catalogue/family.ts'
import { renderClientMetric } from './exposition/client-metrics.ts'

export type SelfMetrics = {
  /** One request to the service: its operation, its status or `network` or `timeout`, and how long it waited and took. */
  request(event: {
    /** The account. */
    readonly key: string
    readonly operation: string
    readonly code: string
    readonly priority: string
    readonly seconds: number
    readonly waited: number
    /** Of the rate, what the operation has now. */
    readonly share: number
    /** Requests that may go out at once now. */
    readonly tokens: number
    readonly retry: boolean
  }): void
  pass(result: 'success' | 'failure', seconds: number): void
  commit(seconds: number): void
  reading(kind: 'light' | 'full', seconds: number): void
  /** One that is told of events: its attempts count from 0. */
  receiver(sink: string): void
  delivery(sink: string, result: DeliveryResult): void
  /** One that is sent reports: its attempts count from 0. */
  reportReceiver(sink: string): void
  reportDelivery(sink: string, result: DeliveryResult): void
  /** It is sent no reports any more: nobody is to wait for the next. */
  reportReceiverLeft(account: string, sink: string): void
  /** `at`: seconds since 1970. */
  reportSucceeded(account: string, sink: string, at: number): void
  /** One rendering of a snapshot. */
  rendered(event: RenderingResult): void
  /** The configuration was read, and taken over or not. */
  reloaded(isTaken: boolean, at: Instant): void
  /** One answer of a listener, by the pattern of its route. */
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
  /** Series that the cap left out. */
  readonly dropped: ReadonlyMap<FamilyKey, number>
}

/** A request is counted from 0 for these, so that the first failure is an increase. */
const KNOWN_CODES = [
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
/** Whom requests are for. */
const PRIORITIES = ['verify', 'apply', 'poll', 'report']
const READ_OPERATIONS = ['list_projects', 'get_project', 'list_computes', 'list_operations']

/** Of the library's own metrics those whose names promtool objects to. */
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
  const left = gauge(CATALOGUE.apiTokens)
  const requestDuration = histogram(CATALOGUE.apiDuration)
  const retries = counter(CATALOGUE.apiRetries)
  const runs = counter(CATALOGUE.jobRuns)
  const runDuration = histogram(CATALOGUE.jobDuration)
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
    for (const code of KNOWN_CODES) requests.inc({ operation, code, priority: 'poll' }, 0)
  }
  for (const priority of PRIORITIES) limited.inc({ priority }, 0)
  for (const result of ['success', 'failure']) runs.inc({ job_name: 'pass', result }, 0)
  return {
    request: ({ key, operation, code, priority, seconds, waited, share, tokens, retry }) => {
      requests.inc({ operation, code, priority })
      limited.inc({ priority }, waited)
      rate.set({ key, operation }, share)
      left.set({ key }, tokens)
      requestDuration.observe({ operation }, seconds)
      if (retry) retries.inc({ operation })
    },
    pass: (result, seconds) => {
      runs.inc({ job_name: 'pass', result })
      runDuration.observe({ job_name: 'pass' }, seconds)
    },
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

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const described = ({ name, help, labels }: Family): { name: string; help: string; labelNames: string[] } => ({
  name: PREFIX + name,
  help,
  labelNames: [...labels],
})
