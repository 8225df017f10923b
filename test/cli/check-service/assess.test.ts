// What check-service makes of what it saw: each topic with what changes its verdict.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { check } from '../../support/property.ts'
import { assessService } from '../../../src/cli/check-service/assess.ts'
import type { AssessSettings } from '../../../src/cli/check-service/finding.ts'
import type { ProbeResult } from '../../../src/cli/check-service/probe-result.ts'
import { checksText } from '../../../src/cli/commands/check-service.ts'
import { createTrafficLog } from '../../../src/cli/commands/check-service.ts'
import type { ProjectDetail } from '../../../src/model/service/consumption.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { cuMillis, instant, ratio, seconds } from '../../../src/model/units.ts'

const at = instant(Date.UTC(2026, 0, 5))
const none = { activeTime: undefined, writtenBytes: undefined, transferredBytes: undefined }
const detail: ProjectDetail = {
  project: project(),
  orgId: 'org-a',
  subscription: 'scale_v3',
  period: { from: at, to: at },
  counters: { ...none, computeTime: cuMillis(1000) },
  quota: { ...none, computeTime: undefined, logicalBytes: undefined },
  maintenanceAt: undefined,
  maintenanceHours: undefined,
}
const page = ok({ kind: 'page', items: [], problems: [], next: undefined } as const)

const whole: ProbeResult = {
  traffic: {
    requests: 20,
    refusedForRate: 0,
    median: seconds(0.01),
    longest: seconds(0.1),
    clock: { low: seconds(-0.1), high: seconds(0.2) },
    rateHeaders: [],
  },
  keyKind: 'api_key_org',
  keys: ok(2),
  projects: {
    list: ok({ count: 2, more: false }),
    paging: 'cursor',
    fields: { records: 2, present: { compute_last_active_at: 2, cpu_used_sec: 2 } },
    problems: [],
  },
  sampled: 2,
  computes: {
    fields: {
      records: 2,
      present: { suspend_timeout_seconds: 2, last_active: 2, started_at: 2, suspended_at: 1 },
    },
    awake: 1,
    asleep: 1,
    hostsRefused: [],
    woke: [],
    problems: [],
  },
  oneCompute: ok(true),
  operations: ok({ count: 3, more: false, oldest: at }),
  detail: ok(detail),
  consumption: { hourly: page, daily: page, monthly: page },
  connectionUri: ok({ role: 'dormouse', database: 'app' }),
}
const settings: AssessSettings = { requestsPerMinute: 350, plan: 'scale', named: undefined }

/** Topic → verdict, of those that are not full. */
const short = (seen: ProbeResult, more: Partial<AssessSettings> = {}): Record<string, string> =>
  Object.fromEntries(
    assessService(seen, { ...settings, ...more })
      .filter(({ verdict }) => verdict !== 'full')
      .map(({ topic, verdict }) => [topic, verdict]),
  )

const traffic = (change: Partial<ProbeResult['traffic']>): ProbeResult => ({
  ...whole,
  traffic: { ...whole.traffic, ...change },
})
const projects = (change: Partial<ProbeResult['projects']>): ProbeResult => ({
  ...whole,
  projects: { ...whole.projects, ...change },
})
const computes = (change: Partial<ProbeResult['computes']>): ProbeResult => ({
  ...whole,
  computes: { ...whole.computes, ...change },
})
const shown = (change: Record<string, number>): ProbeResult =>
  computes({ fields: { records: 2, present: { ...whole.computes.fields.present, ...change } } })
const told = (change: Partial<ProjectDetail>): ProbeResult => ({
  ...whole,
  detail: ok({ ...detail, ...change }),
})

const gone = failed({ kind: 'gone', message: 'no such route' } as const)
const noPlan = ok({ kind: 'none', because: 'plan', message: 'not yours' } as const)

describe('a service', () => {
  test.each<[string, ProbeResult, Record<string, string>]>([
    ['that has everything', whole, {}],
    ['that is slow', traffic({ median: seconds(1.2) }), { speed: 'less' }],
    ['that answered 429', traffic({ refusedForRate: 1 }), { 'rate limit': 'less' }],
    ['that tells no time', traffic({ clock: undefined }), { clock: 'unknown' }],
    ['whose clock is a day ahead', traffic({ clock: { low: seconds(86_400), high: seconds(86_401) } }), {}],
    ['whose clock is behind', traffic({ clock: { low: seconds(-9), high: seconds(-8) } }), {}],
    ['whose keys are hidden', { ...whole, keys: gone }, {}],
    ['that lists no projects', projects({ list: gone }), { 'project list': 'less' }],
    ['with an empty list', projects({ list: ok({ count: 0, more: false }) }), { 'project list': 'less' }],
    [
      'with a record that does not fit',
      projects({ problems: ['projects[0].id: no'] }),
      { 'project list': 'less' },
    ],
    ['that gives everything at once', projects({ paging: 'none' }), {}],
    ['that does not heed its cursor', projects({ paging: 'repeats' }), { pages: 'less' }],
    ['with one project', projects({ paging: 'unproven' }), { pages: 'unknown' }],
    [
      'whose list shows no activity',
      projects({ fields: { records: 2, present: {} } }),
      { 'project activity': 'less' },
    ],
    ['that shows no delay', shown({ suspend_timeout_seconds: 0 }), { delays: 'less' }],
    [
      'that shows no start and no suspension',
      shown({ started_at: 0, suspended_at: 0 }),
      { 'awake intervals': 'less' },
    ],
    ['that shows one of the two', shown({ suspended_at: 0 }), {}],
    ['that shows no activity', shown({ last_active: 0 }), { activity: 'less' }],
    ['where a compute woke', computes({ woke: ['ep-a'] }), { looking: 'less' }],
    ['where all are awake', computes({ awake: 2, asleep: 0 }), { looking: 'unknown' }],
    ['whose lists do not fit', computes({ problems: ['endpoints: no'] }), { computes: 'less' }],
    [
      'without computes',
      computes({ fields: { records: 0, present: {} }, awake: 0, asleep: 0 }),
      {
        computes: 'unknown',
        looking: 'unknown',
        'awake intervals': 'unknown',
        activity: 'unknown',
        delays: 'unknown',
      },
    ],
    ['without the record of one compute', { ...whole, oneCompute: gone }, { 'one compute': 'less' }],
    ['where all sleep', { ...whole, oneCompute: { unasked: 'no' } }, { 'one compute': 'unknown' }],
    ['without operations', { ...whole, operations: gone }, { operations: 'less' }],
    [
      'without operations yet',
      { ...whole, operations: ok({ count: 0, more: false, oldest: undefined }) },
      {},
    ],
    ['without detail', { ...whole, detail: gone }, { counters: 'less' }],
    ['without a period', told({ period: undefined }), { counters: 'less' }],
    ['on another plan', told({ subscription: 'launch_v3' }), { plan: 'less' }],
    ['on a plan nobody knows', told({ subscription: 'direct_sales' }), { plan: 'less' }],
    ['without a word on the plan', told({ subscription: undefined }), {}],
    [
      'on a plan without history',
      { ...whole, consumption: { hourly: noPlan, daily: noPlan, monthly: noPlan } },
      { consumption: 'less' },
    ],
    [
      'with months alone',
      { ...whole, consumption: { hourly: gone, daily: gone, monthly: page } },
      { consumption: 'less' },
    ],
    [
      'with hosts of others',
      { ...whole, computes: { ...whole.computes, hostsRefused: ['ep-one: evil.test'] } },
      { hosts: 'less' },
    ],
    ['that keeps passwords to itself', { ...whole, connectionUri: gone }, { 'connection strings': 'less' }],
    [
      'that was not asked for them',
      { ...whole, connectionUri: { unasked: 'no' } },
      { 'connection strings': 'unknown' },
    ],
  ])('%s', (_, seen, expected) => {
    expect(short(seen)).toEqual(expected)
  })

  test('is on whatever plan it says when nothing is configured', () => {
    expect(short(told({ subscription: 'free_v3' }), { plan: undefined })).toEqual({})
  })
})

const noEdges = shown({ started_at: 0, suspended_at: 0 })

test.each([
  [
    'operations date awake intervals where records do not',
    noEdges,
    'awake intervals',
    /from operations, exact to a few seconds/,
  ],
  ['nothing does', { ...noEdges, operations: gone }, 'awake intervals', /between two looks/],
  ['without a list, ids are to be named', projects({ list: gone }), 'project list', /accounts\[\]\.projects/],
  ['a quota is told', told({ quota: { ...detail.quota, computeTime: cuMillis(1) } }), 'counters', /^/],
])('%s', (_, seen, topic, follows) => {
  expect(assessService(seen, settings).find((one) => one.topic === topic)?.follows).toMatch(follows)
})

test('what is told of a project comes along', () => {
  const seen = told({ quota: { ...detail.quota, computeTime: cuMillis(1) }, maintenanceAt: at })
  expect(assessService(seen, settings).find(({ topic }) => topic === 'counters')?.seen).toMatch(
    /; it has a quota that stops its computes; a restart is announced for 2026-01-05T00:00:00Z$/,
  )
})

describe('the text', () => {
  test.each([undefined, 80, 61, 20])('fits %s columns, and steers no terminal', (columns) => {
    const text = checksText(assessService(projects({ problems: ['a\u001b[31m b'] }), settings), columns)
    const longest = Math.max(...text.split('\n').map((line) => line.length))
    expect(longest).toBeLessThanOrEqual(columns === 20 ? 60 : (columns ?? 110))
    expect(text).not.toContain('\u001b')
  })
})

test('the offset of two clocks lies within what the answers say', () => {
  const answer = fc.record({
    wait: fc.integer({ min: 0, max: 5000 }),
    there: fc.integer({ min: 0, max: 400 }),
    back: fc.integer({ min: 0, max: 400 }),
  })
  check(
    fc.property(
      fc.integer({ min: -50_000, max: 50_000 }),
      fc.array(answer, { minLength: 1, maxLength: 20 }),
      (offset, list) => {
        let now = Date.UTC(2026, 0, 5)
        const log = createTrafficLog({ ...fakeClock(), now: () => instant(now) })
        for (const { wait, there, back } of list) {
          const written = now + wait + there + offset
          now += wait + there + back
          log.addReport({
            operation: 'list_projects',
            code: '200',
            seconds: seconds((there + back) / 1000),
            retry: false,
            priority: 'report',
            waited: seconds(0),
            share: ratio(1),
            tokens: 10,
            headers: { date: new Date(written).toUTCString() },
          })
        }
        const { clock } = log.traffic()
        expect(clock?.low).toBeLessThanOrEqual(offset / 1000 + 1e-9)
        expect(clock?.high).toBeGreaterThanOrEqual(offset / 1000 - 1e-9)
        expect((clock?.high ?? Infinity) - (clock?.low ?? 0)).toBeLessThanOrEqual(1.8001)
      },
    ),
  )
})
