// What `/_truth` says about stops and changes, over real Postgres and real clients.
import { join } from 'node:path'
import type { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { serverOf } from '../../src/local/compute/orphans.ts'
import type { ComputeTruth } from '../../src/local/engine/truth.ts'
import type { Local } from '../../src/local/start.ts'
import { longTest, splitCases, testWith } from '../support/tiers.ts'
import { ended, set } from './conformance/service.ts'
import { type Subject, call, connected, freshFolder, quickLocal, subject, until } from './support.ts'

type Stage = Readonly<{ local: Local; shop: Subject; folder: string }>

async function stage(suspendTimeoutSeconds = -1): Promise<Stage> {
  const folder = freshFolder()
  const local = await quickLocal({ folder, projects: [{ name: 'shop', suspendTimeoutSeconds }] })
  const shop = await subject(local)
  await shop.settled('active')
  return { local, shop, folder }
}

const patch = (
  { local, shop }: Stage,
  endpoint: Readonly<Record<string, unknown>>,
): ReturnType<typeof call> => call(local, `PATCH ${shop.path}`, { body: { endpoint } })

const post = ({ local, shop }: Stage, action: string): ReturnType<typeof call> =>
  call(local, `POST ${shop.path}/${action}`)

/** Without its instant. */
const lastStop = ({ stops }: ComputeTruth) => {
  const { at: _, ...stop } = stops.at(-1) ?? { at: undefined }
  return stop
}

const idle = () => undefined
const inTransaction = (session: Client) => session.query('begin')
const inStatement = (session: Client) => {
  void session.query('select pg_sleep(60)').catch(() => undefined)
}

const SIZE = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 0.5 }

type Act = (stage: Stage) => Promise<unknown>

type Case = readonly [string, why: string, use: (session: Client) => unknown, working: number, act: Act]

const CASES: readonly Case[] = [
  ['a change of the size', 'config', idle, 0, (on) => patch(on, SIZE)],
  ['a change of the size, client in a transaction', 'config', inTransaction, 1, (on) => patch(on, SIZE)],
  ['a change of the size, client in a statement', 'config', inStatement, 1, (on) => patch(on, SIZE)],
  ['a restart', 'restart-call', idle, 0, (on) => post(on, 'restart')],
  ['a suspension', 'suspend-call', inTransaction, 1, (on) => post(on, 'suspend')],
  ['disabling', 'disabled', idle, 0, (on) => patch(on, { disabled: true })],
  ['a deletion', 'deleted', idle, 0, ({ local, shop }) => call(local, `DELETE ${shop.path}`)],
  ['the death of the server', 'crash', idle, 0, kill],
]
const [short, others] = splitCases(CASES, 4)

async function endsSession(...[, why, use, working, act]: Case): Promise<void> {
  const on = await stage()
  const { shop } = on
  const session = await connected(shop.uri)
  await session.query('select 1')
  await use(session)
  if (use === inStatement) await until('the statement runs', () => runs(on))
  const dropped = new Promise((resolve) => void session.once('end', resolve))
  await act(on)
  await dropped
  await until('it has stopped', () => shop.truth().suspends > 0)
  expect(shop.truth().stops).toHaveLength(1)
  expect(lastStop(shop.truth())).toEqual({ why, open: 1, open_pooled: 0, working })
}

describe('a stop counts the sessions that it ends', () => {
  test.each(short)('%s', endsSession)
  longTest.each(others)('%s', endsSession)

  test('an idle client does not keep the compute awake, and one that has left is not counted', async () => {
    const on = await stage(1)
    const { shop } = on
    await shop.settled('idle')
    const [session, gone] = [await connected(shop.uri), await connected(shop.uri)]
    await gone.end()
    const dropped = new Promise((resolve) => void session.once('end', resolve))
    await dropped
    await shop.settled('idle')
    const { stops, suspends, intervals } = shop.truth()
    expect(stops.map(({ why, open, working }) => [why, open, working])).toEqual([
      ['autosuspend', 0, 0],
      ['autosuspend', 1, 0],
    ])
    expect(suspends).toBe(2)
    const { at } = stops[1] ?? { at: '' }
    expect(intervals[1]?.from.localeCompare(at)).toBe(-1)
    expect(at.localeCompare(intervals[1]?.to ?? '')).toBeLessThanOrEqual(0)
  })

  testWith('pgbouncer')('clients of the pooled host count, too', async () => {
    const on = await stage()
    const { local, shop } = on
    await patch(on, { pooler_enabled: true })
    await ended(local, shop.projectId)
    const pooled = shop.uri.replace(shop.endpointId, `${shop.endpointId}-pooler`)
    const sessions = [await connected(pooled), await connected(pooled), await connected(shop.uri)]
    await sessions[0]?.query('begin')
    const dropped = sessions.map((session) => new Promise((resolve) => void session.once('end', resolve)))
    await patch(on, SIZE)
    await Promise.all(dropped)
    await ended(local, shop.projectId)
    expect(lastStop(shop.truth())).toEqual({ why: 'config', open: 3, open_pooled: 2, working: 1 })
  })

  longTest('with a grace, only the clients that have not left when it ends', async () => {
    const on = await stage()
    const { local, shop } = on
    await set(local, { suspendDrops: { grace: 60 } })
    const session = await connected(shop.uri)
    await post(on, 'suspend')
    await session.end()
    await shop.settled('idle')
    expect(lastStop(shop.truth())).toEqual({ why: 'suspend-call', open: 0, open_pooled: 0, working: 0 })
    await set(local, { suspendDrops: { grace: 0.1 } })
    const other = await connected(shop.uri)
    const dropped = new Promise((resolve) => void other.once('end', resolve))
    await other.query('begin')
    await post(on, 'suspend')
    await dropped
    await shop.settled('idle')
    expect(lastStop(shop.truth())).toEqual({ why: 'suspend-call', open: 1, open_pooled: 0, working: 1 })
  })
})

async function kill({ shop, folder }: Stage): Promise<void> {
  const pid = serverOf(join(folder, 'branches', shop.branchId))
  if (pid === undefined) throw new Error('no server runs')
  process.kill(pid, 'SIGKILL')
}

async function runs({ shop }: Stage): Promise<boolean> {
  const looker = await connected(shop.uri)
  const { rows } = await looker.query(
    `select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`,
  )
  await looker.end()
  return rows.length === 1
}

const SENT = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 }

test.each([false, true])(
  'a change of equal values that is sent twice is recorded twice, whether it restarts or not: %o',
  async (patchEqualRestarts) => {
    const on = await stage()
    const { local, shop } = on
    await set(local, { patchEqualRestarts })
    for (let time = 0; time < 2; time += 1) {
      expect((await patch(on, SENT)).status).toBe(200)
      await ended(local, shop.projectId)
    }
    expect((await patch(on, { autoscaling_limit_min_cu: 0.3 })).status).toBe(400)
    const [creation, ...changes] = shop.truth().mutations
    expect(creation?.action).toBe('create')
    const change = { at: expect.any(String), action: 'update', fields: SENT, restarted: patchEqualRestarts }
    expect(changes).toEqual([change, change])
    expect(shop.truth().stops).toHaveLength(patchEqualRestarts ? 2 : 0)
  },
)

test('a change that lands late is recorded when it lands', async () => {
  const on = await stage()
  const { local, shop } = on
  await set(local, { lateMutation: 2 })
  const sentAt = Date.now()
  expect((await patch(on, SIZE)).status).toBe(504)
  expect(shop.truth().mutations).toHaveLength(1)
  await until('it landed', () => shop.truth().mutations.length === 2)
  expect(Date.parse(shop.truth().mutations[1]?.at ?? '') - sentAt).toBeGreaterThanOrEqual(2000)
})

test('stops and mutations survive a restart of the local service, whose end is a stop, too', async () => {
  const on = await stage()
  const { local, shop, folder } = on
  await patch(on, SIZE)
  await ended(local, shop.projectId)
  const before = shop.truth()
  await local.stop()
  const again = await subject(await quickLocal({ folder }))
  const { stops, mutations } = again.truth()
  expect(mutations).toEqual(before.mutations)
  expect(stops.slice(0, -1)).toEqual(before.stops)
  expect(stops.at(-1)).toMatchObject({ why: 'crash' })
})
