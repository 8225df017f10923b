// Alerts on Dormouse itself: whether it runs, the service answers, the ledger is accurate, and it causes no wakes.
import { PROJECT_OWNER } from './recording.ts'
import { BY_LABELS, metricName, type RuleGroup } from './rule.ts'

/** The scrape job of Dormouse must have this name in the configuration of Prometheus. */
const UP = 'up{job="dormouse"}'
/** By instance, since sidecars are daemons of their own, with accounts and sinks of the same names: one that works must not hide another. */
const AT = 'Dormouse at {{ $labels.instance }}'
const WAKES_BY_READING = `increase(${metricName('wakeups_caused_total')}{reason=~"reading|unattributed"}[1h])`
const requests = (matchers = ''): string =>
  `sum by (instance) (rate(${metricName('api_requests_total')}${matchers}[10m]))`

export const DAEMON_RULES: RuleGroup = {
  name: 'dormouse-daemon',
  recordings: [PROJECT_OWNER],
  rules: [
    {
      name: 'Down',
      severity: 'critical',
      about: 'daemon',
      core: `max by (job, instance) (${UP}) == 0 or absent(${UP})`,
      for: '5m',
      summary: 'Dormouse{{ with $labels.instance }} at {{ . }}{{ end }} cannot be scraped.',
      description:
        'Nothing is observed and no other alert can fire. Check the process and its telemetry port.',
    },
    {
      name: 'Stale',
      severity: 'critical',
      about: 'daemon',
      core: `time() - max by (job_name, instance) (${metricName('job_deadline_timestamp_seconds')}) > 0`,
      for: '1m',
      summary: `${AT}: {{ $labels.job_name }} should have succeeded {{ $value | humanizeDuration }} ago.`,
      description:
        'It runs, but its data is old. Check its log for the service, the store, or a pass that takes too long.',
    },
    {
      name: 'ApiErrors',
      severity: 'warning',
      about: 'daemon',
      core: `${requests('{code!~"2..|401|404|429"}')} / ${requests()} > 0.1`,
      for: '10m',
      summary: `${AT}: {{ $value | humanizePercentage }} of the requests to the service fail.`,
      description: 'The data becomes old. Check the status of the service, the network and the proxy.',
    },
    {
      name: 'ApiKeyRejected',
      severity: 'critical',
      about: 'daemon',
      // Compares instants: a counter of 401 starts anew after a restart and stands still while nothing is sent, and its age says
      // nothing where passes are far apart. Each replica by itself, as each has its own key file.
      core: `max by (key, instance) (${metricName('api_last_rejected_timestamp_seconds')} unless ${metricName('api_last_accepted_timestamp_seconds')} >= ${metricName('api_last_rejected_timestamp_seconds')})`,
      summary: `${AT}: the service refuses the API key of account {{ $labels.key }}.`,
      description:
        'That account is not observed until its key file holds a valid key. A new key is picked up without a restart.',
    },
    {
      name: 'ReportFailed',
      severity: 'warning',
      about: 'daemon',
      // both sides are ages: the report that was due more than a day ago has not arrived
      core: `time() - max by (account, sink, instance) (${metricName('report_last_success_timestamp_seconds')}) > on (instance) group_left () (time() - max by (instance) (${metricName('report_due_timestamp_seconds')}) > 86400)`,
      for: '1h',
      summary: `${AT}: no report of account {{ $labels.account }} has reached {{ $labels.sink }} for {{ $value | humanizeDuration }}.`,
      description: 'One was due more than a day ago. The log has the response of the sink.',
    },
    {
      name: 'BrakeEngaged',
      severity: 'warning',
      about: 'daemon',
      // the hold-off follows every start; freezes and holds are meant, and end
      core: `max by (brake, instance) (${metricName('brake_engaged')}{brake!~"hold_off|freeze|hold"}) == 1`,
      for: '5m',
      summary: `${AT}: the brake {{ $labels.brake }} is engaged: changes wait.`,
      description: '`dormouse brakes` says why, and what releases it.',
    },
    {
      name: 'OperationStuck',
      severity: 'warning',
      about: 'project',
      core: `time() - min ${BY_LABELS.project} (${metricName('operation_oldest_in_progress_timestamp_seconds')}) > 900`,
      for: '1m',
      summary:
        'An operation of {{ $labels.project_id }} has been running for {{ $value | humanizeDuration }}.',
      description:
        'The service has not finished it. Its compute may be unable to wake or to change. Check the status of the service.',
    },
    {
      name: 'WakeCaused',
      severity: 'warning',
      about: 'project',
      core: `max ${BY_LABELS.project} (${WAKES_BY_READING}) > 0`,
      // where computes have no series, a project has none before its first wake, which is no increase
      ofFleet: `max by (instance) (increase(${metricName('wakes_total')}{initiator="dormouse"}[1h])) > 0 unless on (instance) (${WAKES_BY_READING} > 0 and on (project_id) ${PROJECT_OWNER.record})`,
      summary: 'Dormouse woke a compute{{ with $labels.project_id }} of {{ . }}{{ end }}.',
      description: 'It must never do that. Set `reading.mode: off` and report it.',
    },
    {
      name: 'LedgerMismatch',
      severity: 'warning',
      about: 'project',
      core: `max ${BY_LABELS.project} (abs(${metricName('ledger_reconciliation_error_ratio')})) > 0.02`,
      for: '1d',
      summary:
        'The metering of {{ $labels.project_id }} lies {{ $value | humanizePercentage }} outside the bounds of the ledger.',
      description: 'Do not rely on its spend. Look for missing operations and for assumed time.',
    },
  ],
}
