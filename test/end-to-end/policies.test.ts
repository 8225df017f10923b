// A policy that applies recommendations by itself, on a real compute: what is made of one, when it is sent, and what the service did.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../src/model/units.ts'
import type { RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import { bursts, reported, stage } from './change-stage.ts'
import { changeThat, command, hasEnded, planOf, reconfigure } from './change-support.ts'
import { page, until } from './support.ts'

/** Between the first look at the change and the opening of its window: by then the compute is suspended. */
const AHEAD = 60_000

const localTime = (time: number) => new Date(time).toISOString().slice(0, 16)

/** For an hour. */
const windowText = (opensAt: number) =>
  `{ from: "${localTime(opensAt)}", to: "${localTime(opensAt + HOUR)}" }`

const linesOf = (window: string) => `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 60s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
verify: { warm_up: 1s }
windows: { soon: ${window} }
policies:
  - match: { project: "over*" }
    mode: apply
    levers: [sizing]
    restart: { when: [window], windows: [soon], close_early: 1m }
`

test('a recommendation waits for the window of its policy, and is made inside it, once, without a request of a person', async () => {
  const tomorrow = windowText(Date.now() + 24 * HOUR)
  const project = { name: 'oversized', cu: 1, suspendTimeoutSeconds: 5 }
  await using world = await stage(project, { lines: linesOf(tomorrow) })
  const { configFile, apiUrl, sent } = world
  const work = bursts(world.uri)
  const change = await changeThat('a change of the policy', apiUrl, () => true)
  expect(change).toMatchObject({
    kind: 'sizing',
    when: 'policy',
    asked_by: 'policies[0]',
    approved_by: null,
    from: { min_cu: 1, max_cu: 1 },
    to: { max_cu: 1 },
    recommendation_id: expect.stringContaining('.sizing.'),
  })
  const { id, recommendation_id: recommended } = change
  const opensAt = Math.ceil((Date.now() + AHEAD) / MINUTE) * MINUTE
  await reconfigure(configFile, tomorrow, windowText(opensAt))
  const openingText = new Date(opensAt).toISOString().replace('.000', '')
  const waiting = await changeThat('its window', apiUrl, ({ hold }) => hold?.until === openingText)
  expect(waiting).toMatchObject({ state: 'scheduled', hold: { because: 'outside-window' }, sent_at: null })
  const leversAt = readFileSync(configFile, 'utf8').split('\n').indexOf('    levers: [sizing]') + 1
  const explained = await command(configFile, 'explain', change.endpoint_id ?? '')
  expect(explained.out).toContain('no window of its policy is open for long enough')
  expect(explained.out).toContain(
    `policy of changes: policies[0] (line ${leversAt} of the file), mode apply, lever sizing; restarts a suspended compute in the window soon`,
  )
  const { request } = await planOf(configFile, id)
  await work.pause()
  // suspended, so that only the window holds it
  await until('a suspension', () => (world.truth().intervals.at(-1)?.to === null ? undefined : true))
  expect(sent).toEqual([])
  expect(Date.now()).toBeLessThan(opensAt)

  await changeThat('its judgement', apiUrl, ({ hold }) => hold?.because === 'verdict')
  const later = bursts(world.uri)
  const done = await changeThat('its end', apiUrl, hasEnded(id))
  await later.pause()
  expect(done).toMatchObject({
    state: 'done',
    ended: { because: 'verified; 5 readings in a row showed nothing worse than before' },
    sessions: 0,
    approved_by: null,
  })
  expect(Date.parse(done.sent_at ?? '')).toBeGreaterThanOrEqual(opensAt)
  expect(sent).toEqual([request])
  expect(world.mutations()).toMatchObject([{ action: 'update' }])
  const stops = await until('its stop', () => {
    const byChange = world.truth().stops.filter(({ why }) => why === 'config')
    return byChange.length > 0 ? byChange : undefined
  })
  expect(stops).toMatchObject([{ open: 0, open_pooled: 0 }])
  expect(stops.every(({ at }) => Date.parse(at) >= opensAt)).toBe(true)
  expect((await reported(world, done.ended))?.listed).toMatchObject([
    { id, state: 'done', asked_by: 'policies[0]' },
  ])
  const life = await until('the end of the recommendation', async () => {
    const { text } = await page(`${apiUrl}/api/v1/recommendations`)
    const found = (JSON.parse(text) as RecommendationsJson).recommendations.find(
      (one) => one.id === recommended,
    )
    return found?.state === 'open' ? undefined : found
  })
  expect(life).toMatchObject({ state: 'implemented' })
  // another pass decides nothing anew
  expect((await command(configFile, 'changes')).out.match(/ch-/g)?.length).toBe(1)
})
