// The API of the service: requests, refusals, backlog.
import { basicGauge, gauge, selfCounter, selfGauge, selfHistogram } from './family.ts'

export const SERVICE_FAMILIES = {
  api_last_rejected_timestamp_seconds: basicGauge(
    ['key'],
    'When the service last refused the API key of an account; absent until then.',
  ),
  api_last_accepted_timestamp_seconds: basicGauge(
    ['key'],
    'When a sweep last went through with the API key of an account; absent until then.',
  ),
  project_list_age_seconds: gauge(
    ['key'],
    'Age of the oldest record of the project list; absent before the first complete list.',
  ),
  record_age_seconds: gauge(
    ['percentile'],
    'Age of the last looks at awake computes when the snapshot was taken: 50 and 100 (the oldest); absent when none is awake.',
  ),
  sweep_problems: gauge(
    ['key'],
    'Requests, pages and single records that the last sweep could not read; the status names them.',
  ),
  poll_backlog: gauge(
    ['key', 'urgency'],
    'Projects that the last sweep left for the next one, by urgency; operations: projects whose operations are needed.',
  ),
  operations_wait_seconds: gauge(
    ['key'],
    'Longest time that a project has waited for its operations to be read; 0 when none waits.',
  ),
  api_requests_total: selfCounter(
    ['operation', 'code', 'priority'],
    'Requests to the service by status, network or timeout, and by priority: verify, apply, poll, report.',
  ),
  api_request_duration_seconds: selfHistogram(['operation'], 'How long the service took to answer.'),
  api_retries_total: selfCounter(['operation'], 'Repeated requests; only reads are repeated.'),
  api_rate_limited_seconds_total: selfCounter(
    ['priority'],
    'Time that requests waited for the request allowance or for the end of a 429.',
  ),
  api_tokens: selfGauge(
    ['key'],
    'Requests that the request allowance of an account let go out at once at its last answer, ten at most; 0 while requests wait.',
  ),
  api_rate_ratio: selfGauge(
    ['key', 'operation'],
    'Share of the request allowance that 429 answers left an operation, at its last answer; it grows back over 10 minutes.',
  ),
}
