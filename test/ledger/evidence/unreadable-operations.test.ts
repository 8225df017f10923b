// A list of operations of which a record does not fit does not tell all that happened.
import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { UnreadableOperations } from '../../../src/model/observation.ts'
import { accounted } from '../../support/accounted.ts'
import { ledger, look, operation, prices, sweep } from '../../support/build.ts'

const BEFORE = [operation('start_compute', -2000), operation('suspend_compute', -1400)]
const ASLEEP = [0, 1200, 2400, 3600, 4800]

/** High bound of awake time at each look, s, when the operations read at `lostAt` had an unreadable one; looks show the compute asleep. */
function highs(lostAt: number, lost: readonly UnreadableOperations[]): number[] {
  let before: Ledger = ledger()
  return ASLEEP.map((when) => {
    const observed = sweep(when, {
      looks: [look(when)],
      operations: when === 0 ? BEFORE : [],
      unreadableOperations: when === lostAt ? lost : [],
    })
    const after = accounted(before, observed, { prices, overhead: 0, now: observed.endedAt })
    before = after.ledger
    return (after.rows.computes[0]?.totals.awake.high ?? 0) / 1000
  })
}

const mine = { projectId: 'project-one', endpointId: 'ep-one' }
const anybody = { projectId: 'project-one', endpointId: undefined }

test.each([
  ['of the compute', mine],
  ['of nobody knows whom', anybody],
])('what a list does not tell may have happened before it: of a record %s', (_, lost) => {
  const [whole, broken] = [highs(0, []), highs(1200, [lost])]
  expect((broken.at(-1) ?? 0) - (whole.at(-1) ?? 0)).toBeGreaterThanOrEqual(1200)
  // Behind it the lists tell all again.
  expect(broken.at(-1)).toBe(broken.at(-3))
})

test.each([
  ['of another compute', { ...mine, endpointId: 'ep-two' }],
  ['of another project', { ...anybody, projectId: 'project-two' }],
])('a record %s says nothing', (_, lost) => {
  expect(highs(1200, [lost])).toEqual(highs(0, []))
})
