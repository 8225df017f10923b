// Metrics about this process: events, kept by the client library in a registry of our own.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { CATALOGUE, PREFIX, type Family } from './catalogue.ts'

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
    readonly retry: boolean
  }): void
  pass(result: 'success' | 'failure', seconds: number): void
  commit(seconds: number): void
  /** The text of the registry; never rejects: a failure is an empty part. */
  text(): Promise<string>
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
  const requests = counter(CATALOGUE.apiRequests)
  const limited = counter(CATALOGUE.apiLimited)
  const rate = new Gauge({ ...described(CATALOGUE.apiRate), registers: [registry] })
  const requestDuration = histogram(CATALOGUE.apiDuration)
  const retries = counter(CATALOGUE.apiRetries)
  const runs = counter(CATALOGUE.jobRuns)
  const runDuration = histogram(CATALOGUE.jobDuration)
  const commits = histogram(CATALOGUE.storeCommit)
  for (const operation of READ_OPERATIONS) {
    retries.inc({ operation }, 0)
    for (const code of KNOWN_CODES) requests.inc({ operation, code, priority: 'poll' }, 0)
  }
  for (const priority of PRIORITIES) limited.inc({ priority }, 0)
  for (const result of ['success', 'failure']) runs.inc({ job_name: 'pass', result }, 0)
  return {
    request: ({ key, operation, code, priority, seconds, waited, share, retry }) => {
      requests.inc({ operation, code, priority })
      limited.inc({ priority }, waited)
      rate.set({ key, operation }, share)
      requestDuration.observe({ operation }, seconds)
      if (retry) retries.inc({ operation })
    },
    pass: (result, seconds) => {
      runs.inc({ job_name: 'pass', result })
      runDuration.observe({ job_name: 'pass' }, seconds)
    },
    commit: (seconds) => commits.observe(seconds),
    text: () => registry.metrics().catch(() => ''),
  }
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const described = ({ name, help, labels }: Family): { name: string; help: string; labelNames: string[] } => ({
  name: PREFIX + name,
  help,
  labelNames: [...labels],
})
