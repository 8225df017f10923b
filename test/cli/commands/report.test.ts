import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import type { ReportSource } from '../../../src/daemon/reports/build.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { recommendationsSchema } from '../../../src/outputs/text/recommendation-schema.ts'
import { reportSchema, type Report } from '../../../src/outputs/report/schema.ts'
import { renderArchivedJson } from '../../../src/outputs/report/formats/json.ts'
import type { ProjectListing } from '../../../src/model/ledger/project-entry.ts'
import { COARSE_STEP } from '../../../src/model/ledger/rollup.ts'
import { readEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { FLEETS, inputOf, told } from '../../outputs/report/fleets.ts'
import { computeOf, dayAt, refOf, rollupAt } from '../../store/build.ts'
import { at, prices, project } from '../../support/build.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { keptBy } from '../kept.ts'
import { dormouse, words } from '../local-cli.ts'
import { recommendation, REPORTED_ADVICE } from '../../support/recommendations.ts'

const one = refOf('ep-one')
const shop = (listing: Partial<ProjectListing> = {}) => ({
  project: project({ name: 'shop' }),
  listed: {
    at: at(0),
    updatedAt: at(0),
    cpuUsedSeconds: 0,
    endpointIds: ['ep-one', 'ep-two'],
    ...listing,
  },
})
const everything = {
  projects: [shop()],
  computes: [computeOf('ep-one'), computeOf('ep-two')],
  days: [dayAt(one, 0), dayAt(one, 1), dayAt(refOf('ep-two'), 6), dayAt(refOf('ep-two'), 7)],
  rollups: [rollupAt(one, 0, COARSE_STEP)],
  events: [{ account: 'main', at: at(3600), kind: 'key-refused' } as const],
}

const told47 = renderArchivedJson(told(inputOf(FLEETS.busy)))
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const reportOf = (id: string, second: number, team?: string) => ({
  account: 'main',
  slot: { id, from: at(0), to: at(1), late: false },
  madeAt: at(second),
  json: told47,
  ...(team === undefined ? {} : { team }),
})

let kept: Awaited<ReturnType<typeof keptBy>>
beforeAll(async () => {
  kept = await keptBy([everything])
})
afterAll(() => kept[Symbol.asyncDispose]())

const listedIn = async ({ cli }: Pick<typeof kept, 'cli'>) =>
  recommendationsSchema.parse(JSON.parse((await cli('recommendations --json')).out)).recommendations

const NO_DAEMON =
  'dormouse: no daemon answers; this is from what the last one stored, without budgets and forecasts\n'

describe('without a daemon', () => {
  test('the report says which spend is incomplete: the past of a project has not been read', async () => {
    await using partial = await keptBy([{ ...everything, projects: [shop({ needsBackfill: true })] }])
    const { out } = await partial.cli('report --week 2026-W02')
    expect(out).toContain(
      'at most 0.03 cents). The spend of 1 project is incomplete: its past had not been read yet.',
    )
    const { out: json } = await partial.cli('report --week 2026-W02 --format json')
    expect(JSON.parse(json)).toMatchObject({ projects_partial: 1 })
  })

  test('the report is made from what was kept, and says what is not in it', async () => {
    const { code, out, err } = await kept.cli('report --week 2026-W02')
    expect({ code, err }).toEqual({ code: 0, err: NO_DAEMON })
    expect(out).toMatch(
      /^# Report 2026-W02, account main\n\nSpent 0\.02 cents \(at least 0\.0087 cents, at most 0\.03 cents\)\.\n/,
    )
    expect(out).toContain('| shop / ep-one | 0.01 cents |')
    expect(out).toContain('| 2026-01-05 01:00 UTC | The API key is refused')
    expect(out).toContain('Not known: budgets and forecasts are only')
  })

  test('the next week is another', async () => {
    const { out } = await kept.cli('report --week 2026-W03 --format json')
    const report = reportSchema.parse(JSON.parse(out))
    expect(report.spend.week.likely).toBe(59)
    expect(report.spend.before).toBe(177)
    expect(report.computes.map((compute) => compute.endpoint_id)).toEqual(['ep-two'])
  })

  test('amounts are narrowed by the past that was counted, in the report and in status', async () => {
    const { projectId, endpointId } = one
    // the first day: the ledger's 1, 2 and 3 CU·s at most, 2.5 CU·s counted
    const parts = [[at(0), at(0), 106_000, 1000, 2000, 3000, 2400, 2500, 2600]]
    const past = { until: at(86_400), computes: [{ projectId, endpointId, basis: 'consumption', parts }] }
    await using counted = await keptBy([{ ...everything, jobStates: { 'counted-past': past } }])
    const { out } = await counted.cli('report --week 2026-W02 --format json')
    const { spend } = reportSchema.parse(JSON.parse(out))
    expect(spend.days[0]).toMatchObject({ micros: 74 })
    expect(spend.week).toEqual({ low: 87, likely: 192, high: 264 })
    expect(spend.week_shown).toMatchObject({
      likely: 192,
      because: "use before 6 January by the service's own consumption",
    })
    expect((await counted.cli('status')).out).toContain(
      "use before 6 January by the service's own consumption",
    )
  })

  test.each(['text', 'html', 'csv', 'slack'])('as %s', async (format) => {
    const { code, out } = await kept.cli(`report --week 2026-W02 --format ${format}`)
    expect(code).toBe(0)
    expect(out).toMatch(/2026-W02/)
  })

  test('those that are kept are listed, and shown as they were made', async () => {
    const reports = numbers(150).map((index) => reportOf(`2${String(100 + index)}-W01`, index))
    const part = reportOf('2249-W01', 149, 'web')
    await using many = await keptBy([{ reports: [...reports, part] }])
    const { code, out } = await many.cli('report --list')
    const lines = out.trimEnd().split('\n')
    expect([code, lines.length, lines[0]]).toEqual([
      0,
      150,
      '2249-W01  made 2026-01-05T00:02:29Z  teams: web',
    ])
    const list = JSON.parse((await many.cli('report --list --format json')).out) as unknown[]
    expect(list).toHaveLength(150)
    expect(list[149]).toEqual({ week: '2100-W01', made_at: '2026-01-05T00:00:00Z', late: false, teams: [] })
    const newest = await many.cli('report --kept --format json')
    expect(reportSchema.parse(JSON.parse(newest.out)).slot.id).toBe('2026-W47')
    expect(await many.cli('report --week 2099-W01 --kept')).toEqual({
      code: 2,
      out: '',
      err: 'dormouse: no report 2099-W01 is stored for account main\n',
    })
    expect((await many.cli('report --team nobody')).err).toBe(
      'dormouse: no report 2249-W01 for team nobody is stored for account main\n',
    )
    expect((await kept.cli('report --list')).out).toBe('the archive is empty\n')
    expect(await kept.cli('report --list --kept')).toMatchObject({ code: 2 })
  })

  test.each([
    ['--week 2026-02', 2, /--week: expected an ISO week such as \d{4}-W\d\d, got 2026-02/],
    ['--week 2999-W01', 2, /--week: 2999-W01 has not begun/],
    ['--format yaml', 2, /Allowed choices are markdown, json/],
    ['--account other', 2, /--account: expected one of main, got other/],
    ['--config none.yaml', 2, /there is no such file/],
    ['--url http://127.0.0.1:1', 1, /no daemon answers at http:\/\/127.0.0.1:1/],
  ])('%s ends with %s', async (options, code, err) => {
    expect(await kept.cli(`report ${options}`)).toEqual({ code, out: '', err: expect.stringMatching(err) })
  })

  test('the last week has the recommendations that are open, as the command lists them', async () => {
    await using advised = await keptBy([{ ...everything, recommendations: [recommendation()] }])
    const recommendationsIn = async (command: string) => {
      const { out } = await advised.cli(command)
      return (JSON.parse(out) as Pick<Report, 'recommendations'>).recommendations
    }
    const [listed] = await listedIn(advised)
    const reported = await recommendationsIn('report --format json')
    expect(reported).toMatchObject({ open: 1, below: 0, listed: [{ ...listed, no_wake: [] }] })
    expect(reported?.saving_micros_per_30_days).toEqual(listed?.saving_micros_per_30_days)
    appendFileSync(join(advised.folder, 'dormouse.yaml'), 'report: { min_saving: 12.26 }\n')
    expect(await recommendationsIn('report --format json')).toMatchObject({ open: 1, below: 1, listed: [] })
    expect(await recommendationsIn('report --format json --week 2026-W03')).toBeNull()
  })

  test('nothing was ever kept', async () => {
    await using empty = await keptBy([])
    const { code, out, err } = await empty.cli('report')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^dormouse: no daemon answers at http:\/\/127.0.0.1:1 /)
  })
})

describe('from a daemon', () => {
  test('it is sent where that is asked for', async () => {
    const app = createApiApp({
      snapshot: () => undefined,
      history: NO_HISTORY,
      accounts: () => [],
      ...NO_PAGES,
      clock: fakeClock(),
      reports: () => new Map([['main', {} as ReportSource]]),
      sender: () => (account) => Promise.resolve(account === 'main' ? '2026-W02-manual-1' : undefined),
    })
    await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
    const send = (more: string) => dormouse(words(`report --send --url ${urlOf(listener.address)}${more}`))
    const { code, out } = await send('')
    expect([code, JSON.parse(out)]).toEqual([0, { account: 'main', slot: '2026-W02-manual-1' }])
    expect(await send(' --account other')).toMatchObject({
      code: 2,
      err: expect.stringContaining('dormouse: --account: expected one of main'),
    })
  })

  test('the same report comes, with budgets, and the schema that it fits', async () => {
    const folder = join(kept.folder, 'data')
    const store = readEmbeddedStore(folder, fakeClock())
    if (!store) throw new Error('nothing was kept')
    await using stack = new AsyncDisposableStack()
    stack.defer(() => store.close())
    const source: ReportSource = {
      history: store,
      ledger: await store.account('main').load(),
      advice: REPORTED_ADVICE,
      prices,
      zone: createUtc(),
      owners: createOwners([]),
      plan: { groupBy: 'branch', onlyTeam: undefined, redact: ['names'] },
      unread: undefined,
      view: { budgets: [], month: undefined },
    }
    const clock = fakeClock('2026-01-12T08:00:00Z')
    const reports = (): ReadonlyMap<string, ReportSource> => new Map([['main', source]])
    const app = createApiApp({
      snapshot: () => undefined,
      history: store,
      accounts: () => [],
      ...NO_PAGES,
      clock,
      reports,
    })
    await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
    const url = urlOf(listener.address)
    const { code, out, err } = await dormouse(words(`report --format json --url ${url}`))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const report = reportSchema.parse(JSON.parse(out))
    expect(report).toMatchObject({
      slot: { id: '2026-W02', late: false },
      made_at: '2026-01-12T08:00:00Z',
      spend: { week: { likely: 177 } },
      groups: { by: 'branch' },
      budgets: [],
      redacted: ['names'],
    })
    expect(report.computes.map((compute) => compute.project_name)).toEqual([null, null])
    const schema = await (await fetch(`${url}/api/v1/schema/report`)).json()
    expect(schema).toMatchObject({ title: 'Weekly report of Dormouse', type: 'object' })
    const refused = await fetch(`${url}/api/v1/report?week=2026-W04`)
    expect([refused.status, await refused.json()]).toEqual([400, { message: 'week: 2026-W04 has not begun' }])
  })
})
