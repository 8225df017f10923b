import { expect, test } from 'vitest'
import { internEntry } from '../../../src/model/ledger/interning.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'

/** A compute that slept for a day when it was looked at again. */
function asleep(): ComputeEntry {
  const context = { prices, overhead: 0.01 }
  const record = { startedAt: at(0), suspendedAt: at(600), lastActive: at(300) }
  const operations = [operation('start_compute', 0), operation('suspend_compute', 600)]
  const first = accounted(ledger(), sweep(700, { looks: [look(700, record)], operations }), {
    ...context,
    now: at(700),
  }).ledger
  const { computes } = accounted(first, sweep(86_400, { looks: [look(86_400, record)] }), {
    ...context,
    now: at(86_400),
  }).ledger
  const [found] = computes.values()
  if (!found) throw new Error('the look makes an account')
  return found
}

/** As the store gives it back. */
const read = (account: ComputeEntry): ComputeEntry => JSON.parse(JSON.stringify(account)) as ComputeEntry

test.each([
  ['folded', asleep],
  ['read from the store', () => internEntry(read(asleep()))],
])('an account that was %s has nothing twice', (_, find) => {
  const { ref, compute, settled, totals, evidence, provisional, reading } = find()
  const other = asleep()
  expect(settled.awake.likely).toBe(600_000)
  expect(totals).toBe(settled)
  expect(settled.attribution).toBe(other.settled.attribution)
  expect(evidence.starts).toBe(other.evidence.operations)
  expect(provisional).toBe(other.provisional)
  expect(reading.lags).toBe(other.reading.lags)
  expect([compute.projectId, compute.endpointId]).toEqual([ref.projectId, ref.endpointId])
})

test('it says the same', () => {
  const account = read(asleep())
  expect(internEntry(account)).toEqual(account)
})
