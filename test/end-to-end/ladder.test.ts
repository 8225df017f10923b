// Changes of a policy on a compute that never sleeps: inside a window, while nobody works, or at its last safe moment.
import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../src/model/units.ts'
import { bursts, connected, stage, type Stage } from './change-stage.ts'
import { changeThat, command, reconfigure } from './change-support.ts'
import { until } from './support.ts'

const localTime = (time: number) => new Date(time).toISOString().slice(0, 16)

/** From the whole minute before `opens` on, for a time in ms. */
function windowText(opens: number, length: number): { readonly closes: number; readonly text: string } {
  const from = Math.floor(opens / MINUTE) * MINUTE
  const closes = from + length
  return { closes, text: `{ from: "${localTime(from)}", to: "${localTime(closes)}" }` }
}

const linesOf = (when: string, window: string) => `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 20s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
windows: { now: ${window} }
policies:
  - match: { project: "over*" }
    mode: apply
    levers: [sizing]
    restart: { when: [${when}], windows: [now], close_early: 30s }
`

const stopOf = (world: Stage) =>
  until('its stop', () => world.truth().stops.find(({ why }) => why === 'config'))

const PROJECT = { name: 'oversized', cu: 1, suspendTimeoutSeconds: -1 }

test.concurrent('with quiet it goes when two readings show nobody', async () => {
  const lines = linesOf('quiet', windowText(Date.now(), HOUR).text)
  await using world = await stage(PROJECT, { lines })
  const { apiUrl, configFile } = world
  const work = bursts(world.uri)
  const client = await connected(world.uri)
  const { id, endpoint_id: endpointId } = await changeThat(
    'a hold',
    apiUrl,
    ({ hold }) => hold?.because === 'not-quiet',
  )
  const explained = await command(configFile, 'explain', endpointId ?? '')
  expect(explained.out).toContain('it waits until nobody works on the compute')
  await client.end()
  await work.pause()
  const sent = await changeThat('it was sent', apiUrl, (one) => one.id === id && one.sent_at !== null)
  expect(sent).toMatchObject({ sessions: 0 })
  expect(await stopOf(world)).toMatchObject({ open: 0 })
  expect(world.mutations()).toMatchObject([{ action: 'update' }])
})

test.concurrent('with window it waits for a low load, and goes at the last safe moment, with the sessions counted', async () => {
  const tomorrow = windowText(Date.now() + 24 * HOUR, HOUR).text
  await using world = await stage(PROJECT, { lines: linesOf('window', tomorrow) })
  const { configFile, apiUrl } = world
  const work = bursts(world.uri)
  const client = await connected(world.uri)
  await changeThat('a change', apiUrl, (one) => one.hold?.because === 'outside-window')
  const { closes, text } = windowText(Date.now(), 4 * MINUTE)
  await reconfigure(configFile, tomorrow, text)
  const { id, hold } = await changeThat('a hold', apiUrl, (one) => one.hold?.because === 'load')
  // so that nobody comes between the count and the request
  await work.pause()
  // 30 s and a change of 10 s before the end
  expect(Date.parse(hold?.until ?? '')).toBe(closes - 40_000)
  const sent = await changeThat('it was sent', apiUrl, (one) => one.id === id && one.sent_at !== null)
  const at = Date.parse(sent.sent_at ?? '')
  expect(at).toBeGreaterThanOrEqual(closes - 100_000)
  expect(at).toBeLessThanOrEqual(closes - 40_000)
  const stop = await stopOf(world)
  expect(stop.open).toBe(1)
  expect(sent.sessions).toBe(1)
  expect(Date.parse(stop.at)).toBeLessThan(closes)
  await client.end().catch(() => undefined)
  expect(world.truth().stops.filter(({ why }) => why === 'config')).toHaveLength(1)
})
