// Holds and brakes for tests.
import { createPlacedHolds, type PlacedHolds } from '../../src/daemon/changes/placed-holds.ts'
import { createStoredBrakes, type StoredBrakes } from '../../src/daemon/changes/stored-brakes.ts'
import type { PlacedHold } from '../../src/model/policy/placed-hold.ts'
import { ok } from '../../src/std/result.ts'
import { at } from './build.ts'

/** By ann on everything, placed at minute 0, until minute 60. */
export const placedHold = (fields: Partial<PlacedHold> = {}): PlacedHold => ({
  id: 'hold-one',
  match: {},
  reason: 'the release',
  by: 'ann',
  placedAt: at(0),
  until: at(3600),
  ...fields,
})

/** Of the account main: none, at minute 0, in a store that forgets, unless it is said otherwise. */
export const placedHoldsOf = (options: Partial<Parameters<typeof createPlacedHolds>[0]> = {}): PlacedHolds =>
  createPlacedHolds({
    account: 'main',
    store: { commit: () => Promise.resolve(ok(undefined)) },
    send: () => Promise.resolve([]),
    clock: { sleep: () => new Promise(() => undefined) },
    now: () => at(0),
    log: { error: () => undefined },
    initial: { holds: [], forced: [] },
    onChange: () => undefined,
    ...options,
  })

/** As `placedHoldsOf`. */
export const storedBrakesOf = (
  options: Partial<Parameters<typeof createStoredBrakes>[0]> = {},
): StoredBrakes =>
  createStoredBrakes({
    account: 'main',
    store: { commit: () => Promise.resolve(ok(undefined)) },
    send: () => Promise.resolve([]),
    now: () => at(0),
    initial: [],
    onChange: () => undefined,
    ...options,
  })
