import { expect, test } from 'vitest'
import { waitingRestarts } from '../../../../src/daemon/changes/brakes/policy-brakes.ts'
import type { Change } from '../../../../src/model/policy/change.ts'
import { at } from '../../../support/build.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { changeOf, SCHEDULED } from '../../../support/changes.ts'

const BUDGET = { by: 'budget', name: 'preview', rung: 100, period: at(0) } as const
const [VIEW] = snapshotOf(1).computes

test.each<[what: string, origin: Change['origin'], counted: number]>([
  ['a recommendation', { by: 'policy', id: 'ep-one.sizing.1', hash: 'h', name: 'policies[0]' }, 1],
  ['a step of a budget', BUDGET, 1],
  ['what puts a step back', { ...BUDGET, of: 'ch-step' }, 0],
  ['a revert', { by: 'revert', of: 'ch-one', name: 'policies[0]' }, 0],
])('policies want a restart by %s', (_, origin, counted) => {
  if (!VIEW) throw new Error('no compute')
  const change = changeOf({ when: 'policy', state: SCHEDULED, origin })
  expect(waitingRestarts({ ...VIEW, changes: [{ change, hold: undefined }] })).toBe(counted)
})
