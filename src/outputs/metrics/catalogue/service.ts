import { ofAll } from './family.ts'

const { basicGauge, gauge, selfCounter, selfGauge, selfHistogram } = ofAll

export const SERVICE_FAMILIES = {
  api_last_rejected_timestamp_seconds: basicGauge(
    'When the service last refused the API key of an account; absent until then.',
    'key',
  ),
  api_last_accepted_timestamp_seconds: basicGauge(
    'When a sweep last went through with the API key of an account; absent until then.',
    'key',
  ),
  project_list_age_seconds: gauge(
    'Age of the oldest record of the project list; absent before the first complete list.',
    'key',
  ),
  record_age_seconds: gauge(
    'Age of the last looks at awake computes when the snapshot was taken: 50 and 100 (the oldest); absent when none is awake.',
    'percentile',
  ),
  sweep_problems: gauge(
    'Requests, pages and single records that the last sweep could not read; the status names them.',
    'key',
  ),
  poll_backlog: gauge(
    'Projects that the last sweep left for the next one, by urgency; operations: projects whose operations are needed.',
    'key urgency',
  ),
  operations_wait_seconds: gauge(
    'Longest time that a project has waited for its operations to be read; 0 when none waits.',
    'key',
  ),
  api_requests_total: selfCounter(
    'Requests to the service by status, network or timeout, and by priority: verify, apply, poll, report.',
    'operation code priority',
  ),
  api_request_duration_seconds: selfHistogram('How long the service took to answer.', 'operation'),
  api_retries_total: selfCounter('Repeated requests; only reads are repeated.', 'operation'),
  api_rate_limited_seconds_total: selfCounter(
    'Time that requests waited for the request allowance or for the end of a 429.',
    'priority',
  ),
  api_tokens: selfGauge(
    'Requests that the request allowance of an account let go out at once at its last answer, ten at most; 0 while requests wait.',
    'key',
  ),
  api_rate_ratio: selfGauge(
    'Share of the request allowance that 429 answers left an operation, at its last answer; it grows back over 10 minutes.',
    'key operation',
  ),
}
