// Events about an outage of the service, and about a refused key: each begin and each end once, whatever restarts.
import { expect, test } from 'vitest'
import { inWorld, type World } from './changes/foreign/foreign-world.ts'

const NOTHING = { policy: 'match: {}', recommendations: [] }

const STATUS_KINDS = ['key-refused', 'key-accepted', 'service-unavailable', 'service-available']

const statusEvents = async ({ events }: World) =>
  (await events()).map(({ kind }) => kind).filter((kind) => STATUS_KINDS.includes(String(kind)))

test.each([
  ['an outage', 503, ['service-unavailable', 'service-available']],
  ['a refused key', 401, ['key-refused', 'key-accepted']],
])('%s in which the daemon restarts has one begin and one end', async (_, status, kinds) => {
  await inWorld(NOTHING, async (world) => {
    await world.passes(600)
    expect(await statusEvents(world)).toEqual([])
    world.answerOnly(status)
    await world.passes(1200)
    expect(await statusEvents(world)).toEqual(kinds.slice(0, 1))
    await world.restart()
    await world.passes(1200)
    expect(await statusEvents(world)).toEqual(kinds.slice(0, 1))
    await world.restart()
    world.answerOnly(undefined)
    await world.passes(1200)
    expect(await statusEvents(world)).toEqual(kinds)
    await world.restart()
    await world.passes(600)
    expect(await statusEvents(world)).toEqual(kinds)
  })
})

test('a key that is refused after an outage is announced, and that it is accepted', async () => {
  await inWorld(NOTHING, async (world) => {
    for (const status of [503, 401, undefined]) {
      world.answerOnly(status)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await world.passes(1200)
    }
    expect(await statusEvents(world)).toEqual(['service-unavailable', 'key-refused', 'key-accepted'])
  })
})
