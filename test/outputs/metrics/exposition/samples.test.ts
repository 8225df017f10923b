// What one snapshot's samples leave to the next saves work, and shows nowhere.
import { expect, test } from 'vitest'
import { collectSamples } from '../../../../src/outputs/metrics/collect/collect.ts'
import { createSampleMemory } from '../../../../src/outputs/metrics/exposition/samples.ts'
import { FACTS } from '../../../support/exposed.ts'
import { busySnapshot, snapshotOf } from '../../../support/fleet-snapshot.ts'

test('samples are the same with and without a memory, for growing and shrinking fleets', () => {
  const memory = createSampleMemory()
  const [small, large] = [busySnapshot(3), busySnapshot(8, { computesPerProject: 2 })]
  for (const taken of [small, large, snapshotOf(4), small, { ...large, computes: [] }, large]) {
    for (const detail of ['full', 'basic'] as const) {
      const facts = { ...FACTS, detail }
      expect(collectSamples(taken, facts, memory)).toEqual(collectSamples(taken, facts))
    }
  }
})

test('labels of a compute are made once', () => {
  const memory = createSampleMemory()
  const taken = busySnapshot(2)
  const collected = () => collectSamples(taken, FACTS, memory).samples
  for (const key of [
    'compute_state',
    'compute_connections',
    'compute_spend_total',
    'compute_wakes_total',
  ] as const) {
    const first = [...(collected().get(key)?.labels ?? [])]
    const second = collected().get(key)?.labels ?? []
    expect(first.length).toBeGreaterThan(0)
    for (const [index, labels] of first.entries()) expect(second[index]).toBe(labels)
  }
})
