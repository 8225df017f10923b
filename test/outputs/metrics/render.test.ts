import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { newProjectMetering, reconcile } from '../../../src/ledger/metering/follow.ts'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { takeSnapshot } from '../../../src/daemon/snapshot/snapshot.ts'
import { CATALOGUE, PREFIX } from '../../../src/outputs/metrics/catalogue.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { NO_BACKLOG, NO_LIST, NO_PENDING_RETRIES } from '../../../src/observe/sweep.ts'
import { createPreset } from '../../../src/model/service/sizes.ts'
import type { BudgetForecast } from '../../../src/model/policy/budget.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../../src/model/ledger/project-entry.ts'
import type { Window } from '../../../src/calendar/window.ts'
import type { AwakeIndicators } from '../../../src/model/observation.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { bytes, cuMillis, millis, ratio, seconds } from '../../../src/model/units.ts'
import { budgetOf, money } from '../../ledger/budgets/build.ts'
import { bodyText, FACTS, partsOf } from '../../support/exposed.ts'
import { testWith } from '../../support/tiers.ts'
import { accounted } from '../../support/accounted.ts'
import { createOwners, NO_OWNER } from '../../../src/model/policy/owner.ts'
import { NO_ACCOUNT_COUNTERS } from '../../../src/model/ledger/counters.ts'
import { at, attempt, ledger, look, operation, prices, project, reading, sweep } from '../../support/build.ts'
import { changeOf, tallyOf, withChanges } from '../../support/changes.ts'
import { recommendation, sizingRecommendation, withAdvice } from '../../support/recommendations.ts'
import { evaluateAllBudgets } from '../../support/apply-whole-sweep.ts'

/** The service counted an hour of it, and the ledger agrees. */
function compared([key, one]: readonly [string, ProjectEntry]): [string, ProjectEntry] {
  const [from, to, hour] = [at(-3600), at(0), cuMillis(3_600_000)]
  const checked = reconcile({ from, to, metered: hour, low: hour, high: hour }, undefined)
  return [
    key,
    { ...one, metering: { ...newProjectMetering({ at: to, cuTime: hour }), reconciliation: checked } },
  ]
}

const OFFICE: Window = {
  at: () => ({ from: at(0), to: at(900) }),
  next: () => undefined,
  previous: () => undefined,
  between: () => [],
}

/** One compute awake and read, one asleep and never read. */
function snapshot(name = 'one', service: 'ok' | 'unauthorized' = 'ok'): Snapshot {
  const read = reading({
    serverTime: at(599.1),
    connections: { active: 2, idle: 3, idleInTransaction: 1, other: 0 },
    cache: { hits: 990, misses: 10, used: bytes(2 ** 20), writes: 12 },
    cacheLimit: bytes(2 ** 30),
    workingSet: [{ window: seconds(300), size: bytes(8192) }],
    causes: {
      ...reading().causes,
      idleInTransaction: 1,
      longestTransaction: seconds(2.5),
    } as AwakeIndicators,
    usage: { sessions: 1, activeTime: millis(29_900) },
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
      operations: [operation('apply_config', 580, { status: 'running' })],
      readings: [
        attempt(300, { result: { kind: 'read', reading: earlier } }),
        attempt(599, { result: { kind: 'read', reading: read } }),
      ],
    }),
    { prices, overhead: 0.01, now: at(600) },
  )
  const projects = new Map([...folded.projects].map(compared))
  const operations = [{ action: 'apply_config', status: 'finished', count: 3, failures: 1 }]
  const counters = { ...NO_ACCOUNT_COUNTERS, operations }
  const known = { ...folded, counters, projects, computes: new Map([...folded.computes].map(measured)) }
  const last = {
    startedAt: at(590),
    endedAt: at(600),
    pages: 1,
    readAt: new Map([['project-one', at(590)]]),
    followedSince: new Map(),
    missing: new Set<string>(),
  }
  const list = { ...NO_LIST, finished: last }
  const plan = { ...known, prices, now: at(600) }
  const { views } = evaluateAllBudgets(createBudgetScopes([budgetOf({ limit: money(0.05) })]), plan)
  const begun = newPassState(known)
  const state = {
    ...begun,
    budgets: views,
    service: {
      status: service,
      failures: 0,
      lastSweepAt: at(600),
      lastRejectedAt: service === 'ok' ? undefined : at(600),
    },
    persistence: { ...begun.persistence, storedAt: at(600) },
    polling: {
      ...begun.polling,
      list,
      backlog: { ...NO_BACKLOG, operations: 3 },
      retries: {
        ...NO_PENDING_RETRIES,
        operations: new Map([['project-one', { since: at(510), failed: undefined }]]),
      },
    },
    outbox: { ...begun.outbox, problems: ['project project-two: endpoints[0].host: nothing'] },
  }
  const context = {
    now: at(600),
    version: 1,
    passSeconds: seconds(0.25),
    staleAfter: seconds(180),
    activityLag: seconds(60),
    owners: createOwners(OWNERS),
    jobs: [{ name: 'pass', lastSuccessAt: at(590), nextRunAt: at(650), deadlineAt: at(830) }] as const,
    insecure: ['accounts.main', 'notifications.ops'],
    windows: new Map([['office', OFFICE]]),
  }
  const forecasts = { of: () => ({ forecast: FORECAST }) }
  const warmUps = { used: 2, unused: 1, failed: 0 }
  const shown = { state, prices, preset: createPreset('interface'), forecasts, warmUps }
  const taken = takeSnapshot([shown], context)
  const tallies = [tallyOf(), tallyOf({ outcome: 'failed' })]
  const open = [{ change: changeOf(), hold: { because: 'awake', until: undefined, since: at(0) } as const }]
  return withChanges(withAdvice(taken, [recommendation(), sizingRecommendation()]), { open, tallies })
}

const ownedBy = (team: string, tier: string) => ({ ...NO_OWNER, team, tier })
const OWNERS = [
  { match: {}, owner: ownedBy('shop', 'dev') },
  { match: { compute: ['ep-two'] }, owner: ownedBy('web', '') },
]

const FORECAST: BudgetForecast = {
  p10: 40_000,
  p50: 60_000,
  p90: 90_000,
  learning: true,
  days: 12,
  probabilityOver: ratio(0.7),
  held: { inside: ratio(0.8), error: ratio(0.1) },
  exhaustedAt: at(86_400),
}

/** As if every compute had shown how late the service is. */
const measured = ([key, known]: readonly [string, ComputeEntry]): [string, ComputeEntry] => {
  const lags = Array.from({ length: 5 }, () => ({ atLeast: seconds(3), atMost: seconds(6) }))
  return [key, { ...known, reading: { ...known.reading, lags } }]
}

const textOf = (taken: Snapshot): string => bodyText(partsOf(taken, FACTS))
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
  `dormouse_compute_file_cache_lifetime_hit_ratio{${one}} 0.99`,
  `dormouse_compute_max_connections{${one}} 450`,
  `dormouse_compute_preset_mismatch{${one},what="max_connections"} 0`,
  `dormouse_compute_preset_mismatch{${one},what="file_cache"} 1`,
  'dormouse_record_age_seconds{percentile="50"} 0',
  `dormouse_compute_autosuspend_delay_seconds{${one}} 300`,
  `dormouse_compute_autosuspend_enabled{${two}} 0`,
  `dormouse_computes{state="active"} 1`,
  `dormouse_readings_total{result="ok"} 2`,
  `dormouse_compute_working_set_bytes{${one},window="5m"} 8192`,
  `dormouse_compute_average_active_sessions{${one}} 0.1`,
  `dormouse_compute_longest_transaction_seconds{${one}} 2.5`,
  `dormouse_activity_lag_seconds{account="main"} 7`,
  `dormouse_project_list_age_seconds{key="main"} 10`,
  `dormouse_sweep_problems{key="main"} 1`,
  `dormouse_poll_backlog{key="main",urgency="transition"} 0`,
  `dormouse_poll_backlog{key="main",urgency="operations"} 3`,
  `dormouse_operations_wait_seconds{key="main"} 90`,
  `dormouse_readings_total{result="skipped_quiet"} 0`,
  `dormouse_compute_info{${one},branch_id="br-one",type="read_write",region_id="local",team="shop",tier="dev",pooler_enabled="false"} 1`,
  `dormouse_compute_info{${two},branch_id="br-one",type="read_write",region_id="local",team="web",tier="",pooler_enabled="false"} 1`,
  `dormouse_job_deadline_timestamp_seconds{job_name="pass"} ${at(830) / 1000}`,
  'dormouse_operations_in_progress{project_id="project-one",action="apply_config"} 1',
  `dormouse_operation_oldest_in_progress_timestamp_seconds{project_id="project-one",action="apply_config"} ${at(580) / 1000}`,
  'dormouse_wakes_total{initiator="dormouse"} 0',
  'dormouse_computes_unreadable{reason="not_yet"} 1',
  'dormouse_computes_unreadable{reason="failing"} 0',
  'dormouse_operations_total{action="apply_config",status="finished"} 3',
  'dormouse_operation_failures_total{action="apply_config"} 1',
  `dormouse_compute_suspend_blocked{${one},cause="idle_in_transaction"} 1`,
  'dormouse_unproductive_spend_total{team="web",currency="USD",cause="idle_tail"} 0',
  'dormouse_budget_info{budget="all",team="",tier="",account="main",scope="all",per="month",mode="soft"} 1',
  'dormouse_budget_limit{budget="all",team="",tier="",unit="USD"} 0.05',
  'dormouse_budget_spent{budget="all",team="",tier="",unit="USD"} 0.02943',
  'dormouse_budget_spend_total{budget="all",team="",tier="",unit="USD"} 0.02943',
  'dormouse_budget_expected_burn{budget="all",team="",tier="",window="6h"} 1',
  'dormouse_budget_rung{budget="all",team="",tier="",rung="50"} 1',
  'dormouse_budget_rung{budget="all",team="",tier="",rung="80"} 0',
  `dormouse_budget_window_end_timestamp_seconds{budget="all",team="",tier=""} ${Date.UTC(2026, 1, 1) / 1000}`,
  'dormouse_budget_period_seconds{budget="all",team="",tier=""} 2678400',
  'dormouse_budget_burn_tier_enabled{budget="all",team="",tier="",window="1h"} 1',
  'dormouse_budget_forecast{budget="all",team="",tier="",unit="USD",percentile="90"} 0.09',
  'dormouse_budget_overrun_probability{budget="all",team="",tier=""} 0.7',
  `dormouse_budget_exhaustion_timestamp_seconds{budget="all",team="",tier=""} ${at(86_400) / 1000}`,
  `dormouse_wakeups_caused_total{project_id="project-one",reason="reading"} 0`,
])('%s', (line) => {
  expect(lines(snapshot())).toContain(line)
})

test('an unknown value has no series', () => {
  const text = lines(snapshot()).join('\n')
  expect(text).not.toMatch(/compute_connections\{[^}]*ep-two/)
  expect(text).not.toMatch(/compute_preset_mismatch\{[^}]*ep-two/)
  expect(text).not.toMatch(/compute_file_cache_lifetime_hit_ratio\{[^}]*ep-two/)
  expect(text).not.toMatch(/autosuspend_delay_seconds\{[^}]*ep-two/)
  expect(text).not.toMatch(/awake_since_timestamp_seconds\{[^}]*ep-two/)
  expect(text).not.toContain('api_last_rejected_timestamp_seconds{')
})

test('each family of the snapshot is exported once, in the order of the catalogue', () => {
  const families = lines(snapshot('one', 'unauthorized'))
    .filter((line) => line.startsWith('# TYPE'))
    .map((line) => line.split(' ')[2])
  const expected = Object.entries(CATALOGUE)
    .filter(([, { owner }]) => owner === 'snapshot')
    .map(([name]) => PREFIX + name)
  expect(families).toEqual(expected)
})

test('settings that give up encryption or authentication have a series each', () => {
  expect(lines(snapshot()).filter((line) => line.startsWith('dormouse_config_insecure'))).toEqual([
    'dormouse_config_insecure{setting="accounts.main"} 1',
    'dormouse_config_insecure{setting="notifications.ops"} 1',
  ])
})

test('besides the process metrics of the library only families of the catalogue are exported', async () => {
  const known = new Set<string>(Object.keys(CATALOGUE).map((name) => PREFIX + name))
  const exported = [...partsOf(snapshot(), FACTS), ...(await createSelfMetrics().parts())]
  const others = exported.map(({ name }) => name).filter((name) => !/^(process|nodejs)_/.test(name))
  expect(others.filter((name) => !known.has(name))).toEqual([])
  expect(new Set(others).size).toBe(others.length)
})

test('a hostile name stays inside its label', () => {
  const name = 'a"} 1\ndormouse_up{x="\\'
  const told = lines(snapshot(name)).filter((line) => line.startsWith('dormouse_project_info'))
  expect(told).toEqual([
    'dormouse_project_info{project_id="project-one",project_name="a\\"} 1\\ndormouse_up{x=\\"\\\\",region_id="local",platform_id="local",pg_version="17",team="shop",tier="dev"} 1',
  ])
})

testWith('promtool')('promtool finds nothing to say', async () => {
  const text = textOf(snapshot()) + bodyText(await createSelfMetrics().parts())
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  expect(checked.stdout + checked.stderr).toBe('')
  expect(checked.status).toBe(0)
})
