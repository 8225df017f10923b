// Changes of a daemon that is stopped, and of one whose service tells no more than the interface text.
import { expect, test } from 'vitest'
import type { Treatment } from '../support/recording-proxy.ts'
import { idsOf, type SimulatedOptions } from '../support/simulated-service.ts'
import { ask, changesAt, changeThat, hasEnded, simulatedSetting } from './change-support.ts'
import { dormouse, fleetAt, until } from './support.ts'

const { endpointId } = idsOf(0)
const RANGE = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 }

const setting = (
  behaviour: SimulatedOptions['behaviour'] = {},
  treatment: Treatment & Readonly<{ settle?: number }> = {},
) =>
  simulatedSetting(
    {
      projects: [{ name: 'one', cu: 1, suspendTimeoutSeconds: 600 }],
      behaviour: { wakeLatency: { min: 0, max: 0 }, ...behaviour },
    },
    treatment,
  )

type World = Awaited<ReturnType<typeof setting>>

async function started({ configFile, apiUrl }: World, state: 'idle' | 'active') {
  const daemon = dormouse(['run', '--config', configFile])
  await until(`it is ${state}`, async () =>
    (await fleetAt(apiUrl))?.computes.find((compute) => compute.state === state),
  )
  return daemon
}

const mutationsOf = ({ service }: World) => service.truth().computes.flatMap(({ mutations }) => mutations)

test('a daemon that is told to stop waits for the answer of its request, and the next one goes on', async () => {
  const answer = Promise.withResolvers<void>()
  await using world = await setting({}, { beforeRequest: () => answer.promise })
  const { apiUrl, proxy } = world
  world.service.connect(endpointId, { kind: 'client' })
  await using first = await started(world, 'active')
  const { id } = await ask(apiUrl, { compute: 'one', max_cu: 2, when: 'now' })
  await until('the request', () => proxy.changes[0])
  first.child.kill('SIGTERM')
  // when it answers a second time, it has heard of the signal
  for (const _ of [1, 2]) expect(await changesAt(apiUrl)).toMatchObject([{ id, state: 'applying' }])
  expect(mutationsOf(world)).toEqual([])
  answer.resolve()
  expect(await first.ended).toBe(0)
  expect(mutationsOf(world)).toMatchObject([{ action: 'update', fields: RANGE }])

  await using _ = await started(world, 'active')
  expect(await changeThat('its end', apiUrl, hasEnded(id))).toMatchObject({
    state: 'done',
    // there are no credentials to count them with
    sessions: 'unknown',
    ended: { because: 'verified' },
  })
  expect(proxy.changes).toHaveLength(1)
  expect(mutationsOf(world)).toHaveLength(1)
})

test('a request that takes too long is left to the next daemon, which finds that it landed', async () => {
  const answer = Promise.withResolvers<void>()
  // longer than the start of the second daemon on a busy machine, after which it would send again
  await using world = await setting({}, { beforeRequest: () => answer.promise, settle: 15 })
  const { apiUrl, proxy } = world
  await using first = await started(world, 'idle')
  const { id } = await ask(apiUrl, { compute: 'one', max_cu: 2 })
  await until('the request', () => proxy.changes[0])
  first.child.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  await using _ = await started(world, 'idle')
  await changeThat('it waits', apiUrl, ({ hold }) => hold?.because === 'settle')
  answer.resolve()
  expect(await changeThat('its end', apiUrl, hasEnded(id))).toMatchObject({ state: 'done' })
  expect(proxy.changes).toHaveLength(1)
  expect(mutationsOf(world)).toMatchObject([{ action: 'update', fields: RANGE }])
})

test('of a service that tells neither operations nor starts, a size whose answer was lost is done', async () => {
  await using world = await setting({ interfaceOnly: true }, { losesAnswer: () => true })
  await using _ = await started(world, 'idle')
  const { id } = await ask(world.apiUrl, { compute: 'one', max_cu: 2 })
  expect(await changeThat('its end', world.apiUrl, hasEnded(id))).toMatchObject({
    state: 'done',
    sessions: 0,
    ended: { because: 'verified' },
  })
  expect(world.proxy.changes).toHaveLength(1)
  expect(mutationsOf(world)).toMatchObject([{ action: 'update', fields: RANGE }])
})

test('of such a service, a restart whose answer was lost ends unknown, and is not sent again', async () => {
  await using world = await setting({ interfaceOnly: true }, { losesAnswer: () => true })
  world.service.connect(endpointId, { kind: 'client' })
  await using _ = await started(world, 'active')
  const { id } = await ask(world.apiUrl, { compute: 'one', restart: true, when: 'now' })
  expect(await changeThat('its end', world.apiUrl, hasEnded(id))).toMatchObject({
    state: 'unknown',
    ended: { because: expect.stringContaining('no start') },
  })
  expect(world.proxy.changes).toHaveLength(1)
  expect(mutationsOf(world)).toMatchObject([{ action: 'restart', restarted: true }])
})
