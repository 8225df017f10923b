import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { authMiddleware, createFailedLogins, parseTokens } from '../../../src/daemon/http/auth.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { ok } from '../../../src/std/result.ts'
import { recommendationsSchema } from '../../../src/outputs/text/recommendation-schema.ts'
import { at, compute, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { recommendation, withheld } from '../../support/recommendations.ts'
import { put } from '../../support/writes.ts'
import { computeOf } from '../../store/build.ts'
import { keptBy } from '../kept.ts'
import { dormouse } from '../local-cli.ts'

const two = computeOf('ep-two', 'project-two')
const three = computeOf('ep-three', 'project-two')
const rows = {
  computes: [
    computeOf('ep-one'),
    { ...two, compute: { ...compute(two.compute), name: '=shop' } },
    { ...three, compute: { ...compute(three.compute), autosuspendDelay: 'never' as const } },
  ],
  projects: [project(), project({ projectId: 'project-two', name: 'two' })].map((known) => ({
    project: known,
    listed: undefined,
  })),
  recommendations: [recommendation()],
  advice: [
    {
      ref: { account: 'main', projectId: 'project-two', endpointId: 'ep-two' },
      evaluatedAt: at(0),
      withheld: [
        withheld(),
        withheld({ kind: 'sizing', because: 'fits', have: 0, needs: 0, until: undefined }),
        withheld({ kind: 'unused', because: 'fits', have: 1, needs: 30, until: undefined }),
      ],
      made: {},
    },
    {
      ref: { account: 'main', projectId: 'project-two', endpointId: 'ep-three' },
      evaluatedAt: at(0),
      withheld: [withheld()],
      made: {},
    },
  ],
}

let kept: Awaited<ReturnType<typeof keptBy>>
beforeAll(async () => {
  kept = await keptBy([rows])
})
afterAll(() => kept[Symbol.asyncDispose]())

const NO_DAEMON = /^dormouse: no daemon answers .*this is what the last one stored/

test('without a daemon they are read from the store', async () => {
  const { code, out, err } = await kept.cli('recommendations')
  expect([code, err]).toEqual([0, expect.stringMatching(NO_DAEMON)])
  expect(out)
    .toBe(`account main: 1 open recommendation; applying all saves 12.25 USD in 30 days (9.50 USD to 14.00 USD)

ep-one (one): autosuspend off → 300 s: saves 12.25 USD in 30 days (9.50 USD to 14.00 USD); confidence medium
  wakes a day: 0 before, 4.5 after
  each suspension cuts 2 idle sessions of clients
  applying it restarts nothing
  rests on 14 days from 2025-12-22 to 2026-01-05: activity followed 98 % of the time, 273 gaps, 0.25 CU while awake at 0.106 USD a CU-hour
  not 60 s, because it wakes more often: it saves 13.00 USD in 30 days (12.00 USD to 14.00 USD), 0.75 USD more, 9 wakes a day
  not 600 s, because it saves less: it saves 11.00 USD in 30 days (10.00 USD to 12.00 USD), 1.25 USD less, 4.2 wakes a day
  not 3600 s, because it saves less: it saves 7.00 USD in 30 days (6.00 USD to 8.00 USD), 5.25 USD less, 3 wakes a day
  1 other setting lost by more
  open since 2026-01-05T00:00:00Z
  curl -X PATCH 'http://127.0.0.1:1/api/v2/projects/project-one/endpoints/ep-one' -H "Authorization: Bearer $DORMOUSE_API_KEY" -H 'Content-Type: application/json' --data '{"endpoint":{"suspend_timeout_seconds":300}}'
  dormouse approve ep-one.delay.1
  dormouse dismiss ep-one.delay.1 --reason "…"

not recommended:
  ep-three (two): autosuspend delay: too little history (0.5 of 3 days); answer about 2026-01-07T12:00:00Z; autosuspend is off, which costs 76.33 USD in 30 days
  autosuspend delay: too little history: 2 computes; first answer about 2026-01-07T12:00:00Z; those without autosuspend cost 76.33 USD in 30 days

nothing to change:
  size: the setting fits: 1 compute
`)
})

test('of one compute every reason is listed', async () => {
  const { out } = await kept.cli('recommendations ep-two')
  expect(out).toBe(`account main: no open recommendations

not recommended:
  ep-two (=shop): autosuspend delay: too little history (0.5 of 3 days); answer about 2026-01-07T12:00:00Z

nothing to change:
  ep-two (=shop): size: the setting fits
`)
})

test('JSON fits the schema, and CSV has a row for each', async () => {
  const json = await kept.cli('recommendations --json')
  expect(recommendationsSchema.parse(JSON.parse(json.out)).recommendations).toHaveLength(1)
  const csv = await kept.cli('recommendations --csv')
  expect(csv.out.split('\r\n')).toEqual([
    'account,project_id,project_name,endpoint_id,name,kind,state,id,from,to,restarts,saving_low,saving,saving_high,currency,confidence,wakes_before,wakes_after,because,until',
    'main,project-one,one,ep-one,,delay,open,ep-one.delay.1,autosuspend off,300 s,false,9.5,12.25,14,USD,medium,0,4.5,,',
    'main,project-two,two,ep-three,,delay,withheld,,,,,,,,,,,,history-short,2026-01-07T12:00:00Z',
    "main,project-two,two,ep-two,'=shop,delay,withheld,,,,,,,,,,,,history-short,2026-01-07T12:00:00Z",
    "main,project-two,two,ep-two,'=shop,sizing,fits,,,,,,,,,,,,fits,",
    "main,project-two,two,ep-two,'=shop,unused,fits,,,,,,,,,,,,fits,",
    '',
  ])
})

test('explain has the same words', async () => {
  const { out } = await kept.cli('explain ep-one')
  expect(out).toContain(
    '\nrecommendation ep-one.delay.1: autosuspend off → 300 s: saves 12.25 USD in 30 days (9.50 USD to 14.00 USD); confidence medium\n  wakes a day: 0 before, 4.5 after\n',
  )
  const other = await kept.cli('explain ep-two')
  expect(other.out).toContain(
    '\nnot recommended: autosuspend delay: too little history (0.5 of 3 days); answer about 2026-01-07T12:00:00Z\nnothing to change: size: the setting fits\n',
  )
})

test.each([
  [
    'recommendations nobody',
    2,
    /^dormouse: compute: no compute or project is called nobody; no daemon answers at .*, so the store was read\n$/,
  ],
  ['recommendations --account other', 2, /^dormouse: --account: expected one of main, got other; .*\n$/],
  [
    'recommendations --state now',
    2,
    /^error: .*'now' is invalid\. Allowed choices are open, implemented, superseded, withdrawn, dismissed, withheld\.\n$/,
  ],
  ['recommendations --csv --json', 2, /^dormouse: give either --json or --csv\n$/],
  [
    'dismiss ep-one.delay.1',
    2,
    /^dormouse: --reason: expected why it is dismissed, in 1 to 500 characters\n$/,
  ],
  [
    'dismiss ep-one.delay.1 --reason x --until 2020-01-01',
    2,
    /^dormouse: --until: expected a time after now/,
  ],
  ['dismiss ep-one.delay.1 --reason x --until soon', 2, /^dormouse: --until: expected a day such as/],
  ['dismiss ep-one.delay.1 --undo --reason x', 2, /^dormouse: --undo: expected neither/],
  ['dismiss ep-one.delay.1 --reason x', 1, /^dormouse: no daemon answers at/],
])('%s ends with %i', async (line, code, err) => {
  expect(await kept.cli(line)).toEqual({ code, out: '', err: expect.stringMatching(err) })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function daemon() {
  const store = memoryStore()
  const ref = { account: 'main', projectId: 'project-0', endpointId: 'ep-0' }
  await put(store, {
    computes: [computeOf('ep-0', 'project-0')],
    recommendations: [
      recommendation({
        ref,
        id: 'ep-0.delay.1',
        life: { state: 'withdrawn', at: at(0), because: 'changed' },
      }),
      recommendation({ ref, id: 'ep-0.delay.2' }),
    ],
  })
  const taken = snapshotOf(1)
  const tokens = parseTokens({
    ann: { sha256: sha256('change'), scope: 'operate' },
    bob: { sha256: sha256('look'), scope: 'read' },
  })
  const app = createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    history: store,
    snapshot: () => taken,
    accounts: () => [],
    dismissals: {
      log: { info: () => undefined } as never,
      change: async (one, change) => {
        const changed = change(one, at(100))
        if (changed.ok) await put(store, { recommendations: [changed.value] })
        return changed.ok ? ok(changed.value) : changed
      },
    },
    before: authMiddleware({
      policy: () => ({ names: [], allowsAddresses: false, tokens, open: true }),
      attempts: createFailedLogins(fakeClock()),
      addressOf: () => '',
    }),
  })
  const listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
  writeFileSync(join(kept.folder, 'operate'), 'change\n')
  writeFileSync(join(kept.folder, 'read'), 'look\n')
  return {
    listener,
    cli: (...argv: readonly string[]) =>
      dormouse([...argv, '--url', urlOf(listener.address)], { cwd: kept.folder }),
  }
}

test('a daemon dismisses, and takes it back', async () => {
  const { listener, cli } = await daemon()
  await using _ = listener
  const all = await cli('recommendations', 'ep-0')
  expect(all.out).toContain('ep-0 (one): autosuspend off → 300 s: saves 12.25 USD')
  const dismiss = (...argv: readonly string[]) => cli('dismiss', ...argv)
  const reason = ['--reason', 'demo next week', '--token-file', 'operate']
  expect(await dismiss('ep-0.delay.2', '--until', '2126-01-01', ...reason)).toEqual({
    code: 0,
    out: 'ep-0.delay.2: dismissed by ann at 2026-01-05T00:01:40Z until 2126-01-01T00:00:00Z: demo next week\n',
    err: '',
  })
  expect(await dismiss('ep-0.delay.2', '--undo', '--token-file', 'operate')).toMatchObject({
    code: 0,
    out: 'ep-0.delay.2: open since 2026-01-05T00:00:00Z\n',
  })
  expect(await cli('recommendations', 'nobody')).toEqual({
    code: 2,
    out: '',
    err: 'dormouse: compute: no compute or project is called nobody\n',
  })
  const refusals = [
    [await dismiss('ep-0.delay.1', ...reason), 'ep-0.delay.1 has ended: it is withdrawn'],
    [await dismiss('ep-0.delay.7', ...reason), 'no recommendation has the id ep-0.delay.7'],
    [await dismiss('../x', ...reason), 'no recommendation has the id ../x'],
    [await dismiss('ep-0.delay.2', '--reason', 'x'), 'a token is needed'],
    [
      await dismiss('ep-0.delay.2', '--reason', 'x', '--token-file', 'read'),
      'the token has no scope operate',
    ],
  ] as const
  for (const [refusal, message] of refusals)
    expect(refusal).toEqual({ code: 2, out: '', err: `dormouse: ${message}\n` })
})
