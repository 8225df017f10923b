import { expect, test } from 'vitest'
import type { ComputeView } from '../../../../src/model/output/snapshot.ts'
import { bytes, ratio, seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { bodyText, FACTS, partsOf } from '../../../support/exposed.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'

const fleet = snapshotOf(1)
const cache = {
  incarnation: at(0),
  hits: 9,
  misses: 1,
  writes: 1,
  totalHits: 9,
  totalMisses: 1,
  totalWrites: 1,
}

/** Families of one compute that was read at 300. */
function familiesOf(state: Partial<ComputeView['state']>): ReadonlySet<string> {
  const computes = fleet.computes.map((view) => ({
    ...view,
    state: { ...view.state, ...state },
    reading: {
      ...view.reading,
      at: at(300),
      cache: { ...cache, hitRatio: ratio(0.9) },
      workingSet: [{ window: seconds(300), size: bytes(8192) }],
      averageActive: 0.5,
      longestTransaction: seconds(3600),
    },
  }))
  const text = bodyText(partsOf({ ...fleet, computes }, { ...FACTS, detail: 'full' }))
  return new Set(text.split('\n').flatMap((line) => /^dormouse_(compute_\w+)\{/.exec(line)?.[1] ?? []))
}

const OF_THE_MOMENT = [
  'compute_file_cache_lifetime_hit_ratio',
  'compute_working_set_bytes',
  'compute_average_active_sessions',
  'compute_longest_transaction_seconds',
]

test.each([
  ['awake since before the reading', { shown: 'active', awakeSince: at(100) }, true],
  ['awake again, and not read since', { shown: 'active', awakeSince: at(400) }, false],
  ['asleep', { shown: 'idle', awakeSince: undefined }, false],
  ['in an unknown state', { shown: 'unknown', awakeSince: at(100) }, false],
] as const)('what a reading saw of the moment is exported while it lasts: %s', (_, state, isExported) => {
  const families = familiesOf(state)
  expect(OF_THE_MOMENT.filter((name) => families.has(name))).toEqual(isExported ? OF_THE_MOMENT : [])
  expect(families).toContain('compute_file_cache_hits_total')
  expect(families).toContain('compute_reading_timestamp_seconds')
})
