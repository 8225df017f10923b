// The API of the service: requests, refusals, backlog.
import { basicGauge, gauge, selfCounter, selfGauge, selfHistogram, type Family } from './family.ts'

export const SERVICE_FAMILIES = {
  apiLastRejected: basicGauge(
    'api_last_rejected_timestamp_seconds',
    ['key'],
    'When the service last refused the API key of an account; absent until then.',
  ),
  apiLastAccepted: basicGauge(
    'api_last_accepted_timestamp_seconds',
    ['key'],
    'When a sweep last went through with the API key of an account; absent until then.',
  ),
  listAge: gauge(
    'project_list_age_seconds',
    ['key'],
    'Age of the oldest record of the project list; absent before the first complete list.',
  ),
  recordAge: gauge(
    'record_age_seconds',
    ['percentile'],
    'Age of the last looks at awake computes when the snapshot was taken: 50 and 100 (the oldest); absent when none is awake.',
  ),
  sweepProblems: gauge(
    'sweep_problems',
    ['key'],
    'Requests, pages and single records that the last sweep could not read; the status names them.',
  ),
  pollBacklog: gauge(
    'poll_backlog',
    ['key', 'urgency'],
    'Projects that the last sweep left for the next one, by urgency; operations: projects whose operations are needed.',
  ),
  operationsWait: gauge(
    'operations_wait_seconds',
    ['key'],
    'Longest time that a project has waited for its operations to be read; 0 when none waits.',
  ),
  apiRequests: selfCounter(
    'api_requests_total',
    ['operation', 'code', 'priority'],
    'Requests to the service by status, network or timeout, and by priority: verify, apply, poll, report.',
  ),
  apiDuration: selfHistogram(
    'api_request_duration_seconds',
    ['operation'],
    'How long the service took to answer.',
  ),
  apiRetries: selfCounter('api_retries_total', ['operation'], 'Repeated requests; only reads are repeated.'),
  apiLimited: selfCounter(
    'api_rate_limited_seconds_total',
    ['priority'],
    'Time that requests waited for the request allowance or for the end of a 429.',
  ),
  apiTokens: selfGauge(
    'api_tokens',
    ['key'],
    'Requests that the request allowance of an account let go out at once at its last answer, ten at most; 0 while requests wait.',
  ),
  apiRate: selfGauge(
    'api_rate_ratio',
    ['key', 'operation'],
    'Share of the request allowance that 429 answers left an operation, at its last answer; it grows back over 10 minutes.',
  ),
} as const satisfies Readonly<Record<string, Family>>
