// The API of the service: what is asked of it, what it refuses, what is left for later.
import { inBasicDetail, gauge, selfCounter, selfGauge, selfHistogram, type Family } from './family.ts'

export const SERVICE_FAMILIES = {
  apiLastRejected: inBasicDetail(
    gauge(
      'api_last_rejected_timestamp_seconds',
      ['key'],
      'When the service last refused the API key of an account; absent until then.',
    ),
  ),
  apiLastAccepted: inBasicDetail(
    gauge(
      'api_last_accepted_timestamp_seconds',
      ['key'],
      'When a sweep last went through with the API key of an account; absent until then.',
    ),
  ),
  listAge: gauge(
    'project_list_age_seconds',
    ['key'],
    'Age of what the list tells of the project that was listed longest ago; absent before the first whole list.',
  ),
  recordAge: gauge(
    'record_age_seconds',
    ['percentile'],
    'How long ago computes that are awake were looked at, when the snapshot was taken: 50 and 100 (the oldest); absent when none is awake.',
  ),
  sweepProblems: gauge(
    'sweep_problems',
    ['key'],
    'Requests, pages and single records that the last sweep could not read; the status names them.',
  ),
  pollBacklog: gauge(
    'poll_backlog',
    ['key', 'urgency'],
    'Projects that the last sweep left for the next one, by why their computes were to be looked at; operations: those whose operations are needed.',
  ),
  operationsWait: gauge(
    'operations_wait_seconds',
    ['key'],
    'How long the project has waited whose operations, which nothing else can replace, wait for longest; 0 while none does.',
  ),
  apiRequests: selfCounter(
    'api_requests_total',
    ['operation', 'code', 'priority'],
    'Requests to the service by status, or network, or timeout, and by whom they are for: verify, apply, poll, report.',
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
    'Time that requests waited for the request budget or for a 429 to end.',
  ),
  apiTokens: selfGauge(
    'api_tokens',
    ['key'],
    'Requests that the request budget of an account let go out at once, at its last answer, ten at most; 0 while they wait for it.',
  ),
  apiRate: selfGauge(
    'api_rate_ratio',
    ['key', 'operation'],
    'Share of the request budget that 429 answers left an operation, at its last answer; it grows back over 10 minutes.',
  ),
} as const satisfies Readonly<Record<string, Family>>
