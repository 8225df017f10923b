// Long work lets others have their turn. Time here goes on by five milliseconds whenever somebody asks for it.
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { FINE_STEP } from '../../../src/model/ledger/rollup.ts'
import { seconds } from '../../../src/model/units.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { computeOf, refOf, rollupAt } from '../build.ts'
import { collected } from '../build.ts'
import { eachInItsFolder } from '../folder.ts'
import { put } from '../../support/writes.ts'

const { folder } = eachInItsFolder()

function hurried(): Clock {
  let asked = 0
  return { ...fakeClock(), monotonic: () => seconds(0.005 * (asked += 1)) }
}

/** Turns that others had while `work` went on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let going = true
  const turn = (): void => {
    turns += 1
    if (going) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  going = false
  return turns
}

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)

test('a large batch, many small ones, starting and asking for history all give way', async () => {
  const store = openEmbeddedStore(folder(), hurried())
  const one = computeOf('ep-one')
  const computes = numbers(400).map((index) => ({ ...one, ref: refOf(`ep-${index}`) }))
  expect(await turnsDuring(() => put(store, { computes }))).toBeGreaterThan(100)
  const small = async (): Promise<void> => {
    for (const index of numbers(400)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put(store, { rollups: [rollupAt(refOf(`ep-${index}`), 0)] })
    }
  }
  expect(await turnsDuring(small)).toBeGreaterThan(100)
  expect(await turnsDuring(() => store.account('main').load())).toBeGreaterThan(100)
  const span = { from: at(0), to: at(1000), length: FINE_STEP }
  expect(await turnsDuring(() => collected(store.rollups('main', span)))).toBeGreaterThan(100)
  const days = () => collected(store.days('main', { from: at(0), to: at(1000) }))
  expect(await turnsDuring(days)).toBeGreaterThan(100)
  await store.close()
})
