// Reports that are kept, for the page that shows them.
import type { ReportArchive } from '../../../src/daemon/reports/requests.ts'
import { reportKey, type StoredReport } from '../../../src/model/output/report.ts'
import { instant } from '../../../src/model/units.ts'
import { renderArchivedJson } from '../../../src/outputs/report/formats/json.ts'
import type { Report } from '../../../src/outputs/report/schema.ts'
import { FLEETS, inputOf, told, type Described } from '../report/fleets.ts'

export const keptOf = (reports: readonly Report[]): ReportArchive => {
  const stored = reports.map((report): StoredReport => ({
    account: report.account,
    slot: {
      id: report.slot.id,
      from: instant(Date.parse(report.slot.from)),
      to: instant(Date.parse(report.slot.to)),
      late: report.slot.late,
    },
    ...(report.team === null ? {} : { team: report.team }),
    madeAt: instant(Date.parse(report.made_at)),
    json: renderArchivedJson(report),
  }))
  const whole = stored.filter(({ team }) => team === undefined)
  return {
    report: (account, item) =>
      Promise.resolve(stored.find((one) => one.account === account && reportKey(one) === item)),
    reports: (account, { count, skip = 0 }) =>
      Promise.resolve(whole.filter((one) => one.account === account).slice(skip, skip + count)),
    reportTeams: (account, slot) =>
      Promise.resolve(
        stored.flatMap((one) =>
          one.account === account && one.slot.id === slot && one.team !== undefined ? [one.team] : [],
        ),
      ),
  }
}

const WEEKS = Array.from({ length: 14 }, (_, ago) => `2026-W${47 - ago}`)

/** Fourteen weeks, the newest first, of which the newest has parts for two teams. */
const weeksOf = (computes: readonly Described[]): ReportArchive =>
  keptOf([
    ...WEEKS.map((week) => told(inputOf({ ...FLEETS.busy, computes, week }))),
    ...['payments', 'web'].map((onlyTeam) => told(inputOf({ ...FLEETS.busy, computes, plan: { onlyTeam } }))),
  ])

export const KEPT = weeksOf(FLEETS.busy.computes)

/** The same with projects that are called so. */
export const keptNamed = (names: readonly string[]): ReportArchive =>
  weeksOf(
    FLEETS.busy.computes.map((one, index) => ({
      ...one,
      place: { ...one.place, projectName: names[index % names.length], name: names[index % names.length] },
    })),
  )
