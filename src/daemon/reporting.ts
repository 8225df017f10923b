// The report as a job of the running daemon.
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { Clock, History, Outbox, Store } from '../model/ports.ts'
import { reportSinkName } from './deliveries.ts'
import type { Lanes } from './lanes.ts'
import { makeReport } from './make-report.ts'
import type { ReportJob } from './report-job.ts'
import { reportSources } from './report-sources.ts'

export type ReportMachine = {
  readonly clock: Clock
  readonly store: Store & History & Outbox
  readonly log: Pick<Logger, 'error'>
}

/** Undefined where nobody is sent reports: then none is made unasked. */
export function createReportJob(
  config: Config,
  lanes: Lanes,
  { clock, store, log }: ReportMachine,
): ReportJob | undefined {
  const { cron, catchUp, sinks } = config.report
  if (sinks.length === 0) return undefined
  return {
    clock,
    store,
    schedule: { cron, zone: config.timezone, catchUp },
    sinks: sinks.map(({ name }) => reportSinkName(name)),
    accounts: config.accounts.map(({ name }) => name),
    make: async (account, slot, now) => {
      const source = reportSources(config, lanes, store).get(account)
      if (!source) throw new Error(`there is no account ${account}`)
      return JSON.stringify(await makeReport(source, slot, now))
    },
    failed: (account, err) => log.error({ err, account }, 'a report that is due could not be made or kept'),
  }
}
