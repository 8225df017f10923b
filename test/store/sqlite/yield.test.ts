// Long work lets others have their turn: it offers one after each row.
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { FINE_STEP } from '../../../src/model/ledger/rollup.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { computeOf, refOf, rollupAt } from '../build.ts'
import { collected } from '../build.ts'
import { eachInItsFolder } from '../folder.ts'
import { put } from '../../support/writes.ts'

const { folder } = eachInItsFolder()

/** Offers of a turn to others while `work` goes on. */
type Offers = (work: () => Promise<unknown>) => Promise<number>

function countedClock(): Readonly<{ clock: Clock; offersDuring: Offers }> {
  let offers = 0
  return {
    clock: { ...fakeClock(), yield: () => Promise.resolve(void (offers += 1)) },
    offersDuring: async (work) => {
      const before = offers
      await work()
      return offers - before
    },
  }
}

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)

test('a large batch, many small ones, starting and asking for history all give way', async () => {
  const { clock, offersDuring } = countedClock()
  const store = openEmbeddedStore(folder(), clock)
  const one = computeOf('ep-one')
  const computes = numbers(400).map((index) => ({ ...one, ref: refOf(`ep-${index}`) }))
  expect(await offersDuring(() => put(store, { computes }))).toBeGreaterThan(100)
  const small = async (): Promise<void> => {
    for (const index of numbers(400)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put(store, { rollups: [rollupAt(refOf(`ep-${index}`), 0)] })
    }
  }
  expect(await offersDuring(small)).toBeGreaterThan(100)
  expect(await offersDuring(() => store.account('main').load())).toBeGreaterThan(100)
  const span = { from: at(0), to: at(1000), length: FINE_STEP }
  expect(await offersDuring(() => collected(store.rollups('main', span)))).toBeGreaterThan(100)
  const days = () => collected(store.days('main', { from: at(0), to: at(1000) }))
  expect(await offersDuring(days)).toBeGreaterThan(100)
  await store.close()
})
