import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countingOperations } from '../../src/daemon/operation-tallies.ts'
import type { Ledger } from '../../src/model/ledger.ts'
import type { Operation } from '../../src/model/operation.ts'
import { batch } from '../store/build.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../support/build.ts'
import { check } from '../support/property.ts'

const asleep = { startedAt: at(0), suspendedAt: at(90), lastActive: at(10) } as const

/** A pass at `when` that lists `operations`. */
function passed(before: Ledger, when: number, operations: readonly Operation[]): Ledger {
  const seen = sweep(when, { looks: [look(when, asleep)], operations, operationsOf: ['project-one'] })
  const after = accounted(before, seen, { prices, overhead: 0.01, now: at(when) }).ledger
  const part = { ...batch(), computes: [...after.computes.values()] }
  const { tallies } = countingOperations(seen)(part, before)
  return { ...after, tallies: tallies ?? before.tallies }
}

const begun = passed(ledger(), 100, [operation('start_compute', 0)])

test('an operation is counted when it is done, with the attempts that failed, and not what was before', () => {
  const running = operation('apply_config', 110, { status: 'running' })
  const failed = { ...running, status: 'error', failuresCount: 2, updatedAt: at(170) }
  const open = passed(begun, 120, [running])
  expect(open.tallies.operations).toEqual([])
  expect(passed(open, 180, [failed]).tallies.operations).toEqual([
    { action: 'apply_config', status: 'error', count: 1, failures: 2 },
  ])
})

test('however often an operation is listed it is counted once, as long as it is not later than what is settled', () => {
  const turns = fc.array(fc.tuple(fc.integer({ min: 30, max: 3000 }), fc.subarray([0, 1, 2, 3, 4, 5])), {
    maxLength: 12,
  })
  check(
    fc.property(turns, (all) => {
      const done = [110, 111, 400, 1500, 1501, 4000].map((when) => operation('apply_config', when))
      const seen = new Set<string>()
      let known = begun
      let now = 100
      for (const [gap, listed] of all) {
        now += gap
        const told = done.filter(({ updatedAt }, index) => updatedAt <= at(now) && listed.includes(index))
        known = passed(known, now, told)
        for (const { operationId } of told) seen.add(operationId)
        const count = known.tallies.operations[0]?.count ?? 0
        expect(count).toBeLessThanOrEqual(seen.size)
      }
    }),
  )
  const late = [150, 4000].map((when) => operation('apply_config', when))
  const twice = [4010, 4020, 9000, 9100].reduce((known, when) => passed(known, when, late), begun)
  expect(twice.tallies.operations).toMatchObject([{ count: 2 }])
})
