import { expect, test } from 'vitest'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Reading, Sweep } from '../../../src/model/observation.ts'
import { bytes, cu } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, attempt, ledger, look, prices, reading, sweep } from '../../support/build.ts'

const after = (...sweeps: readonly Sweep[]): ComputeEntry => {
  const known = sweeps.reduce<Ledger>(
    (before, one) => accounted(before, one, { prices, overhead: 0.01, now: one.endedAt }).ledger,
    ledger(),
  )
  const [found] = known.computes.values()
  if (!found) throw new Error('a look makes an account')
  return found
}

const read = (when: number, over: Partial<Reading>): Sweep =>
  sweep(when, {
    looks: [look(when, { state: 'active', startedAt: at(0), lastActive: at(when - 1) })],
    readings: [
      attempt(when, { result: { kind: 'read', reading: reading({ serverTime: at(when + 0.1), ...over }) } }),
    ],
  })

test('a start after which nothing was read yet takes nothing from what is known of the hit ratio', () => {
  const cache = { hits: 90, misses: 10, used: bytes(1), writes: 10 }
  const fresh = { hits: 0, misses: 0, used: bytes(0), writes: 0 }
  const again = read(900, { cache: fresh, postmasterStartedAt: at(890) })
  const { reading: kept } = after(read(400, { cache }), again)
  expect(kept.cache).toMatchObject({ hitRatio: 0.9, incarnation: at(890), totalHits: 90 })
  expect(kept.cacheReadAt).toBe(at(400.1))
})

test('the hit ratio is known as of the last reading of the cache that told one', () => {
  const cache = { hits: 90, misses: 10, used: bytes(1), writes: 10 }
  expect(after(read(100, {})).reading.cacheReadAt).toBeUndefined()
  expect(after(read(100, {}), read(400, { cache })).reading.cacheReadAt).toBe(at(400.1))
  const light = read(800, { kind: 'light', cache: { missing: 'a light reading' } })
  expect(after(read(400, { cache }), light).reading.cacheReadAt).toBe(at(400.1))
})

const sized = (when: number, cus: number | undefined, sizing: Compute['sizing']): Sweep => {
  const seen = look(when, { state: 'active', startedAt: at(0), lastActive: at(when - 1), sizing })
  // 0.8 of 4 GiB for each CU, with the preset of the builders
  const cacheLimit = cus === undefined ? undefined : bytes(cus * 4096 * 0.8 * 2 ** 20)
  const result = { kind: 'read', reading: reading({ serverTime: at(when + 0.1), cacheLimit }) } as const
  return sweep(when, { looks: [seen], readings: [attempt(when, { look: seen, result })] })
}

test('readings whose limit of the cache fits no size of the range are counted, of a fixed size none', () => {
  const range = { min: cu(1), max: cu(4) }
  const fits = sized(100, 2, range)
  const unread = sized(500, undefined, range)
  expect(after(fits, unread).reading.sizeUnknown).toBeUndefined()
  const tooLarge = [sized(900, 7, range), sized(1300, 0.5, range), sized(1700, 3, range)]
  expect(after(fits, ...tooLarge).reading.sizeUnknown).toBe(2)
  expect(after(sized(100, 7, { fixed: cu(1) })).reading.sizeUnknown).toBeUndefined()
})
