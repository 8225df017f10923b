import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createScopes, lookAtBudgets } from '../../src/account/budgets/budgets.ts'
import { newAccountState } from '../../src/daemon/state.ts'
import { createCamera } from '../../src/daemon/snapshot.ts'
import { CATALOGUE, PREFIX } from '../../src/metrics/catalogue.ts'
import { collect } from '../../src/metrics/collect.ts'
import { renderText } from '../../src/metrics/render.ts'
import { createSelfMetrics } from '../../src/metrics/self.ts'
import { NO_LIST } from '../../src/observe/sweep.ts'
import { createPreset } from '../../src/model/sizes.ts'
import type { BudgetForecast } from '../../src/model/budget.ts'
import type { ComputeAccount } from '../../src/model/ledger.ts'
import type { AwakeCauses } from '../../src/model/observation.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'
import { atOnce } from '../../src/model/steps.ts'
import { bytes, millis, ratio, seconds } from '../../src/model/units.ts'
import { budgetOf, money } from '../account/budgets/build.ts'
import { testWith } from '../support/programs.ts'
import { accounted } from '../support/accounted.ts'
import { at, attempt, ledger, look, prices, project, reading, sweep } from '../support/build.ts'

const facts = { version: '0.0.0', nodeVersion: 'v24', mode: 'suggest', maxSeries: 100_000 }

/** One compute awake and read, one asleep and never read. */
function snapshot(name = 'one', service: 'ok' | 'unauthorized' = 'ok'): Snapshot {
  const read = reading({
    serverTime: at(599.1),
    connections: { active: 2, idle: 3, idleInTransaction: 1, other: 0 },
    cache: { hits: 990, misses: 10, used: bytes(2 ** 20), writes: 12 },
    cacheLimit: bytes(2 ** 30),
    workingSet: [{ window: seconds(300), size: bytes(8192) }],
    causes: { ...reading().causes, longestTransaction: seconds(2.5) } as AwakeCauses,
    use: { sessions: 1, activeTime: millis(29_900) },
  })
  const earlier = reading({ serverTime: at(300.1) })
  const { ledger: folded } = accounted(
    ledger(),
    sweep(600, {
      projects: [project({ name })],
      looks: [
        look(600, { state: 'active', startedAt: at(0), lastActive: at(590) }),
        look(600, {
          endpointId: 'ep-two',
          startedAt: at(0),
          suspendedAt: at(400),
          lastActive: at(100),
          autosuspendDelay: 'never',
        }),
      ],
      readings: [
        attempt(300, { result: { kind: 'read', reading: earlier } }),
        attempt(599, { result: { kind: 'read', reading: read } }),
      ],
    }),
    { prices, overhead: 0.01, now: at(600) },
  )
  const known = { ...folded, computes: new Map([...folded.computes].map(measured)) }
  const rejected = service === 'ok' ? {} : { lastRejectedAt: at(600) }
  const last = { startedAt: at(590), endedAt: at(600), pages: 1, projects: 1, missing: new Set<string>() }
  const list = { ...NO_LIST, last }
  const plan = { ...known, prices, now: at(600) }
  const { views } = atOnce(lookAtBudgets(createScopes([budgetOf({ limit: money(0.05) })]), plan))
  const state = {
    ...newAccountState(known),
    budgets: views,
    service,
    lastSweepAt: at(600),
    list,
    ...rejected,
  }
  const context = {
    now: at(600),
    version: 1,
    passSeconds: seconds(0.25),
    staleAfter: seconds(180),
    activityLag: seconds(60),
  }
  const forecasts = { of: () => FORECAST }
  return atOnce(createCamera()([{ state, prices, preset: createPreset('interface'), forecasts }], context))
}

const FORECAST: BudgetForecast = {
  p10: 40_000,
  p50: 60_000,
  p90: 90_000,
  learning: true,
  days: 12,
  probabilityOver: ratio(0.7),
  exhaustedAt: at(86_400),
}

/** As if every compute had shown how late the service is. */
const measured = ([key, known]: readonly [string, ComputeAccount]): [string, ComputeAccount] => {
  const lags = Array.from({ length: 5 }, () => ({ atLeast: seconds(3), atMost: seconds(6) }))
  return [key, { ...known, reading: { ...known.reading, lags } }]
}

const textOf = (taken: Snapshot): string => atOnce(renderText(atOnce(collect(taken, facts))))
const lines = (taken: Snapshot): string[] => textOf(taken).split('\n')
const one = 'project_id="project-one",endpoint_id="ep-one"'
const two = 'project_id="project-one",endpoint_id="ep-two"'

test.each([
  `dormouse_compute_state{${one},state="active"} 1`,
  `dormouse_compute_state{${one},state="idle"} 0`,
  `dormouse_compute_state{${two},state="idle"} 1`,
  `dormouse_compute_awake_seconds_total{${one}} 599.5`,
  `dormouse_compute_awake_seconds_total{${two}} 400`,
  `dormouse_compute_idle_tail_seconds_total{${two}} 300`,
  `dormouse_compute_cu_seconds_total{${two}} 400`,
  `dormouse_compute_spend_total{${two},currency="USD"} 0.011778`,
  `dormouse_compute_connections{${one},state="idle_in_transaction"} 1`,
  `dormouse_compute_file_cache_hits_total{${one}} 990`,
  `dormouse_compute_max_connections{${one}} 450`,
  `dormouse_compute_autosuspend_delay_seconds{${one}} 300`,
  `dormouse_compute_autosuspend_enabled{${two}} 0`,
  `dormouse_computes{state="active"} 1`,
  `dormouse_readings_total{result="ok"} 2`,
  `dormouse_compute_working_set_bytes{${one},window="300"} 8192`,
  `dormouse_compute_average_active_sessions{${one}} 0.1`,
  `dormouse_compute_longest_transaction_seconds{${one}} 2.5`,
  `dormouse_activity_lag_seconds{account="main"} 7`,
  `dormouse_project_list_age_seconds{key="main"} 10`,
  `dormouse_poll_backlog{key="main",urgency="transition"} 0`,
  `dormouse_readings_total{result="skipped_quiet"} 0`,
  'dormouse_budget_info{budget="all",account="main",scope="all",per="month",mode="soft"} 1',
  'dormouse_budget_limit{budget="all",unit="USD"} 0.05',
  'dormouse_budget_spent{budget="all",unit="USD"} 0.02943',
  'dormouse_budget_spend_total{budget="all",unit="USD"} 0',
  'dormouse_budget_rung{budget="all",rung="50"} 1',
  'dormouse_budget_rung{budget="all",rung="80"} 0',
  `dormouse_budget_window_end_timestamp_seconds{budget="all"} ${Date.UTC(2026, 1, 1) / 1000}`,
  'dormouse_budget_period_seconds{budget="all"} 2678400',
  'dormouse_budget_burn_tier_enabled{budget="all",window="1h"} 1',
  'dormouse_budget_forecast{budget="all",unit="USD",percentile="90"} 0.09',
  'dormouse_budget_overrun_probability{budget="all"} 0.7',
  `dormouse_budget_exhaustion_timestamp_seconds{budget="all"} ${at(86_400) / 1000}`,
  `dormouse_wakeups_caused_total{project_id="project-one",reason="reading"} 0`,
])('%s', (line) => {
  expect(lines(snapshot())).toContain(line)
})

test('what is not known has no series', () => {
  const text = lines(snapshot()).join('\n')
  expect(text).not.toMatch(/compute_connections\{[^}]*ep-two/)
  expect(text).not.toMatch(/autosuspend_delay_seconds\{[^}]*ep-two/)
  expect(text).not.toMatch(/awake_since_timestamp_seconds\{[^}]*ep-two/)
  expect(text).not.toContain('api_last_rejected_timestamp_seconds{')
})

test('the number of series is the number of lines', () => {
  const all = lines(snapshot())
  const series = all.filter((line) => line !== '' && !line.startsWith('#'))
  expect(all).toContain(`dormouse_series ${series.length}`)
})

test('every family of the catalogue that a snapshot has is there once, in the order of the catalogue', () => {
  const families = lines(snapshot('one', 'unauthorized'))
    .filter((line) => line.startsWith('# TYPE'))
    .map((line) => line.split(' ')[2])
  const expected = Object.values(CATALOGUE)
    .filter(({ owner }) => owner === 'snapshot')
    .map(({ name }) => PREFIX + name)
  expect(families).toEqual(expected)
})

test('the client library exports the other families of the catalogue', async () => {
  const text = await createSelfMetrics().text()
  const expected = Object.values(CATALOGUE).filter(({ owner }) => owner === 'self')
  expect(expected.filter(({ name }) => !text.includes(`# TYPE ${PREFIX}${name} `))).toEqual([])
})

test('a request is counted by operation, code and priority, with its wait and what is left of the rate', async () => {
  const self = createSelfMetrics()
  const sent = { key: 'main', operation: 'list_computes', code: '429', seconds: 0.1, retry: false }
  self.request({ ...sent, priority: 'report', waited: 1.5, share: 1 })
  self.request({ ...sent, priority: 'report', waited: 2, share: 0.5 })
  const told = (await self.text()).split('\n')
  expect(told).toContain(
    'dormouse_api_requests_total{operation="list_computes",code="429",priority="report"} 2',
  )
  expect(told).toContain(
    'dormouse_api_requests_total{operation="list_computes",code="429",priority="poll"} 0',
  )
  expect(told).toContain('dormouse_api_rate_limited_seconds_total{priority="report"} 3.5')
  expect(told).toContain('dormouse_api_rate_limited_seconds_total{priority="verify"} 0')
  expect(told).toContain('dormouse_api_rate_ratio{key="main",operation="list_computes"} 0.5')
})

test('a hostile name stays inside its label', () => {
  const name = 'a"} 1\ndormouse_up{x="\\'
  const told = lines(snapshot(name)).filter((line) => line.startsWith('dormouse_project_info'))
  expect(told).toEqual([
    'dormouse_project_info{project_id="project-one",project_name="a\\"} 1\\ndormouse_up{x=\\"\\\\",region_id="local",platform_id="local",pg_version="17"} 1',
  ])
})

testWith('promtool')('promtool finds nothing to say', async () => {
  const text = textOf(snapshot()) + (await createSelfMetrics().text())
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  expect(checked.stdout + checked.stderr).toBe('')
  expect(checked.status).toBe(0)
})
