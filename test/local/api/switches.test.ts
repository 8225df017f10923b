// Behaviour switches that need a running service: each position.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_BEHAVIOUR } from '../../../src/local/control/behaviour.ts'
import { ended, serviceFor, set } from '../conformance/service.ts'
import { testWith } from '../../support/tiers.ts'
import { type Subject, call, connected, query, subject, until } from '../support.ts'

const local = serviceFor()
let shop: Subject

beforeAll(async () => {
  shop = await subject(local())
})

/** Each test starts with default switches, an active compute and no operation in progress. */
beforeEach(async () => {
  await set(local(), { ...DEFAULT_BEHAVIOUR, wakeLatency: { min: 0, max: 0 }, lastActiveLag: 0 })
  await ended(local(), shop.projectId)
  await call(local(), `POST ${shop.path}/start`)
  await ended(local(), shop.projectId)
})

const patch = (endpoint: Record<string, unknown>): ReturnType<typeof call> =>
  call(local(), `PATCH ${shop.path}`, { body: { endpoint } })

const idle = async (): Promise<void> => {
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
}

const newest = async (): Promise<string> => {
  const { operations } = (await call(local(), `GET /projects/${shop.projectId}/operations?limit=1`)).body
  return `${operations[0]?.action} ${operations[0]?.status}`
}

describe('Q-05 apiReadsWake: reading an idle compute', () => {
  test.each([
    [false, 'suspend_compute finished'],
    [true, 'start_compute finished'],
  ])('%o', async (apiReadsWake, last) => {
    await idle()
    await set(local(), { apiReadsWake })
    await call(local(), `GET ${shop.path}`)
    await ended(local(), shop.projectId)
    expect(await newest()).toBe(last)
    await idle()
    await call(local(), `GET /projects/${shop.projectId}/endpoints`)
    await ended(local(), shop.projectId)
    expect(await newest()).toBe(last)
  })
})

describe('Q-09 errors.invalid: an invalid body is', () => {
  test.each([400, 422] as const)('a %i, whichever part of the service finds it', async (invalid) => {
    await set(local(), { errors: { invalid } })
    const bodies = [
      { endpoint: { autoscaling_limit_min_cu: 'big' } },
      { endpoint: { autoscaling_limit_min_cu: 0.75 } },
      { endpoint: { settings: { pg_settings: { work_mem: 'banana' } } } },
      'no json',
    ]
    for (const body of bodies)
      expect((await call(local(), `PATCH ${shop.path}`, { body, headers: JSON_TYPE })).status).toBe(invalid)
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }

describe('Q-11 connectionsBasis: max_connections of a range follows', () => {
  test.each([
    ['min', '112'],
    ['min(max, 8×min)', '901'],
  ] as const)('%s', async (connectionsBasis, most) => {
    await set(local(), { connectionsBasis })
    await patch({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: most === '112' ? 4 : 2 })
    await ended(local(), shop.projectId)
    expect(await query(shop.uri, 'show max_connections')).toEqual([{ max_connections: most }])
  })
})

describe('Q-15 lateMutation', () => {
  test('a change is answered with 504 and takes effect later', async () => {
    await set(local(), { lateMutation: 2 })
    expect((await patch({ name: 'late' })).status).toBe(504)
    expect((await shop.record()).name).not.toBe('late')
    await set(local(), { lateMutation: 'off' })
    await until('it landed', async () => (await shop.record()).name === 'late')
  })

  test('off: a change is answered with its result', async () => {
    expect((await patch({ name: 'punctual' })).body.endpoint.name).toBe('punctual')
  })
})

describe('Q-16 availabilityCheck: an idle compute', () => {
  test('wakes for the check and sleeps again', async () => {
    await idle()
    await set(local(), { availabilityCheck: { first: 0.05, growth: 100 } })
    await until('it was checked', () => shop.truth().wakes.at(-1)?.cause === 'check')
    await ended(local(), shop.projectId)
    const { operations } = (await call(local(), `GET /projects/${shop.projectId}/operations?limit=2`)).body
    expect(operations.map(({ action, status }) => `${action} ${status}`)).toEqual([
      'suspend_compute finished',
      'check_availability finished',
    ])
  })

  test('off: it stays asleep', async () => {
    await idle()
    await set(local(), { availabilityCheck: 'off' })
    expect(await newest()).toBe('suspend_compute finished')
  })
})

describe('Q-18 listRevokedKeys: a revoked key in the list', () => {
  test.each([false, true])('%o', async (listRevokedKeys) => {
    const { id } = (await call(local(), 'POST /api_keys', { body: { key_name: 'gone' } })).body
    await call(local(), `DELETE /api_keys/${id}`)
    await set(local(), { listRevokedKeys })
    const keys = (await call(local(), 'GET /api_keys')).body as unknown as readonly { readonly id: number }[]
    expect(keys.some((key) => key.id === id)).toBe(listRevokedKeys)
  })
})

describe('Q-26 suspendDrops: a suspend call', () => {
  test('true: drops open connections at once', async () => {
    const session = await connected(shop.uri)
    const dropped = new Promise((resolve) => void session.once('end', resolve))
    await call(local(), `POST ${shop.path}/suspend`)
    await dropped
  })

  test('a grace: waits until the clients disconnect', async () => {
    await set(local(), { suspendDrops: { grace: 60 } })
    const session = await connected(shop.uri)
    await call(local(), `POST ${shop.path}/suspend`)
    expect((await session.query('select 1 as ok')).rows).toEqual([{ ok: 1 }])
    expect(await shop.record()).toMatchObject({ current_state: 'active', pending_state: 'idle' })
    await session.end()
    await shop.settled('idle')
  })

  test('after the grace: drops the connections', async () => {
    await set(local(), { suspendDrops: { grace: 0.1 } })
    const session = await connected(shop.uri)
    const dropped = new Promise((resolve) => void session.once('end', resolve))
    await call(local(), `POST ${shop.path}/suspend`)
    await dropped
    await shop.settled('idle')
  })
})

describe('Q-27 poolerBackendVisible: the session of a pooled client that has left', () => {
  testWith('pgbouncer').each([true, false])('%o', async (poolerBackendVisible) => {
    await set(local(), { poolerBackendVisible })
    await patch({ pooler_enabled: true })
    await idle()
    const pooled = shop.uri.replace(shop.endpointId, `${shop.endpointId}-pooler`)
    const [{ pid }] = await query(pooled, 'select pg_backend_pid() as pid')
    const stays = `select count(*)::int as n from pg_stat_activity where pid = ${pid}`
    await until(
      'it is as it will be',
      async () => (await query(shop.uri, stays))[0].n === Number(poolerBackendVisible),
    )
  })
})

describe('Q-28 unknownFields', () => {
  const body = { endpoint: { nmae: 'typo', settings: { pg_settings: {}, else: 1 } }, more: true }

  test('ignored', async () => {
    expect((await call(local(), `PATCH ${shop.path}`, { body })).status).toBe(200)
  })

  test('refused, each with its path', async () => {
    await set(local(), { unknownFields: 'refused' })
    const answer = await call(local(), `PATCH ${shop.path}`, { body })
    expect(answer.status).toBe(400)
    for (const path of ['endpoint.nmae:', 'endpoint.settings.else:', 'more:'])
      expect(answer.body.message).toContain(path)
    const settings = { pg_settings: { 'any.name': 'is no unknown field' } }
    expect((await patch({ settings })).status).toBe(200)
  })
})

describe('Q-29 postgresConnect: roles may connect to database postgres', () => {
  test.each([false, true])('%o', async (postgresConnect) => {
    await set(local(), { postgresConnect })
    await idle()
    const uri = shop.uri.replace('/app?', '/postgres?')
    const served = await query(uri, 'select 1').then(
      () => true,
      (error: Error) => error.message,
    )
    expect(String(served)).toMatch(postgresConnect ? /^true$/ : /permission denied/)
    expect(await query(shop.uri, 'select 1 as ok')).toEqual([{ ok: 1 }])
  })
})

const counted = async (): Promise<number> =>
  (await call(local(), 'GET /projects')).body.projects[0]?.cpu_used_sec ?? -1

describe('countersLag: the counters of a project show use', () => {
  test('0: up to now', async () => {
    const before = Math.floor(shop.truth().cuSeconds)
    const answered = await counted()
    expect(answered).toBeGreaterThanOrEqual(before)
    expect(answered).toBeLessThanOrEqual(Math.floor(shop.truth().cuSeconds))
  })

  test('an hour: up to an hour ago', async () => {
    await set(local(), { countersLag: 3600 })
    expect(await counted()).toBe(0)
    const { project } = (await call(local(), `GET /projects/${shop.projectId}`)).body
    expect(project.active_time_seconds).toBe(0)
  })
})

const burst = async (): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: 60 }, async () => (await call(local(), 'GET /api_keys')).status))

describe('rates', () => {
  test('off: every request is served', async () => {
    expect(new Set(await burst())).toEqual(new Set([200]))
  })

  test('on: requests above the rate get a 429 with retry-after', async () => {
    await set(local(), { rates: true })
    expect((await burst()).filter((status) => status === 429).length).toBeGreaterThanOrEqual(10)
    const answer = await until('a refused one', async () => {
      const response = await call(local(), 'GET /api_keys')
      return response.status === 429 && response
    })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    await set(local(), { rates: false })
  })
})
