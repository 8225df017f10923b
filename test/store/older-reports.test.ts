// Reports that earlier versions wrote: read as they were made, or the file is left as it is.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { REPORT_FORMATS, reportKey, type StoredReport } from '../../src/model/output/report.ts'
import { instant } from '../../src/model/units.ts'
import { REPORT_RENDERINGS } from '../../src/outputs/report/formats/formats.ts'
import { renderArchivedJson } from '../../src/outputs/report/formats/json.ts'
import type { Report } from '../../src/outputs/report/schema.ts'
import { openEmbeddedStore, readEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { migrate } from '../../src/store/sqlite/schema.ts'
import { dormouse, words } from '../cli/local-cli.ts'
import { appOf, asked, fleet, textOf } from '../outputs/page/shown.ts'
import { FLEETS, inputOf, told } from '../outputs/report/fleets.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { eachInItsFolder } from './folder.ts'

const { folder, file, rows } = eachInItsFolder()
const clock = fakeClock('2026-11-24T08:00:00Z')

const stored = (report: Report, json: string, id = report.slot.id): StoredReport => ({
  account: report.account,
  slot: {
    id,
    from: instant(Date.parse(report.slot.from)),
    to: instant(Date.parse(report.slot.to)),
    late: report.slot.late,
  },
  ...(report.team === null ? {} : { team: report.team }),
  madeAt: instant(Date.parse(report.made_at)),
  json,
})

const week = (id: string, onlyTeam?: string): Report =>
  told(inputOf({ ...FLEETS.busy, week: id, plan: { onlyTeam } }))

/** As the first version with reports kept them: all of one in its body, its JSON as text in it. */
function writeEight(database: DatabaseSync): readonly StoredReport[] {
  const put = database.prepare('insert into report (account, slot, made_ms, body) values (?, ?, ?, ?)')
  const reports = ['2026-W45', '2026-W46', '2026-W47'].map((id) => {
    const report = week(id)
    return stored(report, JSON.stringify(report))
  })
  const again = week('2026-W47')
  reports.push(stored(again, JSON.stringify(again), '2026-W47-manual-1'))
  for (const report of reports) put.run(report.account, report.slot.id, report.madeAt, JSON.stringify(report))
  return reports
}

/** With parts of teams, their heads apart, and lines between stretches of computes. */
function writeNine(database: DatabaseSync): readonly StoredReport[] {
  const put = database.prepare(
    'insert into report (account, slot, made_ms, body, team, head) values (?, ?, ?, ?, ?, ?)',
  )
  const all = [week('2026-W46'), week('2026-W47'), week('2026-W47', 'web'), week('2026-W47', 'payments')]
  const reports = all.map((report) => stored(report, renderArchivedJson(report)))
  for (const { json, ...head } of reports) {
    const { account, madeAt, team } = head
    put.run(account, reportKey(head), madeAt, json, team ?? null, JSON.stringify(head))
  }
  return reports
}

const WRITERS = [
  [8, writeEight],
  [9, writeNine],
] as const

/** A store of that version, as a daemon of that version left it. */
function older(version: number, write: (database: DatabaseSync) => readonly StoredReport[]) {
  const database = new DatabaseSync(file())
  migrate(database, file(), version)
  const reports = write(database)
  database.close()
  return reports
}

describe.each(WRITERS)('of schema version %i', (version, write) => {
  test('all are there as they were made, listed, and in every format', async () => {
    const reports = older(version, write)
    const store = openEmbeddedStore(folder(), clock)
    for (const report of reports) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await store.report('main', reportKey(report))).toEqual(report)
    }
    const whole = reports.filter(({ team }) => team === undefined)
    const listed = await store.reports('main', { count: 99 })
    expect(listed.map((one) => one.slot.id).toSorted()).toEqual(whole.map((one) => one.slot.id).toSorted())
    const teams = reports.flatMap(({ team }) => team ?? [])
    expect(await store.reportTeams('main', '2026-W47')).toEqual(teams.toSorted())
    await store.close()
  })

  test('the page shows each', async () => {
    const reports = older(version, write)
    const store = openEmbeddedStore(folder(), clock)
    const app = appOf({ snapshot: fleet(2), kept: store })
    for (const { slot, team } of reports) {
      const path = `/report?week=${slot.id}${team === undefined ? '' : `&team=${team}`}`
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await asked(app, path)).status).toBe(200)
      // oxlint-disable-next-line no-await-in-loop -- likewise
      expect(await textOf(app, path)).toContain(`Report ${slot.id.slice(0, 8)}`)
    }
    await store.close()
  })

  test('the API and the command tell each, also where no daemon runs any more', async () => {
    const reports = older(version, write)
    const store = openEmbeddedStore(folder(), clock)
    const app = appOf({ snapshot: fleet(2), kept: store })
    for (const { slot, team, json } of reports) {
      const query = `week=${slot.id}${team === undefined ? '' : `&team=${team}`}`
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await app.request(`/api/v1/report?kept=true&${query}`, {
        headers: { host: 'localhost' },
      })
      // oxlint-disable-next-line no-await-in-loop -- likewise
      expect([answer.status, await answer.json()]).toEqual([200, JSON.parse(json)])
    }
    await store.close()
    const home = join(folder(), 'home')
    mkdirSync(home)
    writeFileSync(
      join(home, 'dormouse.yaml'),
      `accounts: [{ name: main, base_url: "http://127.0.0.1:1/api/v2", plan: launch, api_key_env: KEY }]
store: { folder: ${JSON.stringify(folder())} }
server: { api: "127.0.0.1:1" }
`,
    )
    const cli = (text: string) => dormouse(words(text), { env: { KEY: 'secret' }, cwd: home })
    for (const { slot, team, json } of reports)
      for (const format of REPORT_FORMATS) {
        const of = team === undefined ? '' : ` --team ${team}`
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { code, out, err } = await cli(`report --kept --week ${slot.id}${of} --format ${format}`)
        const expected = REPORT_RENDERINGS[format].render(JSON.parse(json) as Report).join('')
        expect([code, err, out.trimEnd()]).toEqual([0, '', expected.trimEnd()])
      }
  })

  test('a file that cannot be brought forward keeps its version and its reports', async () => {
    const reports = older(version, write)
    const database = new DatabaseSync(file())
    // the last step meets what it cannot do: all before it are taken back
    database.exec('create table report_9 (left_over text)')
    database.close()
    const before = rows('select * from report order by slot')
    expect(() => openEmbeddedStore(folder(), clock)).toThrow(`could not bring ${file()} to schema version`)
    expect(rows('pragma user_version')).toEqual([{ user_version: version }])
    expect(rows('select * from report order by slot')).toEqual(before)
    const repaired = new DatabaseSync(file())
    repaired.exec('drop table report_9')
    repaired.close()
    const store = openEmbeddedStore(folder(), clock)
    expect(await store.reports('main', { count: 99 })).toHaveLength(
      reports.filter(({ team }) => team === undefined).length,
    )
    await store.close()
  })

  test('is refused by who only reads, and by a program that is older than the file', () => {
    older(version, write)
    expect(() => readEmbeddedStore(folder(), clock)).toThrow(`has schema version ${version}`)
    const database = new DatabaseSync(file())
    expect(() => migrate(database, file(), version - 1)).toThrow(/run the newer Dormouse/)
    database.close()
    expect(rows('pragma user_version')).toEqual([{ user_version: version }])
  })
})
