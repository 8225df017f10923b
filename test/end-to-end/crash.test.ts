import { once } from 'node:events'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { dormouse, fleetAt, metricsAt, setting, until, uriOf } from './support.ts'

async function query(uri: string): Promise<void> {
  const client = new Client({ connectionString: uri })
  await client.connect()
  await client.query('select 1')
  await client.end()
}

test('a daemon that is killed −9 goes on counting where the truth is', async () => {
  await using world = await setting([
    { name: 'one', suspendTimeoutSeconds: 2 },
    { name: 'two', suspendTimeoutSeconds: 600 },
  ])
  const { apiUrl, telemetryUrl, local, configFile } = world
  await using first = dormouse(['run', '--config', configFile])
  const asleep = await until('the first suspension', async () => {
    const fleet = await fleetAt(apiUrl)
    return fleet?.computes.find(({ state, project_name }) => project_name === 'one' && state === 'idle')
  })
  const uri = await uriOf(local, asleep.project_id)
  await query(uri)
  await until('the wake in the metrics', async () => {
    const wakes = [...(await metricsAt(telemetryUrl))].find(
      ([name]) => name.startsWith('dormouse_compute_wakes_total') && name.includes(asleep.endpoint_id),
    )
    return wakes && wakes[1] >= 2 ? wakes : undefined
  })
  const before = await metricsAt(telemetryUrl)
  first.child.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')

  // While nobody watches the compute falls asleep, is woken, and falls asleep again.
  const suspends = (): number =>
    local.truth().computes.find(({ endpointId }) => endpointId === asleep.endpoint_id)?.suspends ?? 0
  await until('the unseen suspension', () => (suspends() >= 2 ? true : undefined))
  await query(uri)
  await until('the unseen second suspension', () => (suspends() >= 3 ? true : undefined))

  await using second = dormouse(['run', '--config', configFile])
  const fleet = await until('the first pass of the new daemon', () => fleetAt(apiUrl))
  const truth = local.truth(fleet.taken_at)
  for (const real of truth.computes) {
    const seen = fleet.computes.find(({ endpoint_id }) => endpoint_id === real.endpointId)
    expect(seen).toMatchObject({ wakes: real.wakes.length, suspends: real.suspends, wakes_caused: 0 })
    expect(seen?.awake_seconds.low).toBeLessThanOrEqual(real.awakeSeconds)
    expect(seen?.awake_seconds.high).toBeGreaterThanOrEqual(real.awakeSeconds)
  }
  const after = await metricsAt(telemetryUrl)
  const fallen = [...before].filter(
    ([name, value]) => /^dormouse_compute_.*_total/.test(name) && (after.get(name) ?? -1) < value,
  )
  expect(fallen).toEqual([])
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  if (first.child.stdout?.closed === false) await once(first.child.stdout, 'close')
})
