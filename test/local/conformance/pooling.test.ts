// Statements of the interface about the pooled host, over the PgBouncer of this machine.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { Local } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import { QUICK, type Subject, call, connected, freshFolder, query, subject } from '../support.ts'
import { testWith } from '../../support/tiers.ts'

const test = testWith('pgbouncer')

type Scene = {
  readonly local: Local
  readonly folder: string
  readonly shop: Subject
  /** URI of the pooled host. */
  readonly pooled: string
}

async function scene(): Promise<Scene> {
  const folder = freshFolder()
  const local = await startQuickly({ folder, ...QUICK })
  onTestFinished(() => local.stop())
  const shop = await subject(local)
  await shop.settled('active')
  return { local, folder, shop, pooled: shop.uri.replace(shop.endpointId, `${shop.endpointId}-pooler`) }
}

async function enable({ local, shop }: Scene): Promise<void> {
  await call(local, `PATCH ${shop.path}`, { body: { endpoint: { pooler_enabled: true } } })
  await shop.settled('active')
}

/** Opens `count` sessions at once, each of which has run a query. */
async function sessions(uri: string, count: number): Promise<Client[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => connected(uri)))
  await Promise.all(clients.map((client) => client.query('select 1')))
  return clients
}

test('S-101 the pool takes up to 10,000 clients at once', async () => {
  const setting = await scene()
  await enable(setting)
  const clients = await sessions(setting.pooled, 400)
  const [pooler = ''] = readdirSync(join(setting.folder, 'poolers'))
  const file = readFileSync(join(setting.folder, 'poolers', pooler, 'pgbouncer.ini'), 'utf8')
  expect(file).toMatch(/^max_client_conn = 10000$/m)
  await Promise.all(clients.map((client) => client.end()))
})

test('S-104 pooled clients are not bound by max_connections', async () => {
  const setting = await scene()
  await enable(setting)
  expect(await query(setting.shop.uri, 'show max_connections')).toEqual([{ max_connections: '112' }])
  const clients = await sessions(setting.pooled, 150)
  const [{ used }] = await query(setting.shop.uri, 'select count(*)::int as used from pg_stat_activity')
  expect(used).toBeLessThan(112)
  await Promise.all(clients.map((client) => client.end()))
})

test('S-117 with pooler_enabled false the pooled host refuses and wakes nothing; with true it works', async () => {
  const setting = await scene()
  const { local, shop, pooled } = setting
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const { wakes } = shop.truth()
  await expect(query(pooled, 'select 1')).rejects.toThrow(/pooling is disabled for endpoint ep-/)
  expect(shop.truth().wakes).toHaveLength(wakes.length)
  expect(await query(shop.uri, 'select 1 as direct')).toEqual([{ direct: 1 }])
  await enable(setting)
  expect(await query(pooled, 'select 1 as pooled')).toEqual([{ pooled: 1 }])
})
