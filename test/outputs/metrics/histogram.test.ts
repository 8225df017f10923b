// Histograms: those of the snapshot, and how both kinds write their bounds.
import { expect, test } from 'vitest'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { ComputeView } from '../../../src/model/output/snapshot.ts'
import { MAX_REGIONS } from '../../../src/model/ledger/counters.ts'
import { millis } from '../../../src/model/units.ts'
import { bodyText, FACTS, partsOf } from '../../support/exposed.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { viewWith } from '../../support/view-with.ts'

/** Computes in one region, and what is left of two accounts' wakes in another. */
function taken() {
  const snapshot = snapshotOf(2)
  const [account] = snapshot.accounts
  if (!account) throw new Error('no account')
  const more = { regionId: 'far', count: 1, sum: millis(375), upTo: { 500: 1 } }
  const most = { regionId: 'far', count: 3, sum: millis(33_000), upTo: { 250: 1, 2000: 1 } }
  const accounts = [most, more].map((one) => ({ ...account, wakeLatency: [one] }))
  return { ...snapshot, accounts }
}

const wakesIn = (region: string, text: string): string[] =>
  text.split('\n').filter((line) => line.includes('wake_latency') && line.includes(`"${region}"`))

test.each(['text', 'openmetrics'] as const)(
  'as %s the buckets ascend and hold all below them, over all accounts',
  (format) => {
    const text = bodyText(partsOf(taken(), FACTS), format)
    expect(text).toContain('# TYPE dormouse_wake_latency_seconds histogram\n')
    expect(text.includes('# UNIT dormouse_wake_latency_seconds seconds\n')).toBe(format === 'openmetrics')
    expect(wakesIn('far', text)).toEqual([
      ...'0.25 1,0.5 2,1.0 2,2.0 3,3.0 3,5.0 3,10.0 3,30.0 3,+Inf 4'
        .split(',')
        .map((one) => one.split(' '))
        .map(
          ([bound, count]) => `dormouse_wake_latency_seconds_bucket{region_id="far",le="${bound}"} ${count}`,
        ),
      'dormouse_wake_latency_seconds_sum{region_id="far"} 33.375',
      'dormouse_wake_latency_seconds_count{region_id="far"} 4',
    ])
  },
)

test('a region with computes begins at 0, in every detail', () => {
  for (const detail of ['basic', 'full'] as const) {
    const lines = wakesIn('local', bodyText(partsOf(taken(), { ...FACTS, detail, perCompute: 'none' })))
    expect(lines).toHaveLength(11)
    expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual([])
  }
})

test('a service that makes up regions has a bounded number of histograms', () => {
  const snapshot = taken()
  const computes = Array.from({ length: 3 * MAX_REGIONS }, (_, index) => {
    const view = snapshot.computes[0] as ComputeView
    return viewWith(view, {
      identity: { compute: { ...view.identity.compute, regionId: `region-${index}` } },
    })
  })
  const text = bodyText(partsOf({ ...snapshot, computes }, FACTS))
  expect(text.match(/wake_latency_seconds_count/g)).toHaveLength(MAX_REGIONS)
  expect(wakesIn('far', text)).toHaveLength(11)
})

test('histograms of the process write their bounds in the same way', async () => {
  const self = createSelfMetrics()
  self.commit(1)
  const lines = bodyText(await self.parts()).split('\n')
  const bounds = lines.flatMap((line) => /store_commit_seconds_bucket\{le="(.+)"\} 1$/.exec(line)?.[1] ?? [])
  expect(bounds).toEqual(['1.0', '2.5', '5.0', '10.0', '30.0', '+Inf'])
})
