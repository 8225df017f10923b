// Changes of real computes, from the command to the truth of the service. What was sent is what a proxy between daemon and service saw.
import { describe, expect, test } from 'vitest'
import type { RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import { testWith } from '../support/tiers.ts'
import {
  bursts,
  connected,
  expectTrueRestartMetrics,
  metricIs,
  reported,
  stage,
  type Stage,
} from './change-stage.ts'
import { changeBy, changeOf, changeThat, command, hasEnded, planOf } from './change-support.ts'
import { page, until } from './support.ts'

/** Seconds, more than a busy machine puts between two bursts. */
const DELAY = 6

test.concurrent('a change waits while a client works, and is made once while nobody is connected', async () => {
  await using shop = await stage({ name: 'shop', cu: 1, suspendTimeoutSeconds: DELAY })
  const { configFile, apiUrl } = shop
  const work = bursts(shop.uri)
  await shop.isSeenAwake()
  const { id } = await changeBy(configFile, 'change', 'shop', '--max-cu', '2', '--reason', 'a range')
  const { request } = await planOf(configFile, id)
  await changeThat('it waits', apiUrl, ({ hold }) => hold?.because === 'awake')
  expect(await changeOf(configFile, id)).toMatchObject({
    state: 'scheduled',
    hold: { because: 'awake' },
    sent_at: null,
  })
  expect(shop.sent).toEqual([])
  await work.pause()

  const { ended } = await changeThat('its end', apiUrl, hasEnded(id))
  expect(await changeOf(configFile, id)).toMatchObject({
    state: 'done',
    sessions: 0,
    ended: { because: 'verified' },
    from: { min_cu: 1, max_cu: 1 },
    to: { min_cu: 1, max_cu: 2 },
  })
  expect(shop.sent).toEqual([request])
  const fields = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 }
  expect(shop.mutations()).toMatchObject([{ action: 'update', fields, restarted: false }])
  const stops = await until('it sleeps again', () => {
    const { intervals, stops: all } = shop.truth()
    return intervals.at(-1)?.to === null ? undefined : all
  })
  const [byChange, others] = [true, false].map((is) => stops.filter(({ why }) => (why === 'config') === is))
  expect(byChange).toMatchObject([{ open: 0, open_pooled: 0, working: 0 }])
  expect(new Set(others?.map(({ why }) => why))).toEqual(new Set(['autosuspend']))
  await metricIs(shop, 1, 'dormouse_changes_total', 'kind="sizing"', 'outcome="done"')
  await metricIs(shop, 1, 'dormouse_wakes_total', 'initiator="change"')
  await expectTrueRestartMetrics(shop, 1)
  expect(await reported(shop, ended)).toMatchObject({
    ended: [{ state: 'done', count: 1 }],
    sessions_interrupted: 0,
    sessions_uncounted: 0,
    listed: [{ kind: 'sizing', state: 'done', from: { max_cu: 1 }, to: { max_cu: 2 } }],
  })
})

const ADVICE = `advice: { min_history: 5s, min_gaps: 5, min_peaks: 60s, grid: 1s }
policies: [{ match: {}, autosuspend: { floor: 2s, ceiling: 6s, wake_cost: 5s } }]
`

test.concurrent('an approved recommendation is sent once, as its plan says, and is then implemented', async () => {
  await using forgotten = await stage({ name: 'forgotten', suspendTimeoutSeconds: -1 }, { lines: ADVICE })
  const { configFile, apiUrl } = forgotten
  await (await connected(forgotten.uri)).end()
  const advice = async () => {
    const { text } = await page(`${apiUrl}/api/v1/recommendations`)
    const { recommendations } = JSON.parse(text) as RecommendationsJson
    return recommendations.find(({ kind }) => kind === 'delay')
  }
  const { id: recommended } = await until('a recommendation', advice)
  const { request, plan_hash: hash } = await planOf(configFile, recommended)
  const approval = ['approve', recommended, '--plan-hash', hash]
  const { id } = await changeBy(configFile, ...approval)
  expect(await changeThat('its end', apiUrl, hasEnded(id))).toMatchObject({
    state: 'done',
    asked_by: 'alice',
    approved_by: 'alice',
    recommendation_id: recommended,
    sessions: 0,
    ended: { because: 'verified' },
  })
  expect(forgotten.sent).toEqual([request])
  expect(forgotten.mutations()).toMatchObject([{ action: 'update', restarted: false }])
  const ended = await until('its state', async () => {
    const one = await advice()
    return one?.state === 'open' ? undefined : one
  })
  expect(ended).toMatchObject({ id: recommended, state: 'implemented' })
  await until('a suspension', () => forgotten.truth().stops[0])
  expect(forgotten.truth().stops).toMatchObject([{ why: 'autosuspend' }])
  const again = await command(configFile, ...approval)
  expect(again).toMatchObject({ status: 0, out: expect.stringContaining('approved already by alice') })
  expect(forgotten.sent).toHaveLength(1)
})

const OWN_SESSIONS = 'select from pg_stat_activity where usename = current_user'

/** Two clients of the compute, and `others`. */
async function interrupts(crowded: Stage, others: readonly string[]) {
  const { configFile, apiUrl, uri } = crowded
  const clients = await Promise.all([uri, uri, ...others].map(connected))
  const dropped = clients.map((client) => new Promise((resolve) => void client.once('end', resolve)))
  await clients[0]?.query('begin')
  await until('the session in which the pooler asked the server for its parameters is over', async () => {
    const { rows } = (await clients[1]?.query(OWN_SESSIONS)) ?? { rows: [] }
    return rows.length === 2 || undefined
  })
  await crowded.isSeenAwake()
  const words = ['change', 'crowded', '--cu', '0.5', '--when', 'now']
  const { id, request } = await changeBy(configFile, ...words)
  await Promise.all(dropped)
  await changeThat('its end', apiUrl, hasEnded(id))
  expect(crowded.sent).toEqual([request])
  expect(await changeOf(configFile, id)).toMatchObject({
    state: 'done',
    sessions: 2,
    ended: { because: 'verified' },
  })
  expect((await command(configFile, 'changes', id)).out).toContain('sessions interrupted: 2')
  const { stops } = crowded.truth()
  expect(stops.filter(({ why }) => why === 'config')).toEqual([
    { at: expect.any(String), why: 'config', open: clients.length, open_pooled: others.length, working: 1 },
  ])
  expect(crowded.mutations().at(-1)).toMatchObject({ action: 'update', restarted: true })
  await expectTrueRestartMetrics(crowded, 1)
}

describe('with --when now a change interrupts sessions, and says how many', () => {
  test('those of its own host', async () => {
    await using crowded = await stage({ name: 'crowded', cu: 1, suspendTimeoutSeconds: 600 })
    await interrupts(crowded, [])
    expect(crowded.mutations()).toHaveLength(1)
  })
  // a pooled client is invisible inside Postgres; a server session that the pooler keeps would look like a client's
  testWith('pgbouncer')('those of its pooled host are not counted', async () => {
    const project = { name: 'crowded', cu: 1, suspendTimeoutSeconds: 600 }
    await using crowded = await stage(project, { behaviour: { poolerBackendVisible: false } })
    expect(await crowded.set({ pooler_enabled: true })).toBe(200)
    const { endpointId } = crowded.truth()
    const pooled = crowded.uri.replace(endpointId, `${endpointId}-pooler`)
    await interrupts(crowded, [pooled])
  })
})
