// A hard budget over a real compute: what its plan says is what happens, once, inside its period, and is put back in the next one.
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/model/units.ts'
import type { BudgetPlanJson, ChangeJson } from '../../src/outputs/text/change-schema.ts'
import { bursts, stage } from './change-stage.ts'
import { changesAt, changeThat, command, hasEnded } from './change-support.ts'
import { page, until } from './support.ts'

/** Two openings are waited for. */
const LONG = { timeout: 600_000 }

/** From one opening of the window to the next; it is open for all of it but ten seconds. */
const PERIOD = 3 * MINUTE
const PERIODS = [0, 1, 2, 3]

/** Each once a day. */
const openingText = (at: number) => {
  const time = new Date(at)
  return `{ cron: "${time.getUTCMinutes()} ${time.getUTCHours()} * * *", duration: 170s, zone: UTC }`
}

const linesOf = (opening: number) => `
brakes: { hold_off: 1s, min_age: 1s, fleet_least: 5 }
windows: { open: [${PERIODS.map((index) => openingText(opening + index * PERIOD)).join(', ')}] }
budgets:
  - { name: short, scope: { project: "spend*" }, mode: hard, limit: 0.004 awake_hours, per: window, in: open }
policies:
  - match: { project: "spend*" }
    mode: apply
    levers: [delay, sizing]
    autosuspend: { floor: 5s }
    sizing: { min: 0.5 }
`

test('a budget changes what its plan says, once, and puts it back in the next period', LONG, async () => {
  const project = { name: 'spender', cu: 1, suspendTimeoutSeconds: 10 }
  const opening = Math.ceil((Date.now() + 20_000) / MINUTE) * MINUTE
  await using world = await stage(project, { lines: linesOf(opening) })
  const { configFile, apiUrl, sent } = world
  const planned = async (): Promise<BudgetPlanJson> => {
    const said = await command(configFile, 'plan', '--budget', 'short', '--json')
    expect(said).toMatchObject({ status: 0, err: '' })
    return JSON.parse(said.out) as BudgetPlanJson
  }
  await until('the opening', () => (Date.now() >= opening ? true : undefined), 200)
  const before = await until('the budget of this period', async () => {
    const plan = await planned()
    return Date.parse(plan.period.from) === opening ? plan : undefined
  })
  const steps = before.rungs.flatMap(({ rung, steps: ofRung }) =>
    ofRung.map(({ plan, state, because }) => ({ rung, to: plan.to, request: plan.request, state, because })),
  )
  expect(steps).toMatchObject([
    { rung: 80, to: { delay_seconds: 5 }, state: 'scheduled', because: null },
    { rung: 100, to: { min_cu: 0.5, max_cu: 0.5 }, state: 'scheduled', because: null },
  ])
  const work = bursts(world.uri)
  const delay = await changeThat('80 %', apiUrl, asked('80 % of the budget short'))
  expect(delay).toMatchObject({ asked_by: 'budget short', when: 'policy', recommendation_id: null })
  const size = await changeThat('100 %', apiUrl, asked('100 % of the budget short'))
  await changeThat('its delay', apiUrl, hasEnded(delay.id))
  await work.pause()
  const done = await changeThat('its size', apiUrl, hasEnded(size.id))
  expect(done).toMatchObject({ state: 'done', sessions: 0 })
  expect(sent).toEqual(steps.map(({ request }) => request))
  const { text } = await page(`${apiUrl}/budgets`)
  expect(text).toContain('largest sizes go to their floors')

  await until('the next period', () => (Date.now() >= opening + PERIOD ? true : undefined), 200)
  const back = await changeThat('the size put back', apiUrl, asked(backOf(size)))
  expect(Date.parse(back.created_at)).toBeGreaterThanOrEqual(opening + PERIOD)
  expect(back).toMatchObject({ to: { min_cu: 1, max_cu: 1 }, asked_by: 'budget short' })
  await changeThat('the size of before', apiUrl, hasEnded(back.id))
  // a delay is put back while the compute is awake
  const again = bursts(world.uri)
  const delayBack = await changeThat('the delay of before', apiUrl, asked(backOf(delay)))
  await changeThat('its end', apiUrl, hasEnded(delayBack.id))
  await again.pause()
  expect(world.mutations().map(({ action }) => action)).toEqual(['update', 'update', 'update', 'update'])
  expect((await changesAt(apiUrl))?.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
  const stops = world.truth().stops.filter(({ why }) => why === 'config')
  expect(stops.every(({ open }) => open === 0)).toBe(true)
})

const asked = (what: string) => (change: ChangeJson) => change.reason === what

const backOf = ({ id }: ChangeJson) => `puts back ${id}: the period of the budget short is over`
