// The report as a job of the running daemon.
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { renderArchivedJson } from '../../outputs/report/formats/json.ts'
import { reportSinkName } from '../notify/notifications.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import { buildReports } from './build.ts'
import type { ReportJob, ReportPart } from './schedule.ts'
import { reportSources } from './sources.ts'

export type ReportEnvironment = {
  readonly clock: Clock
  readonly store: Store & History & Outbox
  readonly log: Pick<Logger, 'error'>
}

/** The report is made even without receivers: the status page shows it. */
export function createReportJob(
  config: () => Config,
  runners: AccountRunners,
  { clock, store, log }: ReportEnvironment,
): ReportJob {
  return {
    clock,
    store,
    schedule: () => {
      const { report, timezone: zone } = config()
      return { cron: report.cron, zone, catchUp: report.catchUp }
    },
    sinks: () => config().report.sinks.map(({ name, team }) => ({ name: reportSinkName(name), team })),
    accounts: config().accounts.map(({ name }) => name),
    make: async (account, slot, { now, teams }) => {
      const source = reportSources(config(), runners, store).get(account)
      if (!source) throw new Error(`there is no account ${account}`)
      const { plan } = source
      const plans = [plan, ...teams.map((team) => ({ ...plan, onlyTeam: team }))]
      const reports = await buildReports(source, { slot, madeAt: now, plans }, clock)
      const parts: ReportPart[] = []
      for (const [index, report] of reports.entries()) {
        parts.push({ team: index === 0 ? undefined : teams[index - 1], json: renderArchivedJson(report) })
        // oxlint-disable-next-line no-await-in-loop -- waiting work runs between two reports
        await clock.yield()
      }
      return parts
    },
    failed: (account, err) => log.error({ err, account }, 'a report that is due could not be made or stored'),
  }
}
