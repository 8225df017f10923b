import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { exportedAccount } from '../../../src/daemon/history/export.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { localDateTimeOf, parseDate } from '../../../src/calendar/local-time.ts'
import { createZone } from '../../../src/calendar/zone.ts'
import { toIso } from '../../../src/model/time.ts'
import { DAY, instant } from '../../../src/model/units.ts'
import { COARSE_STEP } from '../../../src/model/ledger/rollup.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { ledger, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { computeOf, dayAt, intervalAt, refOf, rollupAt } from '../../store/build.ts'
import { keptBy } from '../kept.ts'
import { dormouse, words } from '../local-cli.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { put } from '../../support/writes.ts'

const one = refOf('ep-one')
const shop = { ...project(), name: '=shop' }
const everything = {
  projects: [{ project: shop, listed: undefined }],
  computes: [computeOf('ep-one'), computeOf('ep-two')],
  days: [dayAt(one, 0), dayAt(one, 1), dayAt(refOf('ep-two'), 1)],
  settled: [intervalAt(one, 0), intervalAt(one, 200)],
  rollups: [rollupAt(one, 0), rollupAt(one, 0, COARSE_STEP)],
}

let kept: Awaited<ReturnType<typeof keptBy>>
beforeAll(async () => {
  kept = await keptBy([everything])
})
afterAll(() => kept[Symbol.asyncDispose]())

const NO_DAEMON = 'dormouse: no daemon answers; this is what the last one stored\n'

describe('without a daemon', () => {
  test('the days are written as CSV', async () => {
    const { code, out, err } = await kept.cli('export')
    expect({ code, err }).toEqual({ code: 0, err: NO_DAEMON })
    expect(out.split('\r\n')).toEqual([
      'account,project_id,project_name,endpoint_id,date,from,to,version,awake_seconds,awake_seconds_low,' +
        'awake_seconds_high,cu_seconds,cu_seconds_low,cu_seconds_high,spend,spend_low,spend_high,currency,' +
        'idle_tail_seconds,extension_seconds,wakes',
      "main,project-one,'=shop,ep-one,2026-01-05,2026-01-05T00:00:00Z,2026-01-06T00:00:00Z,1,2.001,1,3,2,1,3,0.000059,0.000029,0.000088,USD,0.5,0.005,3",
      "main,project-one,'=shop,ep-one,2026-01-06,2026-01-06T00:00:00Z,2026-01-07T00:00:00Z,1,2.001,1,3,2,1,3,0.000059,0.000029,0.000088,USD,0.5,0.005,3",
      "main,project-one,'=shop,ep-two,2026-01-06,2026-01-06T00:00:00Z,2026-01-07T00:00:00Z,1,2.001,1,3,2,1,3,0.000059,0.000029,0.000088,USD,0.5,0.005,3",
      '',
    ])
  })

  test.each([
    ['New York', 'America/New_York'],
    ['Tokyo', 'Asia/Tokyo'],
  ])('the dates of November are those of %s', async (_, name) => {
    const zone = createZone(name)
    if (!zone.ok) throw new Error(zone.error)
    const numbers = ['2026-10-31', '2026-11-01', '2026-11-30', '2026-12-01'].flatMap(
      (text) => parseDate(text) ?? [],
    )
    const days = numbers.map((number) => {
      const { date, from, to } = zone.value.dayOf(zone.value.beginAt(localDateTimeOf(number, DAY / 2)))
      return { ...dayAt(one, 0), date, from, to }
    })
    await using zoned = await keptBy([{ ...everything, days }])
    const datesOf = async (options: string) =>
      (await zoned.cli(`export ${options} --json`)).out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { date: string }).date)
    expect(await datesOf('--from 2026-11-01 --to 2026-12-01')).toEqual(['2026-11-01', '2026-11-30'])
    expect(await datesOf('--from 2026-12-01')).toEqual(['2026-12-01'])
    // an instant is one wherever the days are
    const { from = 0 } = days[1] ?? {}
    expect(await datesOf(`--to ${toIso(instant(from))}`)).toEqual(['2026-10-31'])
  })

  test('a part of the intervals as lines of JSON', async () => {
    const { code, out } = await kept.cli('export --what intervals --from 2026-01-05T00:02:00Z --json')
    expect(code).toBe(0)
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({
        project_name: '=shop',
        from: '2026-01-05T00:03:20Z',
        from_earliest: '2026-01-05T00:03:19.750Z',
        to: '2026-01-05T00:04:10Z',
        began_with: 'restart',
        cu_seconds: 50,
        idle_tail_seconds: 10,
      }),
    ])
  })

  test.each([
    ['rollups', '3600'],
    ['rollups-5m', '300'],
  ])('%s of their length', async (what, length) => {
    const { code, out } = await kept.cli(`export --what ${what} --json`)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      length_seconds: Number(length),
      cu_mean: 0.8125,
      connections_max: 20,
      connections_active_mean: 10 / 3,
      arrivals: 17,
      culprits: expect.stringContaining('clients web app shop 20 %; '),
    })
  })

  test.each([
    ['--what money', 2, /Allowed choices are days, intervals/],
    ['--from yesterday', 2, /--from: expected a day such as 2026-11-20/],
    ['--from 2026-02-30', 2, /--from: expected a day such as/],
    ['--from 2026-01-02 --to 2026-01-01', 2, /--to: expected a time after from/],
    ['--config none.yaml', 2, /there is no such file/],
    ['--url http://127.0.0.1:1', 1, /no daemon answers at http:\/\/127.0.0.1:1/],
  ])('%s ends with %s', async (options, code, err) => {
    expect(await kept.cli(`export ${options}`)).toEqual({ code, out: '', err: expect.stringMatching(err) })
  })

  test('nothing was ever kept', async () => {
    await using empty = await keptBy([])
    const { code, out, err } = await empty.cli('export')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^dormouse: no daemon answers at http:\/\/127.0.0.1:1 /)
  })

  test('a file of an older version', async () => {
    await using older = await keptBy([])
    mkdirSync(join(older.folder, 'data'))
    const database = new DatabaseSync(join(older.folder, 'data', 'dormouse.sqlite'))
    database.exec('pragma user_version = 10')
    database.close()
    const { code, err } = await older.cli('export')
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('choose another store.folder'),
    })
  })
})

describe('from a daemon', () => {
  test('the same is written, however large', async () => {
    await using place = await keptBy([])
    const store = openEmbeddedStore(join(place.folder, 'data'), fakeClock())
    await using stack = new AsyncDisposableStack()
    stack.defer(() => store.close())
    const settled = Array.from({ length: 3000 }, (_, index) => intervalAt(one, index * 100))
    await put(store, { ...everything, settled })
    const known = ledger({ projects: new Map([['project-one', { project: shop, listed: undefined }]]) })
    const accounts = () => [exportedAccount(known, 'USD')]
    const app = createApiApp({
      snapshot: () => undefined,
      history: store,
      accounts,
      ...NO_REPORTS,
      ...NO_PAGES,
    })
    await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
    const url = urlOf(listener.address)
    const ended = await dormouse(words(`export --what intervals --url ${url}`))
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: '' })
    expect(ended.out.split('\r\n')).toHaveLength(3002)
    // A daemon that holds the store may be read beside, too.
    expect((await place.cli('export --what intervals')).out).toBe(ended.out)
    expect(await dormouse(words(`export --url ${url}/nowhere`))).toMatchObject({ code: 2, err: /nothing at/ })
  })

  test('stopping in the middle of an export ends it, and nothing else', async () => {
    await using place = await keptBy([])
    const store = openEmbeddedStore(join(place.folder, 'data'), fakeClock())
    const settled = Array.from({ length: 30_000 }, (_, index) => intervalAt(one, index * 100))
    await put(store, { ...everything, settled })
    const app = createApiApp({
      snapshot: () => undefined,
      history: store,
      accounts: () => [exportedAccount(ledger(), 'USD')],
      ...NO_REPORTS,
      ...NO_PAGES,
    })
    const listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
    const answer = await fetch(`${urlOf(listener.address)}/api/v1/export?what=intervals`)
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await listener[Symbol.asyncDispose]()
    await store.close()
    const rest = async (): Promise<void> => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow('terminated')
  })

  test('an answer that breaks off is no success', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' })
      response.write('account,project_id\r\nmain,pro', () => response.destroy())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const ended = await dormouse(words(`export --url http://127.0.0.1:${port}`))
    expect(ended).toEqual({
      code: 1,
      out: 'account,project_id\r\n',
      err: expect.stringContaining('the export ended before it was complete'),
    })
    server.close()
  })
})
