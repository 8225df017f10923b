import { expect, test } from 'vitest'
import { addWakes } from '../../../src/ledger/counters/wakes.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { NO_ACCOUNT_COUNTERS } from '../../../src/model/ledger/counters.ts'
import { batch, computeOf } from '../../store/build.ts'
import { ledger } from '../../support/build.ts'

const woken = (wakes: number, wakesCaused: number): ComputeEntry => {
  const account = computeOf('ep-one')
  return { ...account, counters: { ...account.counters, wakes, wakesCaused } }
}
const known = (account: ComputeEntry) => ({
  ...ledger(),
  computes: new Map([[computeKey(account.ref), account]]),
  counters: { ...NO_ACCOUNT_COUNTERS, wakes: { dormouse: 1, unknown: 10 } },
})
const wakesAfter = (before: ComputeEntry, after: ComputeEntry) =>
  addWakes({ ...batch(), computes: [after] }, known(before)).counters?.wakes

test('wakes are those of a session of ours where it shows, and else of nobody known', () => {
  expect(wakesAfter(woken(3, 0), woken(6, 1))).toEqual({ dormouse: 2, unknown: 12 })
  expect(addWakes({ ...batch(), computes: [woken(2, 0)] }, ledger()).counters?.wakes).toEqual({
    dormouse: 0,
    unknown: 2,
  })
})

test('a wake that turns out to be ours takes nothing back, and where none came nothing is written', () => {
  expect(wakesAfter(woken(3, 0), woken(3, 1))).toEqual({ dormouse: 2, unknown: 10 })
  const part = { ...batch(), computes: [woken(3, 1)] }
  expect(addWakes(part, known(woken(3, 1)))).toBe(part)
})
