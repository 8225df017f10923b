import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { cu } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, project, sweep } from '../../support/build.ts'

const MINUTE = 60
/** Minutes of the awake interval, at 2 CU of a range. */
const [STARTED, SUSPENDED] = [10, 20]
/** The service counts a quarter of an hour late. */
const LAG = 15

const started = {
  sizing: { min: cu(1), max: cu(4) },
  startedAt: at(STARTED * MINUTE),
  updatedAt: at(STARTED * MINUTE),
}
const suspended = { ...started, suspendedAt: at(SUSPENDED * MINUTE), updatedAt: at(SUSPENDED * MINUTE) }

/** CU-seconds that the service shows at `minute`. */
const countedAt = (minute: number) =>
  2 * MINUTE * Math.min(SUSPENDED - STARTED, Math.max(0, minute - LAG - STARTED))

/** A list of projects, without a look at the compute. */
const listOf = (minute: number, cpuUsedSeconds = countedAt(minute)): Sweep =>
  sweep(minute * MINUTE, { projects: [project({ cpuUsedSeconds })], operationsReadOf: [] })

const lookedAt = (minute: number, over: Partial<Compute>): Sweep => ({
  ...listOf(minute),
  looks: [look(minute * MINUTE, over)],
  listedComputes: [{ projectId: 'project-one', answeredAt: at(minute * MINUTE), endpointIds: ['ep-one'] }],
  operationsReadOf: ['project-one'],
})

const apply = (before: Ledger, one: Sweep) =>
  accounted(before, one, { prices, overhead: 0.01, now: one.endedAt })

const asleep = [
  lookedAt(0, { sizing: started.sizing }),
  lookedAt(12, { ...started, state: 'active' }),
  lookedAt(SUSPENDED + 1, suspended),
].reduce((known, one) => apply(known, one).ledger, ledger())

/** Minutes to 100 in which a list wrote the compute, and its entry after them. */
function writtenIn(listAt: (minute: number) => Sweep) {
  let known = asleep
  const minutes: number[] = []
  for (let minute = SUSPENDED + 2; minute <= 100; minute += 1) {
    const { ledger: next, rows } = apply(known, listAt(minute))
    if (rows.computes.length > 0) minutes.push(minute)
    known = next
  }
  const [entry] = known.computes.values()
  return { minutes, entry }
}

const COUNTED = [26, 27, 28, 29, 30, 31, 32, 33, 34, 35]

test('a sleeping compute is written when its metering moves, and an hour after its end, which the metering never passes', () => {
  const { minutes, entry } = writtenIn(listOf)
  expect(minutes).toEqual([...COUNTED, SUSPENDED + 61])
  expect(entry?.settlesAt).toBeUndefined()
  expect(entry?.settledUntil).toBeGreaterThan(at(SUSPENDED * MINUTE))
})

test('it is final as soon as the metering passes its end', () => {
  const { minutes, entry } = writtenIn((minute) => listOf(minute, countedAt(minute) + (minute >= 50 ? 1 : 0)))
  expect(minutes).toEqual([...COUNTED, 50])
  expect(entry?.settlesAt).toBeUndefined()
  expect(entry?.settledUntil).toBeGreaterThan(at(SUSPENDED * MINUTE))
})
