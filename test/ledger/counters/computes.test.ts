import { expect, test } from 'vitest'
import { addTeamWaste, addWakes } from '../../../src/ledger/counters.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { NO_ACCOUNT_COUNTERS, type Unproductive } from '../../../src/model/ledger/counters.ts'
import { micros } from '../../../src/model/units.ts'
import { computeOf } from '../../store/build.ts'
import { ledger } from '../../support/build.ts'

const ownedBy = (team: string) => createOwners([{ match: {}, owner: { ...NO_OWNER, team } }])
const listed = () => undefined

const wasting = (unproductive?: Unproductive): ComputeEntry => {
  const { unproductive: _, ...counters } = computeOf('ep-one').counters
  const entry = computeOf('ep-one')
  return { ...entry, counters: unproductive ? { ...counters, unproductive } : counters }
}
const withWaste = (entry: ComputeEntry) => ({
  ...ledger(),
  computes: new Map([[computeKey(entry.ref), entry]]),
  counters: { ...NO_ACCOUNT_COUNTERS, teams: { shop: { idle_tail: micros(10) } } },
})

test('new unproductive spend goes to the team that owns the compute now, counted spend stays where it is', () => {
  const before = withWaste(wasting({ idle_tail: micros(5) }))
  const after = [wasting({ idle_tail: micros(7), keep_alive: micros(3) })]
  const teams = (team: string) =>
    addTeamWaste(before.counters, after, { before, owners: ownedBy(team), listed }).teams
  expect(teams('shop')).toEqual({
    shop: { idle_tail: 12, keep_alive: 3 },
  })
  expect(teams('__proto__')).toEqual(
    Object.fromEntries([
      ['shop', { idle_tail: 10 }],
      ['__proto__', { idle_tail: 2, keep_alive: 3 }],
    ]),
  )
})

test('an entry of an earlier version starts from its present value, and without growth nothing is written', () => {
  const after = [wasting({ idle_tail: micros(700) })]
  const owners = ownedBy('shop')
  for (const entry of [wasting(), wasting({ idle_tail: micros(700) })]) {
    const before = withWaste(entry)
    expect(addTeamWaste(before.counters, after, { before, owners, listed })).toBe(before.counters)
  }
})

const woken = (wakes: number, wakesCaused: number): ComputeEntry => {
  const entry = computeOf('ep-one')
  return { ...entry, counters: { ...entry.counters, wakes, wakesCaused } }
}
const withWakes = (entry: ComputeEntry) => ({
  ...ledger(),
  computes: new Map([[computeKey(entry.ref), entry]]),
  counters: { ...NO_ACCOUNT_COUNTERS, wakes: { dormouse: 1, unknown: 10 } },
})
const wakesAfter = (before: ComputeEntry, after: ComputeEntry) =>
  addWakes(withWakes(before).counters, [after], withWakes(before)).wakes

test('wakes count for Dormouse where it caused them, and else as unknown', () => {
  expect(wakesAfter(woken(3, 0), woken(6, 1))).toEqual({ dormouse: 2, unknown: 12 })
  expect(addWakes(ledger().counters, [woken(2, 0)], ledger()).wakes).toEqual({ dormouse: 0, unknown: 2 })
})

test('wakes count for changes apart from readings', () => {
  const changed = woken(6, 1)
  const after = { ...changed, counters: { ...changed.counters, wakesByChange: 2 } }
  expect(wakesAfter(woken(3, 0), after)).toEqual({ dormouse: 2, change: 2, unknown: 10 })
})

test('a wake that is later found to be caused by Dormouse takes nothing back, and without a wake nothing is written', () => {
  expect(wakesAfter(woken(3, 0), woken(3, 1))).toEqual({ dormouse: 2, unknown: 10 })
  const same = withWakes(woken(3, 1))
  expect(addWakes(same.counters, [woken(3, 1)], same)).toBe(same.counters)
})
