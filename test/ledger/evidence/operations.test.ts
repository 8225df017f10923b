// Ledger entries from operations of the service.
import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'

const asleep = { startedAt: at(0), suspendedAt: at(90), lastActive: at(10) } as const

const after = (before: Ledger, when: number, operations: readonly Operation[] = []): Ledger =>
  accounted(
    before,
    sweep(when, {
      looks: [look(when, asleep)],
      operations,
      operationsReadOf: operations.length > 0 ? ['project-one'] : [],
    }),
    { prices, overhead: 0.01, now: at(when) },
  ).ledger

const kept = (known: Ledger): readonly string[] =>
  [...known.computes.values()].flatMap(({ evidence }) => evidence.operations.map(({ action }) => action))

test('an operation that goes on is known until its end is, or for a day, however long ago all else is settled', () => {
  const open = operation('apply_config', 99, { status: 'running' })
  const begun = after(ledger(), 100, [operation('start_compute', 0), open])
  const later = [4000, 8000, 20_000].reduce((known, when) => after(known, when), begun)
  expect(kept(later)).toEqual(['apply_config'])
  const ended = { ...open, status: 'finished', updatedAt: at(21_000) }
  const settled = [25_000, 30_000].reduce((known, when) => after(known, when), after(later, 21_010, [ended]))
  expect(kept(settled)).toEqual([])
  const forgotten = [90_000, 95_000].reduce((known, when) => after(known, when), later)
  expect(kept(forgotten)).toEqual([])
})
