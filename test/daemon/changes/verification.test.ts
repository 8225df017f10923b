// What a look of a pass says about a change that is judged.
import { expect, test } from 'vitest'
import { createVerification } from '../../../src/daemon/changes/verification.ts'
import type { Change, JudgedState } from '../../../src/model/policy/change.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { adviseEntry } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'

/** Second at which the service showed 0.25 CU. */
const EFFECT = 1000
const STATE: JudgedState = {
  at: 'verifying',
  since: at(EFFECT),
  operationIds: [],
  sent: { at: at(EFFECT - 1), sessions: 0, effectiveAt: at(EFFECT) },
  judgement: { good: 0, bad: 0, lookedAt: undefined, restarts: 1 },
}
const POLICY: Change['origin'] = { by: 'policy', id: 'ep-one.sizing.1', hash: 'hash', name: 'policies[0]' }

test.each([
  [15, 'undecided'],
  [15.001, 'superseded'],
])('another size in the answer to a look %s s after the effect: %s', async (passed, expected) => {
  const observedAt = at(EFFECT + passed)
  const entry = adviseEntry({ observedAt }, { sizing: { fixed: cu(1) } })
  const { judge } = createVerification({
    history: { rollups: async function* () {} },
    entryOf: () => entry,
    defaultDelayOf: () => seconds(300),
    warmUp: () => seconds(3600),
    now: () => observedAt,
  })
  const { verdict } = await judge(changeOf({ ref: entry.ref, origin: POLICY }), STATE)
  expect(verdict).toBe(expected)
})
