// Settings for a time, on real Postgres: a soft budget shortens a delay and leaves a person's value alone, a schedule sets a delay while its
// window is open.
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/model/units.ts'
import type { BudgetPlanJson, ChangeJson } from '../../src/outputs/text/change-schema.ts'
import { bursts, stage, type Stage } from './change-stage.ts'
import { changesAt, changeThat, hasEnded } from './change-support.ts'
import { page, until } from './support.ts'

/** Two openings are waited for. */
const LONG = { timeout: 600_000 }

const PERIOD = 3 * MINUTE

/** Late enough for a first pass. */
const nextOpening = () => Math.ceil((Date.now() + 20_000) / MINUTE) * MINUTE

/** Each once a day. */
const openingText = (at: number, duration: string) => {
  const time = new Date(at)
  return `{ cron: "${time.getUTCMinutes()} ${time.getUTCHours()} * * *", duration: ${duration}, zone: UTC }`
}

const reached = (at: number) => until('an instant', () => (Date.now() >= at ? true : undefined), 200)

async function planOfBudget({ apiUrl }: Stage, name: string): Promise<BudgetPlanJson> {
  const { status, text } = await page(`${apiUrl}/api/v1/budgets/${name}/plan`)
  expect([status, text]).toEqual([200, text])
  return JSON.parse(text) as BudgetPlanJson
}

const softLines = (opening: number) => `
brakes: { hold_off: 1s, min_age: 1s }
windows: { open: [${openingText(opening, '170s')}, ${openingText(opening + PERIOD, '170s')}] }
budgets:
  - { name: gentle, scope: { project: "spend*" }, mode: soft, limit: 0.004 awake_hours, per: window, in: open }
policies:
  - { match: { project: "spend*" }, mode: apply, levers: [delay, sizing], autosuspend: { floor: 5s }, sizing: { min: 0.5 } }
`

test.concurrent(
  'a soft budget shortens delays and nothing else; a value that a person sets meanwhile stays',
  LONG,
  async () => {
    const opening = nextOpening()
    await using world = await stage(
      { name: 'spender', cu: 1, suspendTimeoutSeconds: 10 },
      { lines: softLines(opening) },
    )
    const { apiUrl, sent } = world
    await reached(opening)
    const before = await until('the budget of this period', async () => {
      const plan = await planOfBudget(world, 'gentle')
      return Date.parse(plan.period.from) === opening ? plan : undefined
    })
    const planned = before.rungs.flatMap(({ rung, steps }) => steps.map(({ plan }) => [rung, plan.request]))
    expect(planned).toMatchObject([[80, { body: { endpoint: { suspend_timeout_seconds: 5 } } }]])
    const work = bursts(world.uri)
    const delay = await changeThat('80 %', apiUrl, ({ reason }) => reason === '80 % of the budget gentle')
    await changeThat('its delay', apiUrl, hasEnded(delay.id))
    await until('100 %', async () => {
      const { rungs } = await planOfBudget(world, 'gentle')
      return rungs.find(({ rung }) => rung === 100)?.reached === true ? true : undefined
    })
    expect(await world.set({ suspend_timeout_seconds: 30 })).toBe(200)
    await work.pause()

    await reached(opening + PERIOD)
    await until('the next period', async () => {
      const { period } = await planOfBudget(world, 'gentle')
      return Date.parse(period.from) === opening + PERIOD ? true : undefined
    })
    // it would be put back while the compute is awake, and the budget wants it shorter again
    const again = bursts(world.uri)
    await until('80 % of the next period', async () => {
      const { rungs } = await planOfBudget(world, 'gentle')
      return rungs.find(({ rung }) => rung === 80)?.reached === true ? true : undefined
    })
    await world.isSeenAwake()
    await again.pause()
    expect(sent).toEqual(planned.map(([, request]) => request))
    expect(world.mutations().map(({ action }) => action)).toEqual(['update', 'update'])
    expect(world.truth().stops.filter(({ why }) => why === 'config')).toEqual([])
  },
)

const bySchedule = (to: number) => (change: ChangeJson) =>
  change.asked_by === 'schedule office' && change.to.delay_seconds === to && change.ended !== null

const scheduleLines = (opening: number) => `
brakes: { hold_off: 1s, min_age: 1s }
windows: { office: ${openingText(opening, '60s')} }
policies:
  - match: { project: "sched*" }
    mode: apply
    levers: [delay]
    autosuspend: { floor: 1s, schedule: [{ in: office, delay: 20s }] }
`

test.concurrent(
  'a schedule sets its delay while its window is open, and the one before after it',
  LONG,
  async () => {
    const opening = nextOpening()
    await using world = await stage(
      { name: 'scheduled', cu: 0.5, suspendTimeoutSeconds: 10 },
      { lines: scheduleLines(opening) },
    )
    const { apiUrl, sent } = world
    const work = bursts(world.uri)
    const there = await changeThat('the delay of the window', apiUrl, bySchedule(20))
    const back = await changeThat('the delay of before', apiUrl, bySchedule(10))
    await work.pause()
    expect([there.state, back.state]).toEqual(['done', 'done'])
    expect(Date.parse(there.created_at)).toBeGreaterThanOrEqual(opening)
    expect(Date.parse(there.ended?.at ?? '')).toBeLessThan(opening + MINUTE)
    expect(Date.parse(back.created_at)).toBeGreaterThanOrEqual(opening + MINUTE)
    expect(sent).toMatchObject([
      { body: { endpoint: { suspend_timeout_seconds: 20 } } },
      { body: { endpoint: { suspend_timeout_seconds: 10 } } },
    ])
    expect(await changesAt(apiUrl)).toHaveLength(2)
    expect(world.truth().stops.filter(({ why }) => why === 'config')).toEqual([])
  },
)
