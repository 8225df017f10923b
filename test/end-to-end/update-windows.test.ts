// Changes of a policy in the windows that the service itself has: the update window of the project, and the time before an announced update.
import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../src/model/units.ts'
import type { ChangesJson } from '../../src/outputs/text/change-schema.ts'
import { bursts, connected, stage, type Stage } from './change-stage.ts'
import { changeThat, command } from './change-support.ts'
import { page, until } from './support.ts'

/** Between the start of the daemon and the opening of the window: by then the recommendation is made, and its change waits. */
const AHEAD = 150_000

const timeOf = (time: number) => new Date(time).toISOString()

const linesOf = (restart: string) => `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 20s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
verify: { warm_up: 1s }
windows: { far: { from: "${timeOf(Date.now() + 720 * HOUR).slice(0, 16)}", to: "${timeOf(Date.now() + 721 * HOUR).slice(0, 16)}" } }
policies:
  - { match: { project: "over*" }, mode: apply, levers: [sizing], restart: { ${restart}, close_early: 1m } }
`

/** Stops of the server for a change or for an update. */
const restarts = ({ truth }: Stage) =>
  truth().stops.filter(({ why }) => why === 'config' || why === 'maintenance')

const firstChange = ({ apiUrl }: Stage) =>
  until('a change of the policy', async () => {
    const { text } = await page(`${apiUrl}/api/v1/changes`)
    return (JSON.parse(text) as ChangesJson).changes[0]
  })

test.concurrent('a change that waits for the window service goes inside the update window of its project', async () => {
  await using world = await stage(
    { name: 'oversized', cu: 1, suspendTimeoutSeconds: 5 },
    { lines: linesOf('when: [window], windows: [service]') },
  )
  const opensAt = Math.ceil((Date.now() + AHEAD) / MINUTE) * MINUTE
  const maintenance_window = {
    weekdays: [new Date(opensAt).getUTCDay() || 7],
    start_time: timeOf(opensAt).slice(11, 16),
    end_time: timeOf(opensAt + HOUR).slice(11, 16),
  }
  expect(await world.setProject({ settings: { maintenance_window } })).toBe(200)
  const work = bursts(world.uri)
  const { endpoint_id } = await firstChange(world)
  const openingText = timeOf(opensAt).replace('.000', '')
  const waiting = await changeThat('its window', world.apiUrl, ({ hold }) => hold?.until === openingText)
  expect(waiting).toMatchObject({ state: 'scheduled', hold: { because: 'outside-window' }, sent_at: null })
  const explained = await command(world.configFile, 'explain', endpoint_id ?? '')
  expect(explained.out).toContain('no window of its policy is open for long enough')
  await work.pause()
  // suspended, so that only the window holds it
  await until('a suspension', () => (world.truth().intervals.at(-1)?.to === null ? undefined : true))
  expect(world.sent).toEqual([])
  expect(Date.now()).toBeLessThan(opensAt)

  await changeThat('its judgement', world.apiUrl, ({ hold }) => hold?.because === 'verdict')
  const stops = await until('its stop', () => (restarts(world).length > 0 ? restarts(world) : undefined))
  expect(stops).toMatchObject([{ why: 'config', open: 0, open_pooled: 0 }])
  expect(stops.every(({ at }) => Date.parse(at) >= opensAt && Date.parse(at) < opensAt + HOUR)).toBe(true)
  expect(world.sent).toHaveLength(1)
})

test.concurrent('a compute that never sleeps is changed before an announced update, which restarts it no more', async () => {
  await using world = await stage(
    { name: 'oversized', cu: 1, suspendTimeoutSeconds: -1 },
    { lines: linesOf('when: [quiet], windows: [far]') },
  )
  await world.announceUpdate(Date.now() + 25 * MINUTE)
  const work = bursts(world.uri)
  const { id } = await firstChange(world)
  expect(restarts(world)).toEqual([])
  await work.pause()
  const sent = await changeThat('it was sent', world.apiUrl, (one) => one.id === id && one.sent_at !== null)
  expect(sent).toMatchObject({ sessions: 0 })
  await changeThat('its judgement', world.apiUrl, ({ hold }) => hold?.because === 'verdict')
  expect(await world.updateAt()).toBeDefined()
  const stops = await until('its stop', () => (restarts(world).length > 0 ? restarts(world) : undefined))
  expect(stops).toMatchObject([{ why: 'config', open: 0 }])

  const session = await connected(world.uri)
  await session.query('select 1')
  await world.announceUpdate(Date.now() + 1000)
  await until('the update', async () => ((await world.updateAt()) === undefined ? true : undefined))
  expect((await session.query('select 1 as alive from pg_sleep(1)')).rows).toEqual([{ alive: 1 }])
  expect(restarts(world)).toEqual(stops)
  expect(world.sent).toHaveLength(1)
  await session.end()
})
