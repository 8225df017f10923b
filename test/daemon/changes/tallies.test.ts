import { expect, test } from 'vitest'
import { createTallies } from '../../../src/daemon/changes/tallies.ts'
import { addChange, transition } from '../../../src/model/ports/journal.ts'
import { targetKey } from '../../../src/model/service/compute.ts'
import { at } from '../../support/build.ts'
import { changeOf, tallyOf } from '../../support/changes.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'

const REF = changeOf().ref
const KEY = targetKey(REF)
const OTHER = { ...REF, endpointId: 'ep-two' }
const done = { at: 'done', because: 'verified', endedAt: at(90), sent: { at: at(80), sessions: 3 } } as const

test('are those of the store, by compute and for the account', () => {
  const stored = [
    tallyOf({ count: 2 }),
    tallyOf({ outcome: 'failed' }),
    tallyOf({ ref: OTHER, count: 3, interrupted: 1 }),
  ]
  const views = createTallies(stored).views([])
  expect(views.talliesOf(KEY)).toEqual([stored[0], stored[1]])
  expect(views.talliesOf(targetKey(OTHER))).toEqual([stored[2]])
  expect(views.talliesOf('main/project-one/ep-three')).toBeUndefined()
  expect(views.ended).toEqual(
    new Map([
      ['sizing/done', 5],
      ['sizing/failed', 1],
    ]),
  )
})

test('grow with what is committed, and a next process reads the same', async () => {
  const memory = newMemory()
  const store = memoryStore(memory)
  const tallies = createTallies(await store.changeTallies('main'))
  const main = tallies.counting(store.account('main'))
  for (const id of ['ch-one', 'ch-two']) {
    const change = changeOf({ id })
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    await addChange(main, change, { at: at(0) })
    // oxlint-disable-next-line no-await-in-loop -- likewise
    expect((await transition(main, { change, to: done }, { at: at(90) })).ok).toBe(true)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    expect((await transition(main, { change, to: done }, { at: at(91) })).ok).toBe(false)
  }
  const expected = [tallyOf({ count: 2, interrupted: 6, lastAt: at(90) })]
  expect(tallies.views([]).talliesOf(KEY)).toEqual(expected)
  expect(tallies.views([]).ended).toEqual(new Map([['sizing/done', 2]]))
  const again = createTallies(await memoryStore(memory).changeTallies('main'))
  expect(again.views([]).talliesOf(KEY)).toEqual(expected)
})

test('the tallies of a compute stay the same object while none of them grows', async () => {
  const store = memoryStore()
  const tallies = createTallies([tallyOf(), tallyOf({ ref: OTHER })])
  const before = tallies.views([]).talliesOf(KEY)
  const main = tallies.counting(store.account('main'))
  const change = changeOf({ ref: OTHER })
  await addChange(main, change, { at: at(0) })
  await transition(main, { change, to: done }, { at: at(90) })
  expect(tallies.views([]).talliesOf(KEY)).toBe(before)
  expect(tallies.views([]).talliesOf(targetKey(OTHER))).toEqual([
    tallyOf({ ref: OTHER, count: 2, interrupted: 3, lastAt: at(90) }),
  ])
})

test('open changes are found by compute', () => {
  const open = [
    { change: changeOf(), hold: undefined },
    { change: changeOf({ id: 'ch-two', ref: OTHER }), hold: undefined },
    { change: changeOf({ id: 'ch-three', kind: 'delay' }), hold: undefined },
  ]
  const views = createTallies([]).views(open)
  expect(views.openOf(KEY)).toEqual([open[0], open[2]])
  expect(views.openOf(targetKey(OTHER))).toEqual([open[1]])
  expect(views.openOf('main/project-one/ep-three')).toBeUndefined()
})
