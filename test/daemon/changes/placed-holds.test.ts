import { describe, expect, onTestFinished, test } from 'vitest'
import type { PlacedHolds } from '../../../src/daemon/changes/placed-holds.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { ForcedChange } from '../../../src/model/policy/placed-hold.ts'
import type { SelectorTarget } from '../../../src/model/policy/selector.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { placedHold, placedHoldsOf } from '../../support/placed-holds.ts'

const TARGET: SelectorTarget = {
  ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
  projectName: 'shop',
  branchId: 'br-one',
  name: undefined,
  type: 'read_write',
}
const FORCED: ForcedChange = { changeId: 'ch-one', by: 'ann', reason: '', forcedAt: at(0), until: at(60) }

/** As a process that opened the store now has them. */
async function world() {
  const clock = fakeClock()
  const memory = newMemory()
  const events: Event[] = []
  const errors: unknown[] = []
  let isFull = false
  let woken = 0
  const open = async (): Promise<PlacedHolds> => {
    const store = memoryStore(memory)
    const main = store.account('main')
    return placedHoldsOf({
      clock,
      now: () => clock.now(),
      store: {
        commit: (...given) =>
          isFull ? Promise.reject(new Error('the disk is full')) : main.commit(...given),
      },
      initial: { holds: await store.placedHolds('main'), forced: await store.forcedChanges('main') },
      send: async (sent) => {
        events.push(...sent)
        return []
      },
      log: { error: (...line: unknown[]) => void errors.push(line) },
      onChange: () => void (woken += 1),
    })
  }
  const holds = await open()
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return {
    clock,
    holds,
    open,
    errors,
    run: () => void holds.run(stop.signal),
    woken: () => woken,
    fill: (to: boolean) => void (isFull = to),
    stored: () => memoryStore(memory),
    eventTexts: () =>
      events.flatMap((event) => ('holdId' in event ? [[event.kind, event.holdId, event.because]] : [])),
  }
}

const idsOf = (holds: PlacedHolds) => holds.standing().map(({ id }) => id)

describe('a hold', () => {
  test('stands, also in the next process, until a person ends it, with an event each', async () => {
    const { holds, open, stored, eventTexts, woken } = await world()
    await holds.place(placedHold())
    expect([idsOf(holds), idsOf(await open()), woken()]).toEqual([['hold-one'], ['hold-one'], 1])
    expect(await holds.end('hold-one', 'bob')).toMatchObject({
      id: 'hold-one',
      ended: { at: at(0), by: 'bob' },
    })
    expect([idsOf(holds), idsOf(await open()), woken()]).toEqual([[], [], 2])
    expect(eventTexts()).toEqual([
      ['hold-placed', 'hold-one', 'the release'],
      ['hold-ended', 'hold-one', 'bob ended it'],
    ])
    expect((await stored().eventsAfter('main', 0, 9)).map(({ event }) => event.kind)).toEqual([
      'hold-placed',
      'hold-ended',
    ])
  })

  test('holds nothing from its end on, and that is one event', async () => {
    const { clock, holds, open, run, eventTexts } = await world()
    run()
    await holds.place(placedHold({ until: at(65) }))
    await clock.advance(seconds(64))
    expect(idsOf(holds)).toEqual(['hold-one'])
    await clock.advance(seconds(1))
    expect(idsOf(holds)).toEqual([])
    await clock.advance(seconds(60))
    expect(eventTexts().slice(1)).toEqual([['hold-ended', 'hold-one', 'its time is over']])
    expect(idsOf(await open())).toEqual([])
  })

  test('that ended while no process ran is an event of the next one', async () => {
    const { clock, holds, open, eventTexts } = await world()
    await holds.place(placedHold({ until: at(60) }))
    await clock.advance(seconds(3600))
    const next = await open()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    void next.run(stop.signal)
    await clock.advance(seconds(1))
    expect(eventTexts().map(([kind]) => kind)).toEqual(['hold-placed', 'hold-ended'])
  })

  test('is ended by one of two who do so at once', async () => {
    const { holds, eventTexts } = await world()
    await holds.place(placedHold())
    const both = await Promise.all([holds.end('hold-one', 'bob'), holds.end('hold-one', 'cyd')])
    expect(both.map((ended) => ended?.ended?.by)).toEqual(['bob', undefined])
    expect(eventTexts()).toHaveLength(2)
  })

  test('that cannot be stored is none; one whose end cannot be stored stands, and its end is tried again', async () => {
    const { clock, holds, fill, errors, run, eventTexts } = await world()
    fill(true)
    await expect(holds.place(placedHold())).rejects.toThrow('the disk is full')
    expect(idsOf(holds)).toEqual([])
    fill(false)
    await holds.place(placedHold({ until: at(60) }))
    fill(true)
    await expect(holds.end('hold-one', 'bob')).rejects.toThrow('the disk is full')
    expect(idsOf(holds)).toEqual(['hold-one'])
    run()
    await clock.advance(seconds(70))
    expect([errors.length > 0, eventTexts()]).toEqual([true, [['hold-placed', 'hold-one', 'the release']]])
    fill(false)
    await clock.advance(seconds(10))
    expect(eventTexts().at(-1)).toEqual(['hold-ended', 'hold-one', 'its time is over'])
  })

  test('fits the computes of its selector, and every one that no pass has seen', async () => {
    const { holds, clock } = await world()
    await holds.place(placedHold({ id: 'hold-shop', match: { project: ['sh*'] } }))
    await holds.place(placedHold({ id: 'hold-other', match: { compute: ['ep-two'] } }))
    const idsFor = (target: SelectorTarget | undefined) => holds.fitting(target).map(({ id }) => id)
    expect(idsFor(TARGET)).toEqual(['hold-shop'])
    expect(idsFor(undefined)).toEqual(['hold-shop', 'hold-other'])
    await holds.end('hold-shop', 'bob')
    await clock.advance(seconds(3600))
    expect([idsFor(TARGET), idsFor(undefined)]).toEqual([[], []])
  })
})

test('a force lasts until its end, also in the next process, and then leaves the store', async () => {
  const { clock, holds, open, run, stored } = await world()
  run()
  await holds.force(FORCED)
  expect((await open()).forceOf('ch-one')).toEqual(FORCED)
  expect(holds.forceOf('ch-two')).toBeUndefined()
  await clock.advance(seconds(60))
  expect(holds.forceOf('ch-one')).toBeUndefined()
  await clock.advance(seconds(10))
  expect(await stored().forcedChanges('main')).toEqual([])
})
