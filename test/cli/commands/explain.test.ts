import { DEFAULT_RESTART_RULES, type ChangePolicy } from '../../../src/model/policy/change-policy.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { takeSnapshot } from '../../../src/daemon/snapshot/snapshot.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { Withheld } from '../../../src/model/policy/recommendation.ts'
import { cu, millis, seconds } from '../../../src/model/units.ts'
import { at, compute, ledger, preset, prices, project } from '../../support/build.ts'
import { computeOf } from '../../store/build.ts'
import { keptBy } from '../kept.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { dormouse, words } from '../local-cli.ts'
import { changeSources, type ShownChanges } from '../../support/change-sources.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { recommendation } from '../../support/recommendations.ts'

const one = computeOf('ep-one')
const held: ComputeEntry = {
  ...one,
  totals: { ...one.totals, attribution: { 'keep-alive/web/app/shop': millis(20_000) } },
  reading: { ...one.reading, problem: 'no route to host' },
}
const computes = [held, computeOf('ep-two', 'project-two'), computeOf('ep-three', 'project-two')]
const projects = [project(), project({ projectId: 'project-two', name: 'two' })].map((known) => ({
  project: known,
  listed: undefined,
}))

let kept: Awaited<ReturnType<typeof keptBy>>
beforeAll(async () => {
  kept = await keptBy([{ computes, projects }])
})
afterAll(() => kept[Symbol.asyncDispose]())

const told = [
  'ep-one of project one, account main',
  'unknown: not seen since 2026-01-05T00:01:40Z',
  'it is suspended after 5 min without activity',
  'awake 60 s in all (59 s to 61 s); spend 0.18 cents (0.17 cents to 0.18 cents)',
  'of that after the last activity 10 s; added by readings of Dormouse 0 s',
  'held awake by queries that only keep a connection open (web / app / shop): 20 s, 0.06 cents',
  'awake time that no reading attributes: 40 s',
  'never read: no route to host',
]

test.each(['ep-one', 'one', 'project-one'])(
  'without a daemon, %s is explained from what was kept',
  async (name) => {
    const { code, out, err } = await kept.cli(`explain ${name}`)
    expect(code).toBe(0)
    expect(out.trim().split('\n')).toEqual(told)
    expect(err).toMatch(
      /^dormouse: no daemon answers .*this is what the last one stored, and current states are unknown\n$/,
    )
  },
)

/** Of the open change and the last two that ended. */
const SHOWN_CHANGES: ShownChanges = {
  changes: [
    changeOf({ reason: 'quiet at night' }),
    ...[1, 2].map((number) =>
      changeOf({
        id: number === 2 ? 'ch-last' : 'ch-before',
        kind: 'delay',
        origin: { by: 'person', name: 'ann' },
        before: { autosuspendDelay: 'never' },
        desired: { autosuspendDelay: seconds(300) },
        createdAt: at(-100),
        state: {
          at: 'done',
          because: 'verified',
          endedAt: at(-50 + number),
          sent: { at: at(-50), sessions: 0 },
        },
      }),
    ),
  ],
  events: [
    {
      changeId: 'ch-last',
      version: 2,
      at: at(-90),
      state: { at: 'scheduled', approvedBy: 'bob', notBefore: at(-90), attempts: 0 },
    },
  ],
  holds: new Map([['ch-one', { because: 'awake', since: at(60), until: undefined }]]),
}

const CHANGES = [
  'change ch-one: 1 CU → 0.25 CU, scheduled: it waits until the compute is suspended, since 2026-01-05T00:01:00Z',
  '  asked for by alice at 2026-01-05T00:00:00Z: quiet at night',
  '  while nobody is connected, until 2026-01-19T00:00:00Z',
  '  request: PATCH /projects/project-one/endpoints/ep-one {"endpoint":{"autoscaling_limit_min_cu":0.25,"autoscaling_limit_max_cu":0.25}}',
  'last change ch-last: autosuspend off → 300 s, done: verified',
  '  asked for by ann at 2026-01-04T23:58:20Z',
  '  approved by bob',
  '  sent at 2026-01-04T23:59:10Z; sessions interrupted: 0',
  '  request: PATCH /projects/project-one/endpoints/ep-one {"endpoint":{"suspend_timeout_seconds":300}}',
]

test.each([
  [
    'explain ep-nobody',
    2,
    /^dormouse: no compute or project is called ep-nobody: it does not exist, or was deleted; no daemon answers at .*\n$/,
  ],
  [
    'explain two',
    2,
    /^dormouse: two has several computes: ep-three, ep-two; name one of them; no daemon .*\n$/,
  ],
  ['explain', 2, /missing required argument/],
  ['explain ep-one --config none.yaml', 2, /there is no such file/],
  ['explain ep-one --url http://127.0.0.1:1', 1, /no daemon answers at/],
])('%s ends with %s', async (line, code, err) => {
  expect(await kept.cli(line)).toEqual({ code, out: '', err: expect.stringMatching(err) })
})

const OF_PROJECT = { account: 'main', projectId: 'project-two' }
const [, two = one, three = one] = computes
const resting: ComputeEntry = { ...two, compute: { ...two.compute, autosuspendDelay: undefined } }

const sized = projects.map((entry) => ({
  ...entry,
  project: { ...entry.project, defaultSizing: { fixed: cu(2) } },
}))

test.each(['two', 'project-two'])(
  'of %s, a project with several computes, the recommended default is explained',
  async (name) => {
    const recommendations = [
      recommendation({
        id: 'project-two.defaults.1',
        ref: OF_PROJECT,
        kind: 'defaults',
        from: { delay: seconds(300), sizing: { fixed: cu(2) } },
        to: { delay: seconds(60), sizing: { min: cu(0.25), max: cu(2) } },
        detail: { kind: 'defaults', lives: 90, atOnce: 2 },
      }),
    ]
    await using recommended = await keptBy([{ computes: [resting, three], projects: sized, recommendations }])
    const { code, out } = await recommended.cli(`explain ${name}`)
    expect(code).toBe(0)
    const [first, second, third, fourth, fifth] = out.split('\n')
    expect([first, second, third, fourth]).toEqual([
      'project two (project-two), account main',
      'new computes have 2 CU and are suspended after 5 min without activity',
      '2 computes exist: ep-three, ep-two',
      'a change of the default delay applies at once to 1 that has no delay of its own: ep-two',
    ])
    expect(fifth).toMatch(/^recommendation project-two\.defaults\.1: .*300 s, 2 CU → 60 s, 0\.25–2 CU/)
    const json = await recommended.cli(`explain ${name} --json`)
    expect(JSON.parse(json.out)).toMatchObject({
      compute: null,
      project: {
        project_id: 'project-two',
        default_autosuspend_delay_seconds: 300,
        default_min_cu: 2,
        default_max_cu: 2,
        computes: ['ep-three', 'ep-two'],
        computes_on_default: ['ep-two'],
      },
      policy: null,
    })
  },
)

test('of a project with one compute both are explained', async () => {
  const recommendations = [
    recommendation({
      id: 'project-one.defaults.1',
      ref: { account: 'main', projectId: 'project-one' },
      kind: 'defaults',
      from: { delay: seconds(300) },
      to: { delay: seconds(60) },
      detail: { kind: 'defaults', lives: 90, atOnce: 0 },
    }),
  ]
  await using recommended = await keptBy([{ computes, projects, recommendations }])
  const { out } = await recommended.cli('explain one')
  expect(out).toContain('ep-one of project one, account main\n')
  expect(out).toContain('\nproject one (project-one), account main\n')
  expect(out).toContain('\nrecommendation project-one.defaults.1: ')
  expect((await recommended.cli('explain ep-one')).out).not.toContain('project-one.defaults.1')
})

/** Lines on the defaults of the project two. */
const explained = async (withheld: Withheld) => {
  const advice = [{ ref: OF_PROJECT, evaluatedAt: at(0), withheld: [withheld], made: {} }]
  await using stored = await keptBy([{ computes, projects, advice }])
  const { out } = await stored.cli('explain two')
  return out.trimEnd().split('\n').slice(3)
}

test('of a project why no default is recommended is explained, too', async () => {
  const fits = { kind: 'defaults', because: 'fits', have: 0, needs: 0, until: undefined } as const
  expect(await explained({ ...fits, sizing: 'fits' })).toEqual([
    'nothing to change: defaults of new computes: the setting fits',
  ])
  expect(await explained({ ...fits, sizing: 'no-readings' })).toEqual([
    'not recommended: defaults of new computes: the delay: the setting fits; the size: too few readings inside Postgres',
  ])
})

const POLICY: ChangePolicy = {
  mode: 'apply',
  levers: ['delay'],
  restart: DEFAULT_RESTART_RULES,
  path: 'policies[2]',
  line: 34,
}

test('a daemon explains in the same words, with the state it sees and its changes', async () => {
  const state = newPassState(
    ledger({
      computes: new Map(
        computes.map((account) => [`main/${account.ref.projectId}/${account.ref.endpointId}`, account]),
      ),
      projects: new Map(projects.map((known) => [known.project.projectId, known])),
    }),
  )
  const now = at(200)
  const context = {
    now,
    version: 1,
    passSeconds: seconds(0),
    staleAfter: seconds(600),
    activityLag: seconds(10),
    owners: createOwners([]),
  }
  const shown = [
    {
      state: {
        ...state,
        service: { ...state.service, lastSweepAt: now, status: 'ok' as const },
        persistence: { ...state.persistence, storedAt: now },
      },
      prices,
      preset,
    },
  ]
  const snapshot = takeSnapshot(shown, context)
  const history = {
    ...NO_HISTORY,
    projects: () => Promise.resolve([]),
  }
  const app = createApiApp({
    snapshot: () => snapshot,
    changes: {
      ...changeSources(SHOWN_CHANGES, { snapshot: () => snapshot, clock: fakeClock() }),
      decisionOf: () => ({ policy: POLICY, held: [], steps: [] }),
    },
    history,
    accounts: () => [],
    ...NO_REPORTS,
    ...NO_PAGES,
  })
  await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
  const url = urlOf(listener.address)
  const lines = [
    told[0],
    'asleep since 2026-01-05T00:01:10Z',
    ...told.slice(2),
    ...CHANGES,
    'policy of changes: policies[2] (line 34 of the file), mode apply, lever delay; a change that waits for 14 d expires with an alert',
  ]
  const text = await dormouse(words(`explain ep-one --url ${url}`))
  expect(text).toEqual({
    code: 0,
    out: [...lines, ''].join('\n'),
    err: '',
  })
  const { out } = await dormouse(words(`explain one --json --url ${url}`))
  expect(JSON.parse(out)).toMatchObject({
    compute: { endpoint_id: compute().endpointId, wakes: 1, awake_by: [{ because: 'keep-alive' }] },
    policy: { path: 'policies[2]', line: 34, mode: 'apply' },
    lines,
  })
  expect(await dormouse(words(`explain two --url ${url}`))).toMatchObject({
    code: 2,
    err: 'dormouse: two has several computes: ep-three, ep-two; name one of them\n',
  })
})
