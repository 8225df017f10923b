// A client wakes a compute: how long that took is what the service recorded, counted once.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../local/support.ts'
import { dormouse, metricsAt, setting, until, uriOf, type Setting } from './support.ts'

const LATENCY = 0.7

let world: Setting
beforeAll(async () => {
  world = await setting([{ name: 'one', suspendTimeoutSeconds: 4 }], {
    wakeLatency: { min: LATENCY, max: LATENCY },
  })
})
afterAll(() => world[Symbol.asyncDispose]())

test('a wake is one observation, as long as its operation was, also after a restart of the daemon', async () => {
  const { local, telemetryUrl } = world
  const [projectId = ''] = (await call(local, 'GET /projects')).body.projects.map(({ id }) => id)
  const uri = await uriOf(local, projectId)
  const run = () => dormouse(['run', '--config', world.configFile])
  const isAsleep = async (): Promise<true | undefined> =>
    (await metricsAt(telemetryUrl)).get('dormouse_computes{state="idle"}') === 1 || undefined
  const wakes = async (): Promise<Map<string, number>> => {
    const ours = /^dormouse_wake_latency_seconds_(?:bucket\{.*le="(.+)"|(sum|count)\{)/
    const named = [...(await metricsAt(telemetryUrl))].map(([name, value]) => {
      const [, bound, rest = ''] = ours.exec(name) ?? []
      return [bound ?? rest, value] as const
    })
    return new Map(named.filter(([name]) => name !== ''))
  }
  await using first = run()
  await until('sleep', isAsleep)
  expect((await wakes()).get('count')).toBe(0)
  const client = new pg.Client(uri)
  const asked = performance.now()
  await client.connect()
  const waited = (performance.now() - asked) / 1000
  await client.end()
  const seen = await until('the wake', async () => {
    const now = await wakes()
    return now.get('count') === 0 ? undefined : now
  })
  const { operations } = (await call(local, `GET /projects/${projectId}/operations`)).body
  const actions: readonly string[] = operations.map(({ action }) => action)
  const took = (operations[actions.indexOf('start_compute')]?.total_duration_ms ?? 0) / 1000
  expect([seen.get('count'), seen.get('+Inf'), seen.get('0.5'), seen.get('sum')]).toEqual([1, 1, 0, took])
  expect(took).toBeGreaterThanOrEqual(LATENCY)
  expect(took).toBeLessThanOrEqual(waited)
  await until('sleep again', isAsleep)
  first.child.kill('SIGTERM')
  await first.ended
  await using _ = run()
  await until('the next daemon', isAsleep)
  expect(await wakes()).toEqual(seen)
})
