import { expect, test } from 'vitest'
import { addTeamWaste } from '../../../src/ledger/counters/teams.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { NO_ACCOUNT_COUNTERS } from '../../../src/model/ledger/counters.ts'
import { micros } from '../../../src/model/units.ts'
import type { Unproductive } from '../../../src/model/ledger/unproductive.ts'
import { batch, computeOf } from '../../store/build.ts'
import { ledger } from '../../support/build.ts'

const ownedBy = (team: string) => createOwners([{ match: {}, owner: { ...NO_OWNER, team } }])
const listed = () => undefined

const wasting = (unproductive?: Unproductive): ComputeEntry => {
  const { unproductive: _, ...counters } = computeOf('ep-one').counters
  const account = computeOf('ep-one')
  return { ...account, counters: unproductive ? { ...counters, unproductive } : counters }
}
const known = (account: ComputeEntry) => ({
  ...ledger(),
  computes: new Map([[computeKey(account.ref), account]]),
  counters: { ...NO_ACCOUNT_COUNTERS, teams: { shop: { idle_tail: micros(10) } } },
})

test('what a compute cost more goes to who answers for it now, and what was counted stays where it is', () => {
  const before = known(wasting({ idle_tail: micros(5) }))
  const part = { ...batch(), computes: [wasting({ idle_tail: micros(7), keep_alive: micros(3) })] }
  expect(addTeamWaste(part, { before, owners: ownedBy('shop'), listed }).counters?.teams).toEqual({
    shop: { idle_tail: 12, keep_alive: 3 },
  })
  expect(addTeamWaste(part, { before, owners: ownedBy('__proto__'), listed }).counters?.teams).toEqual(
    Object.fromEntries([
      ['shop', { idle_tail: 10 }],
      ['__proto__', { idle_tail: 2, keep_alive: 3 }],
    ]),
  )
})

test('an account of an earlier version begins where it is, and nothing is written where nothing grew', () => {
  const part = { ...batch(), computes: [wasting({ idle_tail: micros(700) })] }
  const owners = ownedBy('shop')
  expect(addTeamWaste(part, { before: known(wasting()), owners, listed })).toBe(part)
  expect(addTeamWaste(part, { before: known(wasting({ idle_tail: micros(700) })), owners, listed })).toBe(
    part,
  )
})
