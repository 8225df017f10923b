import { expect, test } from 'vitest'
import {
  CATALOGUE,
  FAMILY_KEYS,
  isPerCompute,
  type FamilyKey,
} from '../../../../src/outputs/metrics/catalogue.ts'
import { collectSamples } from '../../../../src/outputs/metrics/collect/collect.ts'
import type { Samples, SeriesColumns } from '../../../../src/outputs/metrics/exposition/samples.ts'
import {
  DROP_ORDER,
  selectSeries,
  type SeriesLimits,
} from '../../../../src/outputs/metrics/collect/selection.ts'
import type { Snapshot } from '../../../../src/model/output/snapshot.ts'
import { at } from '../../../support/build.ts'
import { changeOf, tallyOf, withChanges } from '../../../support/changes.ts'
import { FACTS } from '../../../support/exposed.ts'
import { busySnapshot, snapshotOf } from '../../../support/fleet-snapshot.ts'
import { openRecommendation, withAdvice } from '../../../support/recommendations.ts'
import { viewWith } from '../../../support/view-with.ts'

const COUNT = 40
const DAY = 86_400

/** The first four are awake; of the others the later were awake longer, and the last ten have not been for a month. */
const fleet = snapshotOf(COUNT, {
  compute: (index) => {
    if (index < 4) return { state: 'active', suspendedAt: undefined }
    const old = index >= COUNT - 10
    return {
      createdAt: at(-40 * DAY),
      startedAt: at(old ? -30 * DAY : 0),
      suspendedAt: at((old ? -30 * DAY : 0) + 100 + index),
      lastActive: at((old ? -30 * DAY : 0) + 10),
    }
  },
})

const basic = FAMILY_KEYS.filter((key) => CATALOGUE[key].basic)
const each = (keys: readonly FamilyKey[]): number => keys.reduce((sum, key) => sum + CATALOGUE[key].each, 0)

const selected = (limits: Partial<SeriesLimits>, { computes, takenAt }: Snapshot = fleet) =>
  selectSeries(computes, { detail: 'basic', perCompute: 'all', maxSeries: 100_000, ...limits }, takenAt)
const idsOf = (limits: Partial<SeriesLimits>): string[] =>
  selected(limits).computes.map(({ identity: { ref } }) => ref.endpointId)

const rowsOf = (series: SeriesColumns | undefined): unknown =>
  series?.labels.map((labels, index) => [...labels, series.values[index]])

test('below the cap every compute has its series', () => {
  expect(selected({})).toMatchObject({ computes: { length: COUNT }, dropped: new Map() })
})

test('basic exports marked families and those about the whole, full exports all', () => {
  const shown = selected({}).keys
  expect(FAMILY_KEYS.filter((key) => !shown.has(key)).toSorted()).toEqual(DROP_ORDER.toSorted())
  expect(selected({ detail: 'full' }).keys.size).toBe(FAMILY_KEYS.length)
  expect(DROP_ORDER.filter((key) => CATALOGUE[key].basic || !isPerCompute(CATALOGUE[key]))).toEqual([])
})

test('at the cap families are left out one by one before computes, the largest first', () => {
  const all = each(FAMILY_KEYS)
  const { keys, computes, dropped } = selected({ detail: 'full', maxSeries: COUNT * (all - 1) })
  expect(computes).toHaveLength(COUNT)
  expect([...dropped]).toEqual([['compute_working_set_bytes', 4 * COUNT]])
  expect(keys.has('compute_average_active_sessions')).toBe(true)
  const least = selected({ detail: 'full', maxSeries: COUNT * each(basic) })
  expect(least.computes).toHaveLength(COUNT)
  expect(basic.filter((key) => !least.keys.has(key))).toEqual([])
})

test('beyond that awake computes stay, then those that cost most', () => {
  const ids = idsOf({ maxSeries: 6 * each(basic) })
  expect(ids).toEqual(['ep-0', 'ep-1', 'ep-2', 'ep-29', 'ep-28', 'ep-3'].toSorted())
  const { dropped } = selected({ maxSeries: 6 * each(basic) })
  expect(dropped.get('compute_state')).toBe((COUNT - 6) * 4)
})

test('recent leaves out computes not awake within a week, none leaves out all', () => {
  expect(idsOf({ perCompute: 'recent' })).toHaveLength(COUNT - 10)
  expect(selected({ perCompute: 'recent' }).dropped).toEqual(new Map())
  expect(idsOf({ perCompute: 'none' })).toEqual([])
})

test('a compute with an operation in progress counts as recent, however long it slept: the operation may be stuck', () => {
  const stuck = COUNT - 1
  const busy = {
    ...fleet,
    computes: fleet.computes.map((view) =>
      view.identity.ref.endpointId === `ep-${stuck}`
        ? viewWith(view, { state: { operations: [{ action: 'suspend_compute', createdAt: at(-3600) }] } })
        : view,
    ),
  }
  const facts = { ...FACTS, perCompute: 'recent' } as const
  expect(collectSamples(fleet, facts).samples.has('operation_oldest_in_progress_timestamp_seconds')).toBe(
    false,
  )
  expect(
    rowsOf(collectSamples(busy, facts).samples.get('operation_oldest_in_progress_timestamp_seconds')),
  ).toEqual([[`project-${stuck}`, 'suspend_compute', at(-3600) / 1000]])
  const capped = selected({ maxSeries: 6 * each(basic) }, busy).computes.map(
    ({ identity: { ref } }) => ref.endpointId,
  )
  expect(capped).toContain(`ep-${stuck}`)
})

test('a compute with an open change counts as recent, however long it slept', () => {
  const changed = {
    ...fleet,
    computes: fleet.computes.map((view) =>
      view.identity.ref.endpointId === `ep-${COUNT - 1}`
        ? { ...view, changes: [{ change: changeOf(), hold: undefined }] }
        : view,
    ),
  }
  const { computes } = selected({ perCompute: 'recent' }, changed)
  expect(computes.map(({ identity: { ref } }) => ref.endpointId)).toContain(`ep-${COUNT - 1}`)
  expect(computes).toHaveLength(COUNT - 9)
})

test('with changes of several kinds there is room for fewer series', () => {
  const tallies = (['delay', 'sizing', 'restart'] as const).map((kind) =>
    tallyOf({ kind, outcome: 'failed' }),
  )
  const changed = withChanges(fleet, { tallies })
  const maxSeries = COUNT * each(basic)
  const { computes, keys } = selected({ maxSeries }, changed)
  const { samples } = collectSamples(changed, { ...FACTS, detail: 'basic', maxSeries })
  expect(computes.length).toBeLessThan(COUNT)
  expect(keys.has('compute_change_last_failure_timestamp_seconds')).toBe(true)
  expect(seriesPerCompute(samples, 1)).toBeLessThanOrEqual(maxSeries)
})

test('with more than one recommendation a compute there is room for fewer series', () => {
  const open = (['delay', 'sizing', 'unused'] as const).map((kind) => openRecommendation({ kind }))
  const advised = withAdvice(fleet, open)
  const maxSeries = COUNT * each(basic)
  expect(selected({ maxSeries }).computes).toHaveLength(COUNT)
  const { computes, keys } = selected({ maxSeries }, advised)
  const { samples } = collectSamples(advised, { ...FACTS, detail: 'basic', maxSeries })
  expect(computes.length).toBeLessThan(COUNT)
  expect(keys.has('recommendation_info')).toBe(true)
  expect(seriesPerCompute(samples, 1)).toBeLessThanOrEqual(maxSeries)
})

test('an account whose service is unreachable exports no more computes than before', () => {
  const unknown = {
    ...fleet,
    computes: fleet.computes.map((view) => viewWith(view, { state: { shown: 'unknown' } })),
  }
  expect(selected({ perCompute: 'recent' }, unknown).computes).toHaveLength(COUNT - 10)
})

test('all computes are counted by state, whoever has series', () => {
  const { samples } = collectSamples(fleet, { ...FACTS, perCompute: 'none' })
  expect(rowsOf(samples.get('computes'))).toEqual([
    ['init', 0],
    ['active', 4],
    ['idle', COUNT - 4],
    ['unknown', 0],
  ])
  expect(samples.get('computes_dropped')?.values).toEqual([COUNT])
  expect(samples.has('compute_info')).toBe(false)
})

const seriesPerCompute = (samples: Samples, computes: number): number =>
  [...samples].reduce(
    (sum, [key, { values }]) => sum + (isPerCompute(CATALOGUE[key]) ? values.length : 0),
    0,
  ) / computes

test.each([
  ['basic', 1, 36],
  ['basic', 10, 36],
  ['full', 1, 70],
  ['full', 10, 70],
] as const)('%s, %i computes a project: at most %i series each', (detail, computesPerProject, most) => {
  const tallies = [tallyOf(), tallyOf({ outcome: 'failed' })]
  const taken = withChanges(withAdvice(busySnapshot(20, { computesPerProject })), { tallies })
  const { samples } = collectSamples(taken, { ...FACTS, detail })
  expect(seriesPerCompute(samples, 20)).toBeLessThanOrEqual(most)
  expect(each(FAMILY_KEYS.filter((key) => detail === 'full' || CATALOGUE[key].basic))).toBeLessThanOrEqual(
    most,
  )
})

test('no family has more series per compute than the cap assumes', () => {
  const { samples } = collectSamples(busySnapshot(1), FACTS)
  const more = [...samples].filter(([key, { values }]) => {
    const { each: count } = CATALOGUE[key]
    return count > 0 && values.length > count
  })
  expect(more.map(([key]) => key)).toEqual([])
  expect(samples.get('compute_working_set_bytes')?.values).toHaveLength(4)
})
