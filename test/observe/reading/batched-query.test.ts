import { rmSync } from 'node:fs'
import { Client } from 'pg'
import { z } from 'zod'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { seconds } from '../../../src/model/units.ts'
import { askServiceForUri } from '../../../src/observe/reading/address.ts'
import { queryParts } from '../../../src/observe/reading/batched-query.ts'
import { createReadings } from '../../../src/observe/reading/readings.ts'
import { createService } from '../../../src/service/service.ts'
import { until, uriOf } from '../../end-to-end/support.ts'
import { makeFolder } from '../../local/support.ts'
import { compute } from '../../support/build.ts'

const folder = makeFolder()
let local: Local
let target: Compute
let client: Client

beforeAll(async () => {
  local = await startQuickly({ folder, projects: [{ name: 'one' }], wakeLatency: { min: 0, max: 0 } })
  const real = await until('a started compute', () => local.truth().computes[0])
  target = compute({ projectId: real.projectId, endpointId: real.endpointId, state: 'active' })
  const types = { getTypeParser: () => (text: string) => text }
  const connectionString = await uriOf(local, real.projectId)
  client = new Client({ connectionString, statement_timeout: 200, types })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Numbered = { readonly n: number }

const numbered = (sql: string) => ({ sql, row: z.object({ n: z.number() }) })

test('parts that all answer take one round trip', async () => {
  const query = vi.spyOn(client, 'query')
  const answers = await queryParts<{ a: Numbered; b: Numbered }>(client, {
    a: numbered('select 1 as n'),
    b: numbered('select 2 as n'),
  })
  expect(answers).toEqual({ a: { n: 1 }, b: { n: 2 } })
  expect(query).toHaveBeenCalledTimes(1)
})

test('a part that fails, is slow, or has no row is missing with its reason, and the others stand', async () => {
  type Rows = {
    good: Numbered
    gone: Numbered
    slow: Numbered
    none: Numbered
    forbidden: Numbered
    wrong: Numbered
  }
  expect(
    await queryParts<Rows>(client, {
      good: numbered('select 1 as n'),
      gone: numbered('select n from no_such_view'),
      slow: numbered('select 1 as n from pg_sleep(5)'),
      none: numbered('select 1 as n where false'),
      forbidden: numbered('select count(*)::int as n from pg_catalog.pg_authid'),
      wrong: numbered("select 'NaN'::float8 as n"),
    }),
  ).toEqual({
    good: { n: 1 },
    gone: { missing: 'relation "no_such_view" does not exist' },
    slow: { missing: 'canceling statement due to statement timeout' },
    none: { missing: 'the server answered no row' },
    forbidden: { missing: 'permission denied for table pg_authid' },
    wrong: { missing: 'the server answered what cannot be: n' },
  })
})

/** What the daemon passes for a service on this machine; the builder's compute is `ep-one.local`. */
const optionsOfDaemon = async () => {
  const uri = new URL(await uriOf(local, target.projectId))
  return {
    hosts: ['localhost', 'local'],
    tls: { sslmode: 'verify-full', sslrootcert: uri.searchParams.get('sslrootcert') ?? undefined },
    authentication: ['scram-sha-256'],
  } as const
}

const readWith = async (role: string, allowed = true) => {
  const service = createService({
    baseUrl: local.baseUrl,
    readKey: () => ({ ok: true, value: local.apiKey }),
    clock: createClock(),
    random: createRandom(),
    requestsPerMinute: 350,
    projects: 'discover',
    useConnectionUri: allowed,
  })
  const readings = createReadings({
    clock: createClock(),
    ...(await optionsOfDaemon()),
    dsn: undefined,
    password: () => undefined,
    ask: askServiceForUri(service, { role, database: 'app' }),
    database: 'app',
    serviceUsers: ['cloud_admin'],
    deadline: seconds(5),
  })
  const { signal } = new AbortController()
  return (await readings.prepare(target, signal)) ?? (await readings.read(target, 'light', signal))
}

test('where the service may be asked for it, its connection string is the credentials', async () => {
  expect(await readWith('app_owner')).toMatchObject({ kind: 'read', reading: { kind: 'light' } })
})

test('a role the service does not know, and a question that is not allowed, are failures that say so', async () => {
  expect(await readWith('nobody')).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('no connection string for role nobody and database app'),
  })
  expect(await readWith('app_owner', false)).toMatchObject({
    message: expect.stringContaining('the configuration does not allow to ask'),
  })
})
