// The report as a job of the running daemon.
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { runYielding } from '../../std/cooperative.ts'
import { renderArchivedJson } from '../../outputs/report/formats/json.ts'
import type { Report } from '../../outputs/report/schema.ts'
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

/** Made also where nobody is sent it: the status page shows it. */
export function createReportJob(
  config: () => Config,
  lanes: AccountRunners,
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
      const source = reportSources(config(), lanes, store).get(account)
      if (!source) throw new Error(`there is no account ${account}`)
      const { plan } = source
      const plans = [plan, ...teams.map((team) => ({ ...plan, onlyTeam: team }))]
      const made = await buildReports(source, { slot, madeAt: now, plans })
      return keptParts(made, teams)
    },
    failed: (account, err) => log.error({ err, account }, 'a report that is due could not be made or kept'),
  }
}

/** The first is about all, the others are parts of these teams. */
async function keptParts(made: readonly Report[], teams: readonly string[]): Promise<readonly ReportPart[]> {
  const parts: ReportPart[] = []
  for (const [index, report] of made.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, with turns for others in between
    const json = await runYielding(renderArchivedJson(report), () => setImmediate())
    parts.push({ team: index === 0 ? undefined : teams[index - 1], json })
  }
  return parts
}
