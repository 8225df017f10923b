// Computes of a running service.
import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { usedMemory } from '../../../src/local/compute/sizing.ts'
import { endOfLog } from '../../../src/local/compute/replica.ts'
import { serverOf } from '../../../src/local/compute/orphans.ts'
import { join } from 'node:path'
import { call, connected, freshFolder, query, quickLocal, subject, until } from '../support.ts'

test('Q-16: an availability check wakes an idle compute, which then sleeps again; each pause is longer', async () => {
  const local = await quickLocal({ behaviour: { availabilityCheck: { first: 0.3, growth: 2 } } })
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await until('three checks were made', () => shop.truth().wakes.length >= 4 && shop.truth().suspends >= 4)
  const { wakes, intervals } = shop.truth()
  expect(wakes.slice(1, 4).map(({ cause }) => cause)).toEqual(['check', 'check', 'check'])
  const pauses = intervals
    .slice(1, 4)
    .map(({ from }, at) => Date.parse(from) - Date.parse(intervals[at]?.to ?? ''))
  for (const [at, least] of [300, 600, 1200].entries()) expect(pauses[at]).toBeGreaterThanOrEqual(least)
  const { operations } = (await call(local, `GET /projects/${shop.projectId}/operations`)).body
  const actions: readonly string[] = operations.map(({ action }) => action)
  expect(actions.filter((action) => action === 'check_availability').length).toBeGreaterThanOrEqual(3)
})

test('the memory of a server grows with its sessions', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await subject(local)
  await shop.settled('active')
  const pid = serverOf(join(folder, 'branches', shop.branchId)) ?? 0
  const before = usedMemory(pid) ?? 0
  expect(before).toBeGreaterThan(100 * 2 ** 20)
  expect(before).toBeLessThan(400 * 2 ** 20)
  const session = await connected(shop.uri)
  await session.query(`set work_mem = '256MB'`)
  await session.query('begin')
  await session.query(
    `declare sorted cursor for select n, repeat('x', 1000) as filler from generate_series(1, 60000) n order by filler, n`,
  )
  await session.query('fetch 1 from sorted')
  expect(usedMemory(pid)).toBeGreaterThan(before + 40 * 2 ** 20)
  await session.end()
})

test('the end of the log is defined after an orderly shutdown and undefined while the server runs', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder })
  const shop = await subject(local)
  const data = join(folder, 'branches', shop.branchId)
  await shop.settled('active')
  expect(endOfLog(data)).toBeUndefined()
  await query(shop.uri, 'create table kept as select 1 as n')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const first = endOfLog(data) ?? 0n
  await query(shop.uri, 'insert into kept values (2)')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  expect(first).toBeGreaterThan(0n)
  expect(endOfLog(data)).toBeGreaterThan(first)
})

test('Q-26: a compute suspended while the service still connects to it ends when its clients have left', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder, behaviour: { suspendDrops: { grace: 600 } } })
  const shop = await subject(local)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  appendFileSync(join(folder, 'branches', shop.branchId, 'postgresql.auto.conf'), 'post_auth_delay = 1\n')
  await call(local, `POST ${shop.path}/start`)
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
})
