// Alerts on computes: awake too long or too often, unproductive spend, small cache, many connections, failing readings, changes.
import { CHANGE_RULES } from './changes.ts'
import { COMPUTE_OWNER, CONNECTION_USE, HIT_RATIO } from './recording.ts'
import { perComputeIncrease, perComputeMax, type RuleGroup } from './rule.ts'

const COMPUTE = 'Compute {{ $labels.endpoint_id }} of {{ $labels.project_id }}'

export const COMPUTE_RULES: RuleGroup = {
  name: 'dormouse-computes',
  recordings: [COMPUTE_OWNER, HIT_RATIO, CONNECTION_USE],
  rules: [
    {
      name: 'ComputeNeverSuspends',
      severity: 'warning',
      about: 'compute',
      // four delays: with a delay of a day, a day awake is normal
      core: `time() - ${perComputeMax('compute_awake_since_timestamp_seconds')} > clamp_min(4 * ${perComputeMax('compute_autosuspend_delay_seconds')}, 86400)`,
      for: '15m',
      summary: `${COMPUTE} has been awake for {{ $value | humanizeDuration }}.`,
      description:
        'Something keeps it awake although it may suspend. `dormouse explain` names the cause and the cost.',
    },
    {
      name: 'AutosuspendDisabled',
      severity: 'info',
      about: 'compute',
      core: `${perComputeMax('compute_autosuspend_enabled')} == 0 and on (project_id, endpoint_id) ${COMPUTE_OWNER.record}{tier!="prod"}`,
      for: '1d',
      summary: `${COMPUTE} never suspends: autosuspend is off.`,
      description: 'It costs money day and night. Set a delay, or give it the tier prod if that is intended.',
    },
    {
      name: 'UnproductiveSpendHigh',
      severity: 'warning',
      about: 'compute',
      core: `${perComputeIncrease('compute_unproductive_spend_total', '7d')} > 0.2 * ${perComputeIncrease('compute_spend_total', '7d')} and ${perComputeIncrease('compute_unproductive_spend_total', '7d')} > 1`,
      for: '1h',
      summary: `${COMPUTE} cost {{ $value | humanize }} within a week while it was awake for nothing.`,
      description:
        'This is more than a fifth of its spend. `dormouse explain` names what kept it awake; most often a shorter delay helps.',
    },
    {
      name: 'FileCacheHitRatioLow',
      severity: 'warning',
      about: 'compute',
      core: `${HIT_RATIO.record} < 0.99 and on (project_id, endpoint_id) ${perComputeIncrease('compute_file_cache_misses_total', '15m')} > 1000`,
      for: '30m',
      keepFiringFor: '15m',
      summary: `${COMPUTE} finds only {{ $value | humanizePercentage }} of its pages in the file cache.`,
      description:
        'Its working set does not fit. Compare it with the cache at this size; raising the smallest size restarts the compute.',
    },
    {
      name: 'ConnectionsNearLimit',
      severity: 'warning',
      about: 'compute',
      core: `${CONNECTION_USE.record} > 0.8`,
      for: '5m',
      summary: `${COMPUTE} uses {{ $value | humanizePercentage }} of its connections.`,
      description:
        'Use the pooled host. The limit follows the smallest size, however large the compute is now.',
    },
    {
      name: 'ConnectionsAtLimit',
      severity: 'critical',
      about: 'compute',
      core: `${CONNECTION_USE.record} > 0.95`,
      for: '1m',
      summary: `${COMPUTE} uses {{ $value | humanizePercentage }} of its connections: clients are refused, or about to be.`,
      description:
        'Find who holds them and end idle sessions. Then use the pooled host, or raise the smallest size, which restarts the compute.',
    },
    {
      name: 'ComputeFlapping',
      severity: 'warning',
      about: 'compute',
      core: `${perComputeIncrease('compute_wakes_total', '1h')} > 12`,
      for: '5m',
      summary: `${COMPUTE} woke {{ $value | humanize }} times within an hour.`,
      description:
        'A client returns just after each suspension. Lengthen the delay, or slow the client down.',
    },
    {
      name: 'ReadingStale',
      severity: 'warning',
      about: 'compute',
      core: `${perComputeMax('compute_reading_success')} == 0 and on (project_id, endpoint_id) ${perComputeMax('compute_state', '{state="active"}')} == 1`,
      for: '15m',
      summary: `${COMPUTE} is awake and cannot be read.`,
      description:
        'Its connections and cache are not known. Check the role, its password, pg_monitor and the network.',
    },
    ...CHANGE_RULES,
  ],
}
