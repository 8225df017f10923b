import { expect, test } from 'vitest'
import { cuTimeSum } from '../../../src/ledger/settle/cu-time.ts'
import { ANY_SIZE, NOT_METERED, sizeIn } from '../../../src/ledger/settle/sizing.ts'
import type { SizeObservation } from '../../../src/model/ledger/evidence.ts'
import type { Bounds } from '../../../src/model/ledger/quantities.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import { bytes, cu, ratio, type CuMillis } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import {
  at,
  attempt,
  evidence,
  ledger,
  look,
  operation,
  prices,
  reading,
  sweep,
} from '../../support/build.ts'

/** CU·ms after some sweeps over one compute. */
function cuTimeAfter(...sweeps: readonly Sweep[]): Bounds<CuMillis> {
  const known = sweeps.reduce<Ledger>(
    (before, one) => accounted(before, one, { prices, overhead: 0.01, now: one.endedAt }).ledger,
    ledger(),
  )
  const [account] = known.computes.values()
  if (!account) throw new Error('the compute has no account')
  return cuTimeSum(account.totals.cuTime)
}

const range = { sizing: { min: cu(1), max: cu(4) } }
/** File cache limit of a compute of 2 CU, with the preset of the builders. */
const twoCu = { cacheLimit: bytes(2 * 4096 * 0.8 * 2 ** 20) }

test('inside a range the size is between its limits, and likely what a reading of the same interval told', () => {
  const awake = { ...range, state: 'active', startedAt: at(0) } as const
  const unread = cuTimeAfter(sweep(100, { looks: [look(100, awake)] }))
  expect(unread).toEqual({ low: 99_000, likely: 99_500, high: 400_000 })
  const result = { kind: 'read', reading: reading({ ...twoCu, serverTime: at(50) }) } as const
  const read = cuTimeAfter(
    sweep(50, {
      looks: [look(50, awake)],
      readings: [attempt(50, { result, look: look(50, awake) })],
    }),
    sweep(100, { looks: [look(100, awake)] }),
  )
  expect(read).toEqual({ ...unread, likely: 199_000 })
})

test('before the first look the size is what it showed, unless an operation may have changed it', () => {
  const asleep = look(1000, { state: 'idle', startedAt: at(0), suspendedAt: at(100), updatedAt: at(100) })
  expect(cuTimeAfter(sweep(1000, { looks: [asleep] }))).toEqual({
    low: 99_000,
    likely: 100_000,
    high: 101_000,
  })
  const changed = { ...asleep, compute: { ...asleep.compute, updatedAt: at(500) } }
  const operations = [operation('apply_config', 500)]
  expect(cuTimeAfter(sweep(1000, { looks: [changed], operations }))).toMatchObject({
    low: 99_000 * 0.25,
    likely: 100_000,
    high: 101_000 * 56,
  })
})

test('operations may have changed the size before the first look only until that look', () => {
  const sizes = [{ min: cu(1), max: cu(1), firstSeenAt: at(1000), lastSeenAt: at(1100), isChanging: false }]
  const sizeWith = (changedAt: number) =>
    sizeIn(
      { from: at(10), to: at(20) },
      {
        metered: NOT_METERED,
        evidence: evidence({
          sizes,
          operations: [operation('apply_config', changedAt)],
          covered: { from: at(0), to: at(900) },
        }),
        certainlyAwake: [],
        undisturbed: [],
        interval: undefined,
      },
    )
  expect(sizeWith(1050)).toEqual({ size: { low: 1, likely: 1, high: 1 } })
  expect(sizeWith(999)).toEqual({ size: { low: 0.25, likely: 1, high: 56 } })
})

test('the size of a compute that only operations tell of is no position in a range', () => {
  const seen = { firstSeenAt: at(0), lastSeenAt: at(100), isChanging: false }
  const likelyOf = (limits: Pick<SizeObservation, 'min' | 'max'>) =>
    sizeIn(
      { from: at(10), to: at(20) },
      {
        metered: { shares: [], expected: ratio(0.5), until: undefined },
        evidence: evidence({ sizes: [{ ...seen, ...limits }] }),
        certainlyAwake: [],
        undisturbed: [],
        interval: undefined,
      },
    )
  expect(likelyOf({ min: cu(1), max: cu(4) })).toEqual({
    size: { low: 1, likely: 2.5, high: 4 },
    moves: true,
  })
  expect(likelyOf(ANY_SIZE)).toEqual({ size: { low: 0.25, likely: 0.25, high: 56 } })
})
