import { describe, expect, test } from 'vitest'
import type { StoredBrakes } from '../../../../src/daemon/changes/stored-brakes.ts'
import type { Event } from '../../../../src/model/output/event-kinds.ts'
import { at } from '../../../support/build.ts'
import { memoryStore, newMemory } from '../../../support/memory-store.ts'
import { storedBrakesOf } from '../../../support/placed-holds.ts'

const ANN = { by: 'ann', reason: 'meant so' }
const FLEET = { name: 'fleet', because: 'too many', count: 7 } as const

/** As a process that opened the store now has them. */
function world() {
  const memory = newMemory()
  const events: Event[] = []
  let isFull = false
  let [woken, commits] = [0, 0]
  const open = async (): Promise<StoredBrakes> => {
    const store = memoryStore(memory)
    const main = store.account('main')
    return storedBrakesOf({
      store: {
        commit: (...given) => {
          commits += 1
          return isFull ? Promise.reject(new Error('the disk is full')) : main.commit(...given)
        },
      },
      initial: await store.storedBrakes('main'),
      send: async (sent) => {
        events.push(...sent)
        return []
      },
      onChange: () => void (woken += 1),
    })
  }
  return {
    open,
    fill: (to: boolean) => void (isFull = to),
    counts: () => ({ woken, commits }),
    eventTexts: () =>
      events.flatMap((event) => ('brake' in event ? [[event.kind, event.brake, event.because]] : [])),
  }
}
const idsOf = (brakes: StoredBrakes) => brakes.engaged().map(({ name, subject }) => [name, subject])

describe('a brake', () => {
  test('is engaged with one event, whatever the number of passes, also by the next process', async () => {
    const { open, eventTexts, counts } = world()
    const brakes = await open()
    await brakes.engage(FLEET)
    await brakes.engage(FLEET)
    const next = await open()
    await next.engage(FLEET)
    expect([idsOf(brakes), idsOf(next)]).toEqual([[['fleet', '']], [['fleet', '']]])
    expect(eventTexts()).toEqual([['brake-engaged', 'fleet', 'too many']])
    expect(counts()).toEqual({ woken: 1, commits: 1 })
  })

  test('counts the most that there were while it is engaged', async () => {
    const { open, eventTexts } = world()
    const brakes = await open()
    await brakes.engage(FLEET)
    await brakes.engage({ ...FLEET, count: 9, because: 'even more' })
    await brakes.engage({ ...FLEET, count: 8 })
    expect((await open()).of('fleet')).toMatchObject({ count: 9, because: 'even more', engagedAt: at(0) })
    expect(eventTexts()).toHaveLength(1)
  })

  test('is released by a person, once, and engaged again by the next cause', async () => {
    const { open, eventTexts } = world()
    const brakes = await open()
    await brakes.engage(FLEET)
    const both = await Promise.all([brakes.release('fleet', ANN), brakes.release('fleet', ANN)])
    expect(both).toMatchObject([{ released: { at: at(0), ...ANN } }, undefined])
    expect([idsOf(brakes), (await open()).current()]).toMatchObject([[], [{ name: 'fleet' }]])
    await brakes.engage({ ...FLEET, count: 8 })
    expect([idsOf(brakes), brakes.of('fleet')?.released]).toEqual([[['fleet', '']], undefined])
    expect(eventTexts()).toEqual([
      ['brake-engaged', 'fleet', 'too many'],
      ['brake-released', 'fleet', 'ann released it, meant so'],
      ['brake-engaged', 'fleet', 'too many'],
    ])
  })

  test('ends with its cause: with an event where nobody had released it', async () => {
    const { open, eventTexts } = world()
    const brakes = await open()
    await brakes.end('fleet', 'never engaged')
    await brakes.engage(FLEET)
    await brakes.end('fleet', 'fewer')
    await brakes.end('fleet', 'fewer')
    await brakes.engage(FLEET)
    await brakes.release('fleet', ANN)
    await brakes.end('fleet', 'fewer')
    expect([idsOf(brakes), brakes.current()]).toEqual([[], []])
    expect(eventTexts().map(([, , because]) => because)).toEqual([
      'too many',
      'fewer',
      'too many',
      'ann released it, meant so',
    ])
  })

  test('of one compute is another than that of the account', async () => {
    const { open } = world()
    const brakes = await open()
    await brakes.engage({ ...FLEET, subject: 'ep-one' })
    expect([idsOf(brakes), brakes.of('fleet')]).toEqual([[['fleet', 'ep-one']], undefined])
    expect(await brakes.release('fleet', ANN)).toBeUndefined()
    expect(await brakes.release('fleet.ep-one', ANN)).toMatchObject({ subject: 'ep-one' })
  })

  test('that cannot be stored is as it was', async () => {
    const { open, fill, eventTexts } = world()
    const brakes = await open()
    fill(true)
    await expect(brakes.engage(FLEET)).rejects.toThrow('the disk is full')
    expect([idsOf(brakes), eventTexts()]).toEqual([[], []])
    fill(false)
    await brakes.engage(FLEET)
    fill(true)
    await expect(brakes.release('fleet', ANN)).rejects.toThrow('the disk is full')
    expect(idsOf(brakes)).toEqual([['fleet', '']])
  })
})
