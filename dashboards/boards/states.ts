// Texts and colours of states, and the labels of compute tables. `STATE` in query.ts has the numbers.
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

/** Link from the column `Compute` of a table to the compute board. */
export const TO_COMPUTE = {
  Compute: {
    title: 'Open this compute',
    url: '/d/dormouse-compute?${datasource:queryparam}&${job:queryparam}&${currency:queryparam}&var-compute=${__value.raw}&${__url_time_range}',
  },
} as const

/** Columns that identify a row of a compute table. */
export const COMPUTE_LABELS = {
  project_name: 'Project',
  endpoint_id: 'Compute',
  type: 'Type',
  team: 'Team',
} as const
export const COMPUTE_HIDDEN = ['project_id', 'tier'] as const
