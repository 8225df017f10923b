// kill -9 of the service and of its servers, again and again, while clients write.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/local/random.ts'
import { serverOf } from '../../src/local/compute/orphans.ts'
import { type Child, childLocal, killed } from './child.ts'
import { processesOn } from './processes.ts'
import { type Subject, call, freshFolder, query, quickLocal, subject, subjectOf, until } from './support.ts'

const ROUNDS = 5

/** Keys and rows acknowledged so far. */
type Written = { readonly keys: string[]; readonly rows: number[] }

/** Creates keys and rows until `isOver`, and records those that were acknowledged. Failures are expected. */
async function writeUntil(
  isOver: () => boolean,
  service: Child,
  shop: Subject,
  written: Written,
): Promise<void> {
  const keys = async (): Promise<void> => {
    while (!isOver()) {
      const name = `key-${written.keys.length}-${Math.trunc(performance.now())}`
      const answer = await call(service, 'POST /api_keys', { body: { key_name: name } }).catch(
        () => undefined,
      )
      if (answer?.status === 200) written.keys.push(name)
    }
  }
  const rows = async (): Promise<void> => {
    while (!isOver()) {
      const row = Math.trunc(performance.now() * 1000)
      const sql = `insert into kept values (${row}) returning n::float8 as n`
      const [inserted] = await query(shop.uri, sql).catch(() => [])
      if (inserted) written.rows.push(inserted.n)
    }
  }
  await Promise.all([keys(), rows()])
}

const rowsThrough = async ({ uri }: Subject): Promise<readonly number[]> =>
  (await query(uri, 'select n::float8 as n from kept')).map(({ n }) => n)

test('kills at random instants under load: nothing acknowledged is lost, no orphan stays, computes recover', async () => {
  const folder = freshFolder()
  const random = createRandom(11)
  const written: Written = { keys: [], rows: [] }
  let service = await childLocal(folder)
  const shop = await subject(service)
  await shop.settled('active')
  await query(shop.uri, 'create table kept (n bigint primary key)')
  const { body } = await call(service, `POST /projects/${shop.projectId}/endpoints`, {
    body: { endpoint: { branch_id: shop.branchId, type: 'read_only', suspend_timeout_seconds: -1 } },
  })
  const replica = await subjectOf(service, body.endpoint)
  await replica.settled('active')
  const dataOf = {
    primary: join(folder, 'branches', shop.branchId),
    replica: join(folder, 'branches', replica.endpointId),
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    let isOver = false
    const writing = writeUntil(() => isOver, service, shop, written)
    const enough = written.rows.length + 1 + Math.floor(15 * random.uniform())
    await until('so many rows are there', () => written.rows.length >= enough)
    const victim = round % 2 === 0 ? undefined : serverOf(round % 4 === 1 ? dataOf.primary : dataOf.replica)
    if (victim !== undefined) process.kill(victim, 'SIGKILL')
    else {
      await killed(service)
      isOver = true
      service = await childLocal(folder)
    }
    isOver = true
    await writing
    const names: readonly { readonly name: string }[] = (await call(service, 'GET /api_keys')).body as never
    expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(written.keys))
    expect(await rowsThrough(shop)).toEqual(expect.arrayContaining(written.rows))
    await until('the replica shows every row', async () => {
      const shown = new Set(await rowsThrough(replica))
      return written.rows.every((row) => shown.has(row))
    })
  }
  expect(written.keys.length).toBeGreaterThan(ROUNDS)
  expect(written.rows.length).toBeGreaterThan(ROUNDS)

  await killed(service)
  expect(processesOn(folder).length).toBeGreaterThanOrEqual(2)
  const events: string[] = []
  const local = await quickLocal({ folder, log: ({ kind }) => void events.push(kind) })
  expect(events.filter((kind) => kind === 'orphan-stopped')).toHaveLength(2)
  expect(processesOn(folder)).toEqual([])
  expect(await rowsThrough(replica)).toEqual(expect.arrayContaining(written.rows))
  await local.stop()
  expect(processesOn(folder)).toEqual([])
})
