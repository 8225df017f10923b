// Alerts on changes: one that failed, one that waits too long.
import { metricName, type AlertRule } from './rule.ts'
import type { FamilyKey } from '../../src/outputs/metrics/catalogue.ts'

const CHANGE =
  'The change of kind {{ $labels.kind }} of {{ with $labels.endpoint_id }}compute {{ . }} of {{ end }}{{ $labels.project_id }}'

/** Stands for the kind in conditions about changes, which are written once for each kind. */
export const ANY_KIND = '<kind>'

const perChangeMax = (key: FamilyKey): string =>
  `max by (project_id, endpoint_id) (${metricName(key)}{kind="${ANY_KIND}"})`

export const CHANGE_RULES: readonly AlertRule[] = [
  {
    name: 'ChangeFailed',
    severity: 'critical',
    about: 'change',
    // an instant: a counter would miss the failure of a daemon that stops right after it
    core: `time() - ${perChangeMax('compute_change_last_failure_timestamp_seconds')} < 900`,
    summary: `${CHANGE} failed.`,
    description:
      'Its settings may be half applied. `dormouse changes` says why; compare the settings that the compute has now.',
  },
  {
    name: 'ChangePendingTooLong',
    severity: 'warning',
    about: 'change',
    core: `time() - ${perChangeMax('compute_change_pending_since_timestamp_seconds')} > 7 * 86400`,
    for: '1h',
    summary: `${CHANGE} has been open for {{ $value | humanizeDuration }}.`,
    description:
      'Nobody approved it, or no moment fitted. `dormouse plan` says what it waits for; apply it now, or cancel it.',
  },
]
