import { expect, test } from 'vitest'
import { createPriceHistory, effectivePrices } from '../../../src/daemon/accounts/price-history.ts'
import type { Prices } from '../../../src/model/ledger/quantities.ts'
import { instant, micros } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { withCommit } from '../../support/writes.ts'

const flat = (perCuHour: number): Prices => ({
  currency: 'USD',
  periods: [{ from: instant(0), perCuHour: micros(perCuHour) }],
})
const account = (prices: Prices) => ({ name: 'main', prices })
const log = { error: () => undefined }

test('a first start goes by the configuration, and a later one by what was in effect until then', async () => {
  const store = memoryStore()
  const first = flat(106_000)
  expect(await effectivePrices(account(first), store, at(0))).toBe(first)
  expect(await createPriceHistory('main', { store: store.account('main'), log })(first)).toBe(true)
  expect(await effectivePrices(account(first), store, at(100))).toEqual(first)
  const dearer = await effectivePrices(account(flat(222_000)), store, at(200))
  expect(dearer.periods).toEqual([...first.periods, { from: at(200), perCuHour: 222_000 }])
  await createPriceHistory('main', { store: store.account('main'), log })(dearer)
  expect(await effectivePrices(account(flat(222_000)), store, at(300))).toEqual(dearer)
})

test('prices that cannot be kept are not gone by, and are kept once', async () => {
  const store = memoryStore()
  let [isFull, commits] = [true, 0]
  const counted = withCommit(store, (_, commit) => {
    commits += 1
    return isFull ? Promise.reject(new Error('the disk is full')) : commit()
  })
  const keep = createPriceHistory('main', { store: counted.account('main'), log })
  const prices = flat(106_000)
  expect(await keep(prices)).toBe(false)
  isFull = false
  expect([await keep(prices), await keep(prices), commits]).toEqual([true, true, 2])
})
