// How states look wherever they are shown: `STATE` in query.ts has the numbers.
import type { Mapping } from './panel.ts'

export const STATE_MAPPING: Mapping = {
  0: { text: 'unknown', color: 'text', index: 3 },
  1: { text: 'asleep', color: 'blue', index: 2 },
  2: { text: 'starting', color: 'yellow', index: 1 },
  3: { text: 'awake', color: 'green', index: 0 },
}

export const YES_MAPPING: Mapping = {
  0: { text: 'no', color: 'red', index: 1 },
  1: { text: 'yes', color: 'green', index: 0 },
}

/** To one compute, from a row of a table that calls it so. */
export const TO_COMPUTE = {
  Compute: {
    title: 'Look at this compute',
    url: '/d/dormouse-compute?${datasource:queryparam}&${job:queryparam}&${currency:queryparam}&var-compute=${__value.raw}&${__url_time_range}',
  },
} as const

/** What identifies the rows of a table of computes. */
export const COMPUTE_LABELS = {
  project_name: 'Project',
  endpoint_id: 'Compute',
  type: 'Type',
  team: 'Team',
} as const
export const COMPUTE_HIDDEN = ['project_id', 'tier'] as const
