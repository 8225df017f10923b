// Wakes inside changes and warm-ups of Dormouse.
import { expect, test } from 'vitest'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { HOUR, type Interval } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, sweep } from '../../support/build.ts'
import { asleep, context, KEY } from '../folded.ts'

const woken = (startedAt: number) => ({ state: 'active', startedAt: at(startedAt) }) as const
const suspended = (startedAt: number) =>
  ({ state: 'idle', startedAt: at(startedAt), suspendedAt: at(startedAt + 5) }) as const

/** Asleep until 430, then looked at until `until`. */
function applied(
  spans: readonly Interval[],
  until: number,
  of: 'changes' | 'warmUps' = 'changes',
): ComputeEntry {
  const ownActionsOf = (ref: Parameters<typeof computeKey>[0]) =>
    computeKey(ref) === KEY ? { changes: undefined, warmUps: undefined, [of]: spans } : undefined
  const sweeps = [
    sweep(420, { looks: [look(420, asleep)] }),
    sweep(460, { looks: [look(460, woken(430))] }),
    sweep(500, { looks: [look(500, suspended(430))] }),
    sweep(until, { looks: [look(until, suspended(430))] }),
  ]
  const after = sweeps.reduce(
    (known, one) => accounted(known, one, { ...context((one.endedAt - at(0)) / 1000), ownActionsOf }).ledger,
    ledger(),
  )
  const entry = after.computes.get(KEY)
  if (!entry) throw new Error('the compute has no entry')
  return entry
}

test.each<[string, Interval, number | undefined]>([
  ['inside one', { from: at(428), to: at(440) }, 1],
  ['in the second in which one began', { from: at(430.9), to: at(440) }, 1],
  ['before one', { from: at(432), to: at(440) }, undefined],
  ['after one', { from: at(400), to: at(428) }, undefined],
])('a wake %s', (_, change, expected) => {
  const { totals } = applied([change], 520)
  expect(totals.wakesByChange).toBe(expected)
  expect(totals).toMatchObject({ wakes: 2, wakesCaused: 0 })
})

test('it counts once when it is settled, and its change is forgotten', () => {
  const { counters, evidence } = applied([{ from: at(428), to: at(440) }], 520 + HOUR / 1000)
  expect(counters.wakesByChange).toBe(1)
  expect(evidence.changes).toEqual([{ from: at(428), to: at(440) }])
})

test.each<[string, Interval, number | undefined]>([
  ['inside one', { from: at(428), to: at(440) }, 1],
  ['after one', { from: at(400), to: at(428) }, undefined],
])('a wake %s that starts a compute ahead of clients', (_, warmUp, expected) => {
  const { totals, evidence } = applied([warmUp], 520, 'warmUps')
  expect([totals.wakesByWarmUp, totals.wakesByChange]).toEqual([expected, undefined])
  expect(evidence.warmUps).toEqual([warmUp])
})

test('a wake of a warm-up counts once when it is settled', () => {
  const { counters } = applied([{ from: at(428), to: at(440) }], 520 + HOUR / 1000, 'warmUps')
  expect([counters.wakesByWarmUp, counters.wakes]).toEqual([1, 2])
})
