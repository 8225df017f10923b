// Dormouse itself: whether it runs, whether the service answers it, whether its account is right, and whether it did harm.
import { PROJECT_OWNER } from './recording.ts'
import { BY_LABELS, metricName, type RuleGroup } from './rule.ts'

/** What the configuration of Prometheus has to call the job that scrapes Dormouse. */
const UP = 'up{job="dormouse"}'
const requests = (matchers = ''): string => `sum(rate(${metricName('apiRequests')}${matchers}[10m]))`

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
        'Nothing is watched and no other alert can fire. Look at the process and at its telemetry port.',
    },
    {
      name: 'Stale',
      severity: 'critical',
      about: 'daemon',
      core: `time() - max by (job_name) (${metricName('jobDeadline')}) > 0`,
      for: '1m',
      summary: 'Dormouse: {{ $labels.job_name }} should have succeeded {{ $value | humanizeDuration }} ago.',
      description:
        'It runs, and what it shows is old. Look at its log: the service, the store, or a pass that takes too long.',
    },
    {
      name: 'ApiErrors',
      severity: 'warning',
      about: 'daemon',
      core: `${requests('{code=~"5..|network|timeout"}')} / ${requests()} > 0.1`,
      for: '10m',
      summary: '{{ $value | humanizePercentage }} of the requests to the service fail.',
      description: 'What is shown grows old. Look at the status of the service, the network and the proxy.',
    },
    {
      name: 'ApiKeyRejected',
      severity: 'critical',
      about: 'daemon',
      // by instants: a counter of 401 is new after a restart and stands still as long as nothing is asked, and how long ago one was
      // tells nothing where passes are far apart; each replica by itself, as each has its own key file
      core: `max by (key) (${metricName('apiLastRejected')} unless ${metricName('apiLastAccepted')} >= ${metricName('apiLastRejected')})`,
      summary: 'The service refuses the API key of account {{ $labels.key }}.',
      description:
        'Nothing of that account is watched until its key file holds another key. The file is watched: no restart.',
    },
    {
      name: 'ReportFailed',
      severity: 'warning',
      about: 'daemon',
      core: `time() - max by (account, sink) (${metricName('reportLastSuccess')}) > 8 * 86400`,
      for: '1h',
      summary:
        'No report of account {{ $labels.account }} has reached {{ $labels.sink }} for {{ $value | humanizeDuration }}.',
      description: 'One is due every week. Look at the log for what the sink answers.',
    },
    {
      name: 'OperationStuck',
      severity: 'warning',
      about: 'project',
      core: `time() - min ${BY_LABELS.project} (${metricName('operationOldest')}) > 900`,
      for: '1m',
      summary:
        'An operation of {{ $labels.project_id }} has been running for {{ $value | humanizeDuration }}.',
      description:
        'The service did not end it. Its compute may be unable to wake or to change; look at the status of the service.',
    },
    {
      name: 'WakeCaused',
      severity: 'warning',
      about: 'project',
      core: `max ${BY_LABELS.project} (increase(${metricName('wakeupsCaused')}{reason=~"reading|unattributed"}[1h])) > 0`,
      summary: 'Dormouse woke a compute of {{ $labels.project_id }}.',
      description: 'It must never do that. Set `reading.mode: off` and report it.',
    },
    {
      name: 'LedgerMismatch',
      severity: 'warning',
      about: 'project',
      core: `max ${BY_LABELS.project} (abs(${metricName('reconciliationError')})) > 0.02`,
      for: '1d',
      summary:
        'The service counts {{ $value | humanizePercentage }} away from what Dormouse counts of {{ $labels.project_id }}.',
      description:
        'Its spend is not to be relied on. Look for missing operations and for time that rests on no fact.',
    },
  ],
}
