import { Agent } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import type { Hold } from '../../../src/model/policy/hold.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import { after, seconds } from '../../../src/model/units.ts'
import { createService } from '../../../src/service/service.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { answers, faultyServer } from '../../service/faulty-server.ts'
import { compute as wireCompute } from '../../service/records.ts'
import { applyingOf } from '../../apply/build.ts'
import { memoryStore } from '../../support/memory-store.ts'
import {
  addChangeNow,
  loopOf,
  loopPorts,
  loopPortsWithChange,
  runUntilTestEnds,
  changeMadeAt,
  type MemoryStore,
} from './loop-of.ts'

const running = new AbortController().signal

const stateOf = async (memory: MemoryStore, id = 'ch-one') => (await memory.change('main', id))?.state

const statesOf = async (memory: MemoryStore) =>
  (await memory.changeEvents('main', 'ch-one')).map(({ state }) => state.at)

describe('while the request waits behind a busy connection', () => {
  const path = `/projects/${wireCompute.project_id}/endpoints`
  test.each<[what: string, hold: 'kill-switch' | 'outside-window' | 'hold']>([
    ['the kill switch', 'kill-switch'],
    ['a window that closes', 'outside-window'],
    ['a hold that a person places', 'hold'],
  ])('%s withdraws it: the server never sees it, and it is sent once nothing holds it', async (_, hold) => {
    const gate = Promise.withResolvers<undefined>()
    const patched: string[] = []
    let max = 1
    await using server = await faultyServer((response, { url, body }) => {
      const record = { ...wireCompute, autoscaling_limit_min_cu: max, autoscaling_limit_max_cu: max }
      if (url.includes('/projects?')) void gate.promise.then(() => answers(200, { projects: [] })(response))
      else if (url.includes('/operations')) answers(200, { operations: [] })(response)
      else if (body === '') answers(200, { endpoints: [record] })(response)
      else {
        patched.push(body)
        max = 0.25
        answers(200, { endpoint: { ...record, autoscaling_limit_max_cu: 0.25 }, operations: [] })(response)
      }
    })
    const dispatcher = new Agent({ connections: 1, pipelining: 1 })
    onTestFinished(() => dispatcher.close())
    const clock = createClock()
    const service = createService({
      baseUrl: server.baseUrl,
      readKey: () => ok('secret-key'),
      clock,
      random: { unit: () => 0.5, uuid: () => '' },
      requestsPerMinute: 60_000,
      projects: 'discover',
      dispatcher,
    })
    const memory = memoryStore()
    let isHeld = false
    /** Before the request is sent, another one takes the only connection, and stays. */
    const busy: AccountStore['commit'] = async (writes, options) => {
      const isSend = writes.some((write) => write.kind === 'change' && write.change.state.at === 'applying')
      if (isSend && !isHeld && patched.length === 0 && !server.requests.some(isList)) {
        void service.listProjects(running)
        await vi.waitUntil(() => server.requests.some(isList))
      }
      return memory.account('main').commit(writes, options)
    }
    const ref = { account: 'main', projectId: wireCompute.project_id, endpointId: wireCompute.id }
    await addChangeNow({ clock, memory }, { ref })
    const loop = loopOf({
      memory,
      clock,
      service,
      store: { commit: busy },
      stoppedBy: () => (isHeld && hold === 'kill-switch' ? hold : undefined),
      policyHold: () => (isHeld && hold !== 'kill-switch' ? { because: hold, until: undefined } : undefined),
    })
    runUntilTestEnds(loop)
    await expect.poll(() => queuedIn(dispatcher)).toBe(1)
    isHeld = true
    gate.resolve(undefined)
    await expect.poll(() => loop.holdOf('ch-one')?.because).toBe(hold)
    expect([patched, await statesOf(memory)]).toEqual([[], ['scheduled', 'applying', 'scheduled']])
    expect(await stateOf(memory)).toMatchObject({ at: 'scheduled', attempts: 0 })
    isHeld = false
    loop.wake()
    await expect.poll(() => stateOf(memory), { timeout: 10_000 }).toMatchObject({ at: 'done' })
    expect(patched).toEqual([
      '{"endpoint":{"autoscaling_limit_min_cu":0.25,"autoscaling_limit_max_cu":0.25}}',
    ])
    expect(
      server.requests.filter((request) => request.includes(path) && !request.startsWith('GET')),
    ).toHaveLength(1)
  })
})

const queuedIn = ({ stats }: Agent) => Object.values(stats).reduce((sum, { pending }) => sum + pending, 0)

const isList = (request: string) => request.startsWith('GET /api/v2/projects?')

test('each change that waits has a reason, also where no look is left or none is answered', async () => {
  const { clock, memory, service } = loopPorts()
  const failing: Service['at'] = () => ({
    ...service,
    at: failing,
    listComputes: async () => failed({ kind: 'unavailable', message: 'no answer' }),
  })
  for (const index of [1, 2, 3])
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await addChangeNow(
      { clock, memory },
      {
        id: `ch-${index}`,
        ref: { account: 'main', projectId: `project-${index}`, endpointId: `ep-${index}` },
      },
    )
  let held: Hold | undefined = { because: 'hold', until: undefined }
  const loop = loopOf({
    memory,
    clock,
    service: failing('apply'),
    requestsPerSecond: 0.01,
    policyHold: () => held,
  })
  runUntilTestEnds(loop)
  const reasons = () => loop.open().map(({ hold }) => hold?.because)
  await clock.advance(seconds(1))
  expect(reasons()).toEqual(['hold', 'hold', 'hold'])
  held = undefined
  loop.wake()
  await clock.advance(seconds(1))
  expect(reasons()).toEqual(['unseen', 'unseen', 'unseen'])
})

test('a change that is asked for during a turn is looked at right after it', async () => {
  const { clock, memory, service, looks } = loopPorts()
  let turns = 0
  const loop = loopOf({
    memory,
    clock,
    service,
    journal: {
      openChanges: async (account) => {
        turns += 1
        const open = await memory.openChanges(account)
        if (turns === 1) {
          await addChangeNow({ clock, memory })
          loop.wake()
        }
        return open
      },
    },
  })
  runUntilTestEnds(loop)
  await clock.advance(seconds(0))
  expect([turns > 1, looks.length > 0]).toEqual([true, true])
})

test('a change that waits is looked at anew when the kill switch is released during its turn', async () => {
  const { clock, memory, service, sent } = await loopPortsWithChange()
  let isHeld = true
  const loop = loopOf({
    memory,
    clock: {
      ...clock,
      // between the step of the change and the end of the turn
      yield: async () => {
        if (isHeld) loop.wake()
        isHeld = false
      },
    },
    service,
    stoppedBy: () => (isHeld ? 'kill-switch' : undefined),
  })
  runUntilTestEnds(loop)
  await clock.advance(seconds(1))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})

describe('where the store', () => {
  test.each<[string, () => Promise<never>]>([
    ['is full', () => Promise.reject(new Error('the disk is full'))],
    ['is read-only', () => Promise.reject(new Error('attempt to write a readonly database'))],
  ])('%s, nothing is sent, and it is sent once it can be written', async (_, refuse) => {
    const { clock, memory, service, sent } = await loopPortsWithChange()
    let isBroken = true
    const logged: string[] = []
    const loop = loopOf({
      memory,
      clock,
      service,
      store: {
        commit: (writes, options) => (isBroken ? refuse() : memory.account('main').commit(writes, options)),
      },
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (_fields: unknown, text?: string) => void logged.push(String(text)),
      },
    })
    runUntilTestEnds(loop)
    await clock.advance(seconds(60))
    expect([sent, await statesOf(memory)]).toEqual([[], ['scheduled']])
    expect(logged).toContain('changes could not be worked on')
    isBroken = false
    await clock.advance(seconds(60))
    expect([sent, (await stateOf(memory))?.at]).toEqual([[{ sizing: { fixed: 0.25 } }], 'done'])
  })

  test('is opened by another process while the request is on its way to the socket, it is withdrawn', async () => {
    const { clock, memory, service, sent } = await loopPortsWithChange()
    const asked: boolean[] = []
    const at: Service['at'] = (priority, maySend) => ({
      ...service.at(priority),
      at,
      updateCompute: async (...given) => {
        asked.push(maySend?.() ?? true)
        return asked.at(-1)
          ? service.updateCompute(...given)
          : failed({ kind: 'unavailable', message: 'withdrawn before it was sent' })
      },
    })
    const loop = loopOf({ memory, clock, service: at('apply'), isCurrent: () => false })
    runUntilTestEnds(loop)
    await clock.advance(seconds(5))
    expect([asked[0], sent, (await stateOf(memory))?.at]).toEqual([false, [], 'scheduled'])
  })

  test('is opened by another process, nothing is sent', async () => {
    const { clock, memory, service, sent } = await loopPortsWithChange()
    const loop = loopOf({ memory, clock, service, epoch: memory.epoch - 1 })
    runUntilTestEnds(loop)
    await clock.advance(seconds(60))
    expect([sent, await statesOf(memory)]).toEqual([[], ['scheduled']])
  })
})

test.each<[string, 'kill-switch' | 'mode']>([
  ['the kill switch', 'kill-switch'],
  ['the mode', 'mode'],
])('while %s stops changes, no request is made at all, and the hold says so', async (_, stoppedBy) => {
  const { clock, memory, service, sent, looks } = await loopPortsWithChange()
  const loop = loopOf({ memory, clock, service, stoppedBy: () => stoppedBy })
  runUntilTestEnds(loop)
  const began = clock.now()
  await clock.advance(seconds(60))
  expect([sent, looks]).toEqual([[], []])
  expect(loop.holdOf('ch-one')).toEqual({ because: stoppedBy, until: undefined, since: began })
})

test('after a crash the settle time counts from the opening of the store on the service’s clock', async () => {
  const { clock, memory, service, sent } = loopPorts()
  // the service is a minute ahead, which is known only after the first answer
  let offset = 0
  const serviceNow = () => after(clock.now(), seconds(60))
  const state = applyingOf({
    sentAt: after(serviceNow(), seconds(-160)),
    uncertainAt: undefined,
    epoch: memory.epoch - 1,
  })
  await memory
    .account('main')
    .commit([{ kind: 'change', change: changeMadeAt(clock.now(), { state }), replaces: undefined }])
  const loop = loopOf({ memory, clock, service, clockOffset: () => offset })
  runUntilTestEnds(loop)
  offset = 60_000
  await clock.advance(seconds(115))
  expect([sent, (await stateOf(memory))?.at]).toEqual([[], 'applying'])
  await clock.advance(seconds(30))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})
