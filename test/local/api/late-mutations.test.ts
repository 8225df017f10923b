// Mutations that take effect after their answer, on clocks of every kind.
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Clock, createClock } from '../../../src/local/clock.ts'
import type { BehaviourChange } from '../../../src/local/engine/behaviour-switches.ts'
import type { ComputeTruth } from '../../../src/local/engine/truth.ts'
import { createVirtualClock, localClockOf } from '../../support/virtual-clock.ts'
import { type Simulated, idsOf, startSimulated } from '../../support/simulated-service.ts'
import { set } from '../conformance/service.ts'
import { until } from '../support.ts'

const START = Date.UTC(2026, 0, 5)
const { projectId, endpointId, branchId } = idsOf(0)
const PATH = `/projects/${projectId}/endpoints/${endpointId}`

/** A clock, and how the test lets seconds pass on it. */
type Passing = Readonly<{ clock: Clock; pass: (length: number) => Promise<unknown> }>

/** Its timers never fire: whoever asks the service learns what is due by then. */
function setClock(): Passing {
  let now = START
  return {
    clock: { now: () => now, after: () => () => undefined, sleep: () => Promise.resolve() },
    pass: (length) => Promise.resolve((now += 1000 * length)),
  }
}

function virtualClock(): Passing {
  const clock = createVirtualClock(START)
  const local = localClockOf(clock)
  return { clock: local, pass: (length) => clock.run(local.sleep(1000 * length)) }
}

const CLOCKS = { 'that a test sets': setClock, virtual: virtualClock }

type Stage = Passing & { readonly service: Simulated }

async function stage(passing: Passing, behaviour: BehaviourChange = {}): Promise<Stage> {
  // awake from the beginning
  const projects = [{ name: 'shop', cu: 1, suspendTimeoutSeconds: -1, activity: [passing.clock.now()] }]
  const service = await startSimulated({ projects, clock: passing.clock, behaviour })
  onTestFinished(() => service.stop())
  await passing.pass(60)
  service.advance()
  return { ...passing, service }
}

const send = ({ service }: Stage, method: string, path: string, body?: object): Promise<Response> =>
  service.fetch(
    new Request(`${service.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )

const mutationsOf = ({ service }: Stage): ComputeTruth['mutations'] =>
  service.truth().computes.flatMap(({ mutations }) => mutations)

const resize = { endpoint: { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 } }
const SIZE = { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }

/** Method, path, body → the mutation that lands. */
const REQUESTS = [
  ['PATCH', PATH, resize, { action: 'update', fields: SIZE, restarted: true }],
  ['POST', `${PATH}/restart`, undefined, { action: 'restart', fields: {}, restarted: true }],
  ['POST', `${PATH}/suspend`, undefined, { action: 'suspend', fields: {}, restarted: false }],
  ['POST', `${PATH}/start`, undefined, { action: 'start', fields: {}, restarted: false }],
  ['DELETE', PATH, undefined, { action: 'delete', fields: {}, restarted: false }],
  [
    'POST',
    `/projects/${projectId}/endpoints`,
    { endpoint: { branch_id: branchId, type: 'read_only' } },
    { action: 'create', fields: { type: 'read_only', branch_id: branchId }, restarted: false },
  ],
] as const

describe.each(Object.entries(CLOCKS))('on a clock %s', (_, clockOf) => {
  test.each(REQUESTS)('%s %s lands late', async (method, path, body, mutation) => {
    const on = await stage(clockOf())
    await set(on.service, { lateMutation: 100 })
    const sentAt = on.clock.now()
    expect((await send(on, method, path, body)).status).toBe(504)
    await set(on.service, { lateMutation: 'off' })
    await on.pass(50)
    expect(mutationsOf(on)).toEqual([])
    await on.pass(500)
    expect(mutationsOf(on)).toEqual([{ at: new Date(sentAt + 100_000).toISOString(), ...mutation }])
  })

  test('a change that comes before it is overwritten by it', async () => {
    const on = await stage(clockOf())
    await set(on.service, { lateMutation: 100 })
    await send(on, 'PATCH', PATH, resize)
    await set(on.service, { lateMutation: 'off' })
    await on.pass(20)
    const between = { endpoint: { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 } }
    expect((await send(on, 'PATCH', PATH, between)).status).toBe(200)
    await on.pass(500)
    on.service.advance()
    expect(on.service.project(projectId)?.computes[0]?.config.maxCu).toBe(2)
    expect(mutationsOf(on).map(({ fields }) => fields['autoscaling_limit_max_cu'])).toEqual([4, 2])
  })
})

test('on the real clock, too', async () => {
  const on = await stage({ clock: createClock(), pass: () => Promise.resolve() })
  await until('the start has ended', () => on.service.project(projectId)?.queue.length === 0)
  await set(on.service, { lateMutation: 0.1 })
  const sentAt = Date.now()
  expect((await send(on, 'PATCH', PATH, resize)).status).toBe(504)
  const landed = await until('it landed', () => mutationsOf(on)[0])
  expect(Date.parse(landed.at) - sentAt).toBeGreaterThanOrEqual(100)
})

test('one that is refused when it lands changes nothing', async () => {
  const on = await stage(setClock())
  await set(on.service, { lateMutation: 100 })
  expect((await send(on, 'PATCH', PATH, resize)).status).toBe(504)
  expect((await send(on, 'PATCH', PATH, { endpoint: { autoscaling_limit_max_cu: 0.3 } })).status).toBe(504)
  await set(on.service, { lateMutation: 'off' })
  expect((await send(on, 'DELETE', PATH)).status).toBe(200)
  await on.pass(500)
  expect(mutationsOf(on).map(({ action }) => action)).toEqual(['delete'])
})
