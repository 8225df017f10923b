// What every driver must do with holds, forces and brakes.
import { describe, expect, test } from 'vitest'
import type { StoredBrake } from '../../src/model/policy/brakes.ts'
import type { ForcedChange, PlacedHold } from '../../src/model/policy/placed-hold.ts'
import { commit, type Write } from '../../src/model/ports/store.ts'
import type { Instant } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { placedHold } from '../support/placed-holds.ts'
import type { Driver } from './conformance.ts'
import { plain } from './build.ts'

const FORCED: ForcedChange = { changeId: 'ch-two', by: 'ann', reason: '', forcedAt: at(1), until: at(9) }
const BREAKER: StoredBrake = {
  name: 'breaker',
  subject: '',
  because: 'failures',
  engagedAt: at(2),
  halfOpenAt: at(3),
}
const FLEET: StoredBrake = { name: 'fleet', subject: '', because: 'too many', engagedAt: at(1), count: 7 }

const write = (store: Driver['store'], ...writes: readonly Write[]) => commit(store.account('main'), writes)
const holdWrites = (...holds: readonly PlacedHold[]) =>
  holds.map((hold) => ({ kind: 'placed-hold', hold }) as const)
const forceWrites = (...given: readonly ForcedChange[]) =>
  given.map((forced) => ({ kind: 'forced-change', changeId: forced.changeId, forced }) as const)
const brakeWrites = (...brakes: readonly StoredBrake[]) =>
  brakes.map((brake) => ({ kind: 'brake', brake }) as const)

const idsOfHolds = async (store: Driver['store'], since?: Instant) =>
  (await store.placedHolds('main', since)).map(({ id }) => id)

export function holdContract(driver: () => Driver): void {
  describe('holds and brakes', () => {
    test('there are the holds that stand, the oldest first, and those that ended since a time', async () => {
      const { store } = driver()
      const one = placedHold({ id: 'hold-b', placedAt: at(2) })
      const two = placedHold({
        id: 'hold-c',
        placedAt: at(1),
        match: { project: ['dev-*'], type: 'read_only' },
      })
      const same = placedHold({ id: 'hold-a', placedAt: at(2) })
      await write(store, ...holdWrites(one, two, same))
      expect(await idsOfHolds(store)).toEqual(['hold-c', 'hold-a', 'hold-b'])
      const ended = { ...one, ended: { at: at(9), by: 'bob' } }
      await write(store, ...holdWrites(ended, { ...same, ended: { at: at(5) } }))
      const again = await driver().reopen()
      expect(await again.placedHolds('main')).toEqual(plain([two]))
      expect(await again.placedHolds('main', at(9))).toEqual(plain([two, ended]))
      expect(await idsOfHolds(again, at(5))).toEqual(['hold-c', 'hold-a', 'hold-b'])
      expect(await again.placedHolds('other', at(0))).toEqual([])
    })

    test('there are the changes that people force, until they are taken away', async () => {
      const { store } = driver()
      const other = { ...FORCED, changeId: 'ch-one' }
      const longer = { ...FORCED, until: at(60) }
      await write(store, ...forceWrites(FORCED, other))
      await write(store, ...forceWrites(longer))
      const again = await driver().reopen()
      expect(await again.forcedChanges('main')).toEqual(plain([other, longer]))
      await write(again, { kind: 'forced-change', changeId: 'ch-one', forced: undefined })
      expect(await again.forcedChanges('main')).toEqual(plain([longer]))
      expect(await again.forcedChanges('other')).toEqual([])
    })

    test('there is one state for each brake and subject', async () => {
      const { store } = driver()
      const ofOne: StoredBrake = { ...BREAKER, subject: 'ep-one' }
      await write(store, ...brakeWrites(FLEET, ofOne, BREAKER))
      const released = { ...FLEET, released: { at: at(5), by: 'ann', reason: 'meant so' } }
      await write(store, ...brakeWrites(released))
      const again = await driver().reopen()
      expect(await again.storedBrakes('main')).toEqual(plain([BREAKER, ofOne, released]))
      expect(await again.storedBrakes('other')).toEqual([])
    })
  })
}
