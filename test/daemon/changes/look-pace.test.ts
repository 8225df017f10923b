// Which changes the apply loop looks at first, and how many requests it makes, on virtual time.
import { expect, test } from 'vitest'
import type { Change } from '../../../src/model/policy/change.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { ok } from '../../../src/std/result.ts'
import { at, compute } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { loopOf } from './loop-of.ts'

const MINUTE = 60
const NEVER = new AbortController().signal

const idle = (endpointId: string): Compute => compute({ endpointId, state: 'idle', sizing: { fixed: cu(1) } })

const refOf = (name: string) => ({ account: 'main', projectId: `project-${name}`, endpointId: `ep-${name}` })

/** It waits for a start that does not come, and each look says so. */
const restart = (number: number): Change =>
  changeOf({ id: `ch-${number}`, ref: refOf(String(number)), kind: 'restart', desired: {}, before: {} })

/** A loop over these changes. */
async function world(changes: readonly Change[], isPassing = false) {
  const clock = createVirtualClock(at(1))
  const store = memoryStore(newMemory())
  for (const change of changes) await addChange(store.account('main'), change, { at: at(0) })
  /** Seconds after the start at which requests were made. */
  const requests: number[] = []
  const sizes = new Map<string, Compute['sizing']>()
  const request = () => requests.push(clock.monotonic())
  const operations: Partial<Service> = {
    listComputes: (projectId) => {
      request()
      const endpointId = projectId.replace('project', 'ep')
      const sizing = sizes.get(endpointId)
      return Promise.resolve(
        ok({ items: [{ ...idle(endpointId), ...(sizing && { sizing }) }], problems: [] }),
      )
    },
    listOperations: () => {
      request()
      return Promise.resolve(ok({ items: [], problems: [] }))
    },
    updateCompute: (_, endpointId, { sizing }) => {
      request()
      if (sizing) sizes.set(endpointId, sizing)
      return Promise.resolve(ok({ compute: idle(endpointId), operations: [] }))
    },
  }
  const service: Service = { ...(operations as Service), at: () => service }
  const loop = loopOf({
    memory: store,
    clock,
    service,
    requestsPerSecond: 35 / MINUTE,
    isPassing: () => isPassing,
  })
  const states = async () =>
    new Map((await store.changes('main', { count: 1000 })).map(({ id, state }) => [id, state.at]))
  return { clock, loop, requests, states }
}

/** Runs the loop for so long. */
async function run({ clock, loop }: Awaited<ReturnType<typeof world>>, length: number) {
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await clock.run(clock.sleep(seconds(length), NEVER))
  stop.abort()
  await clock.run(running)
}

const many = Array.from({ length: 20 }, (_, number) => restart(number))

test('a change behind many that only wait is made, too', async () => {
  const last = changeOf({ id: 'ch-last', ref: refOf('last'), createdAt: at(0.5) })
  const made = await world([...many, last])
  await run(made, 2 * MINUTE)
  expect((await made.states()).get('ch-last')).toBe('done')
})

test('the loop makes at most so many requests in any minute, those for changes under way included', async () => {
  const sizings = Array.from({ length: 60 }, (_, number) =>
    changeOf({ id: `ch-size-${number}`, ref: refOf(`size-${number}`) }),
  )
  const made = await world([...many, ...sizings])
  await run(made, 10 * MINUTE)
  const { requests } = made
  const inMinute = requests.map((from) => requests.filter((then) => then >= from && then < from + MINUTE))
  expect(Math.max(...inMinute.map(({ length }) => length))).toBeLessThanOrEqual(35)
  const ended = [...(await made.states()).values()].filter((state) => state === 'done')
  expect(ended.length).toBeGreaterThanOrEqual(50)
})

test('while a pass runs, the loop makes a quarter of them', async () => {
  const [beside, alone] = [await world(many, true), await world(many)]
  for (const made of [beside, alone]) {
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    await run(made, 10 * MINUTE)
  }
  const [few, all] = [beside.requests.length, alone.requests.length]
  expect(few).toBeGreaterThan(all / 5)
  expect(few).toBeLessThan(all / 3)
})
