// Automatic resizing, on a server under load.
import { expect, test } from 'vitest'
import { call, connected, query, subject, until } from '../support.ts'
import { ended, serviceFor } from './service.ts'

const local = serviceFor({ autoscaleEvery: 0.1 })

test('S-67 automatic resizing inside the range neither restarts nor disconnects', async () => {
  const shop = await subject(local())
  await ended(local(), shop.projectId)
  await call(local(), `PATCH ${shop.path}`, {
    body: { endpoint: { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 } },
  })
  await ended(local(), shop.projectId)
  const [session, worker] = [await connected(shop.uri), await connected(shop.uri)]
  const startedAt = async (): Promise<unknown> =>
    (await session.query('select pg_postmaster_start_time()::text as at')).rows
  const before = await startedAt()
  const [{ pid }] = (await worker.query('select pg_backend_pid() as pid')).rows
  const work = worker.query('select count(*) from generate_series(1, 1000000000000)').catch(() => undefined)
  await until('the compute has grown', () => shop.truth().intervals.some(({ cu }) => cu > 0.25))
  await query(shop.uri, `select pg_cancel_backend(${pid})`)
  await work
  await until('the compute has shrunk', () => shop.truth().intervals.at(-1)?.cu === 0.25)
  expect(await startedAt()).toEqual(before)
  expect((await worker.query('select pg_backend_pid() as pid')).rows).toEqual([{ pid }])
  await Promise.all([session.end(), worker.end()])
})
