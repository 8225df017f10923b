import { expect, test } from 'vitest'
import { withWakes } from '../../../src/ledger/counters/wakes.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { ComputeAccount } from '../../../src/model/ledger/ledger.ts'
import { NO_TALLIES } from '../../../src/model/ledger/counters.ts'
import { batch, computeOf } from '../../store/build.ts'
import { ledger } from '../../support/build.ts'

const woken = (wakes: number, wakesCaused: number): ComputeAccount => {
  const account = computeOf('ep-one')
  return { ...account, counters: { ...account.counters, wakes, wakesCaused } }
}
const known = (account: ComputeAccount) => ({
  ...ledger(),
  computes: new Map([[computeKey(account.ref), account]]),
  tallies: { ...NO_TALLIES, wakes: { dormouse: 1, unknown: 10 } },
})
const wakesAfter = (before: ComputeAccount, after: ComputeAccount) =>
  withWakes({ ...batch(), computes: [after] }, known(before)).tallies?.wakes

test('wakes are those of a session of ours where it shows, and else of nobody known', () => {
  expect(wakesAfter(woken(3, 0), woken(6, 1))).toEqual({ dormouse: 2, unknown: 12 })
  expect(withWakes({ ...batch(), computes: [woken(2, 0)] }, ledger()).tallies?.wakes).toEqual({
    dormouse: 0,
    unknown: 2,
  })
})

test('a wake that turns out to be ours takes nothing back, and where none came nothing is written', () => {
  expect(wakesAfter(woken(3, 0), woken(3, 1))).toEqual({ dormouse: 2, unknown: 10 })
  const part = { ...batch(), computes: [woken(3, 1)] }
  expect(withWakes(part, known(woken(3, 1)))).toBe(part)
})
