// Another controller sets its size back again and again on real Postgres, against a policy that sets its own value again.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { ChangeJson } from '../../src/outputs/text/change-schema.ts'
import { bursts, metricIs, stage, type Stage } from './change-stage.ts'
import { changesAt, changeThat, command } from './change-support.ts'
import { page, until } from './support.ts'

const LINES = `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 10s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s, compute_pause: 1s, opposite_pause: 1s, compute_per_week: 100 }
verify: { warm_up: 1s }
policies: [{ mode: apply, levers: [sizing], on_foreign_change: reapply }]
`

/** Between two times that it sets its size, seconds. */
const EACH = 12
const OWN = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 }

async function control({ set }: Stage, until_: AbortSignal): Promise<void> {
  while (!until_.aborted) {
    await once(AbortSignal.any([until_, AbortSignal.timeout(1000 * EACH)]), 'abort')
    if (!until_.aborted) await set(OWN)
  }
}

const wasSent = ({ sent_at: at }: ChangeJson) => at !== null

test('three changes and one alert, then none, until a person releases the brake', async () => {
  const project = { name: 'oversized', cu: 1, suspendTimeoutSeconds: 5 }
  await using world = await stage(project, { lines: LINES })
  const { configFile, apiUrl } = world
  const work = bursts(world.uri)
  const first = await changeThat('a change of the policy', apiUrl, ({ kind }) => kind === 'sizing')
  // from now on it sleeps, and may be changed
  await work.pause()
  const end = new AbortController()
  const controlling = control(world, end.signal)
  const name = `controller.${first.endpoint_id}`
  const isEngaged = async () => (await page(`${apiUrl}/api/v1/brakes`)).text.includes(name) || undefined
  await until('the brake', isEngaged, 200)
  expect((await command(configFile, 'brakes')).out).toContain(name)
  const changes = (await changesAt(apiUrl)) ?? []
  const sent = changes.filter(wasSent)
  expect(sent).toHaveLength(3)
  expect(sent.map(({ asked_by: by, to }) => [by, to])).toEqual(sent.map(() => ['policies[0]', first.to]))
  expect(sent.filter(({ reason }) => reason.startsWith('sets again what change'))).toHaveLength(2)
  await metricIs(world, 1, 'dormouse_brake_engaged', 'brake="controller"')
  expect((await command(configFile, 'explain', first.endpoint_id ?? '')).out).toContain(`brake ${name}`)

  // two more of its turns
  await once(AbortSignal.timeout(2000 * EACH), 'abort')
  expect((await changesAt(apiUrl))?.map(({ id }) => id)).toEqual(changes.map(({ id }) => id))
  expect(world.sent.length).toBeLessThanOrEqual(3)
  end.abort()
  await controlling
  const released = await command(configFile, 'brakes', 'release', name, '--reason', 'it is off now')
  expect(released).toMatchObject({ status: 0, err: '' })
  const again = await changeThat(
    'the value of the policy',
    apiUrl,
    ({ id, sent_at: at }) => at !== null && changes.every((one) => one.id !== id),
  )
  expect(again).toMatchObject({ asked_by: 'policies[0]', to: first.to })
})
