import { Agent } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import type { Change, Hold } from '../../../src/model/policy/change.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import { after, seconds, type Instant } from '../../../src/model/units.ts'
import { createService } from '../../../src/service/service.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { answers, faultyServer } from '../../service/faulty-server.ts'
import { compute as wireCompute } from '../../service/records.ts'
import { applyingOf } from '../../apply/build.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fakeService } from './fake-service.ts'
import { loopOf } from './loop-of.ts'

const running = new AbortController().signal

const stateOf = async (memory: ReturnType<typeof memoryStore>, id = 'ch-one') =>
  (await memory.change('main', id))?.state

const statesOf = async (memory: ReturnType<typeof memoryStore>) =>
  (await memory.changeEvents('main', 'ch-one')).map(({ state }) => state.at)

/** Runs until the test ends. */
function runToEnd(loop: ReturnType<typeof loopOf>) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void loop.run(stop.signal)
}

const startingAt = (now: Instant, fields: Partial<Change> = {}) =>
  changeOf({ createdAt: now, deadline: after(now, seconds(86_400)), ...fields })

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
    const ref = {
      account: 'main',
      projectId: wireCompute.project_id,
      endpointId: wireCompute.id,
    }
    const change = startingAt(clock.now(), { ref })
    await addChange(memory.account('main'), change, { at: clock.now() })
    const loop = loopOf({
      memory,
      clock,
      service,
      store: { commit: busy },
      stoppedBy: () => (isHeld && hold === 'kill-switch' ? hold : undefined),
      policyHold: () => (isHeld && hold !== 'kill-switch' ? { because: hold, until: undefined } : undefined),
    })
    runToEnd(loop)
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
  const clock = fakeClock()
  const memory = memoryStore()
  const { service } = fakeService()
  const failing: Service['at'] = () => ({
    ...service,
    at: failing,
    listComputes: async () => failed({ kind: 'unavailable', message: 'no answer' }),
  })
  for (const index of [1, 2, 3])
    // oxlint-disable-next-line no-await-in-loop -- one commit after the other
    await addChange(
      memory.account('main'),
      startingAt(clock.now(), {
        id: `ch-${index}`,
        ref: { account: 'main', projectId: `project-${index}`, endpointId: `ep-${index}` },
      }),
      { at: clock.now() },
    )
  let held: Hold | undefined = { because: 'hold', until: undefined }
  const loop = loopOf({
    memory,
    clock,
    service: failing('apply'),
    requestsPerSecond: 0.01,
    policyHold: () => held,
  })
  runToEnd(loop)
  const reasons = () => loop.open().map(({ hold }) => hold?.because)
  await clock.advance(seconds(1))
  expect(reasons()).toEqual(['hold', 'hold', 'hold'])
  held = undefined
  loop.wake()
  await clock.advance(seconds(1))
  expect(reasons()).toEqual(['unseen', 'unseen', 'unseen'])
})

test('a change that is asked for during a turn is looked at right after it', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, looks } = fakeService()
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
          await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
          loop.wake()
        }
        return open
      },
    },
  })
  runToEnd(loop)
  await clock.advance(seconds(0))
  expect([turns > 1, looks.length > 0]).toEqual([true, true])
})

test('a change that waits is looked at anew when the kill switch is released during its turn', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService()
  await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
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
  runToEnd(loop)
  await clock.advance(seconds(1))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})

describe('where the store', () => {
  test.each<[string, () => Promise<never>]>([
    ['is full', () => Promise.reject(new Error('the disk is full'))],
    ['is read-only', () => Promise.reject(new Error('attempt to write a readonly database'))],
  ])('%s, nothing is sent, and it is sent once it can be written', async (_, refuse) => {
    const clock = fakeClock()
    const memory = memoryStore()
    const { service, sent } = fakeService()
    await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
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
    runToEnd(loop)
    await clock.advance(seconds(60))
    expect([sent, await statesOf(memory)]).toEqual([[], ['scheduled']])
    expect(logged).toContain('changes could not be worked on')
    isBroken = false
    await clock.advance(seconds(60))
    expect([sent, (await stateOf(memory))?.at]).toEqual([[{ sizing: { fixed: 0.25 } }], 'done'])
  })

  test('is opened by another process while the request is on its way to the socket, it is withdrawn', async () => {
    const clock = fakeClock()
    const memory = memoryStore()
    const { service, sent } = fakeService()
    await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
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
    runToEnd(loop)
    await clock.advance(seconds(5))
    expect([asked[0], sent, (await stateOf(memory))?.at]).toEqual([false, [], 'scheduled'])
  })

  test('is opened by another process, nothing is sent', async () => {
    const clock = fakeClock()
    const memory = memoryStore()
    const { service, sent } = fakeService()
    await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
    const loop = loopOf({ memory, clock, service, epoch: memory.epoch - 1 })
    runToEnd(loop)
    await clock.advance(seconds(60))
    expect([sent, await statesOf(memory)]).toEqual([[], ['scheduled']])
  })
})

test.each<[string, 'kill-switch' | 'mode']>([
  ['the kill switch', 'kill-switch'],
  ['the mode', 'mode'],
])('while %s stops changes, no request is made at all, and the hold says so', async (_, stoppedBy) => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent, looks } = fakeService()
  await addChange(memory.account('main'), startingAt(clock.now()), { at: clock.now() })
  const loop = loopOf({ memory, clock, service, stoppedBy: () => stoppedBy })
  runToEnd(loop)
  const began = clock.now()
  await clock.advance(seconds(60))
  expect([sent, looks]).toEqual([[], []])
  expect(loop.holdOf('ch-one')).toEqual({ because: stoppedBy, until: undefined, since: began })
})

test('after a crash the settle time counts from the opening of the store on the service’s clock', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService()
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
    .commit([{ kind: 'change', change: startingAt(clock.now(), { state }), replaces: undefined }])
  const loop = loopOf({ memory, clock, service, clockOffset: () => offset })
  runToEnd(loop)
  offset = 60_000
  await clock.advance(seconds(115))
  expect([sent, (await stateOf(memory))?.at]).toEqual([[], 'applying'])
  await clock.advance(seconds(30))
  expect(sent).toEqual([{ sizing: { fixed: 0.25 } }])
})
