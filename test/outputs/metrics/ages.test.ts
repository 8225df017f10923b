// How old what is known of awake computes is: those asleep do not count, however long ago they were looked at.
import { expect, test } from 'vitest'
import { putAges } from '../../../src/outputs/metrics/collect/collect.ts'
import type { StateView, DisplayedState, Snapshot } from '../../../src/model/output/snapshot.ts'
import { at } from '../../support/build.ts'

type Seen = { readonly state: Pick<StateView, 'shown' | 'observedAt'> }

const seen = (shown: DisplayedState, ago: number): Seen => ({
  state: { shown, observedAt: at(-ago) },
})

function ages(computes: readonly Seen[]): Record<string, number> {
  const shown: Record<string, number> = {}
  putAges({ computes, takenAt: at(0) } as unknown as Snapshot, (_, [percentile = ''], value) => {
    if (value !== undefined) shown[percentile] = value
  })
  return shown
}

test.each([
  ['nothing awake has no age', [seen('idle', 900), seen('unknown', 60)], {}],
  ['one', [seen('active', 30)], { 50: 30, 100: 30 }],
  [
    'an even count: the lower of the middle',
    [seen('active', 9), seen('active', 100), seen('idle', 500)],
    { 50: 9, 100: 100 },
  ],
  ['sorted as numbers', [9, 100, 20].map((ago) => seen('active', ago)), { 50: 20, 100: 100 }],
])('%s', (_, computes, expected) => {
  expect(ages(computes)).toEqual(expected)
})
