// The report as a job of the running daemon, and what its reports are made from.
import type { Config } from '../../config/load.ts'
import { renderArchivedJson } from '../../outputs/report/formats/json.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { reportSinkName } from '../notify/notifications.ts'
import { inTurns } from '../turns.ts'
import type { ReportJournal } from './changes.ts'
import { buildReports, type ReportSource } from './build.ts'
import type { ReportJob, ReportPart } from './schedule.ts'

/** Made even without receivers: the status page shows it. */
export function createReportJob(
  config: () => Config,
  runners: Runners,
  { clock, store, self, log }: Pick<DaemonEnvironment, 'clock' | 'store' | 'self' | 'log'>,
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
    make: async ({ account, slot, now }, teams) => {
      const source = reportSources(config(), runners, store).get(account)
      if (!source) throw new Error(`there is no account ${account}`)
      const plans = [source.plan, ...teams.map((team) => ({ ...source.plan, onlyTeam: team }))]
      const reports = await buildReports(source, { slot, madeAt: now, plans }, clock)
      const parts: ReportPart[] = []
      for await (const [index, report] of inTurns(reports.entries(), clock))
        parts.push({ team: index === 0 ? undefined : teams[index - 1], json: renderArchivedJson(report) })
      return parts
    },
    recordDue: (slot) => self.reportDue(slot / 1000),
    failed: (account, err) => log.error({ err, account }, 'a report that is due could not be made or stored'),
  }
}

type Runners = Pick<AccountRunners, 'all' | 'snapshot'>

/** By account, in the order of the configuration. */
export function reportSources(
  config: Config,
  { all, snapshot }: Runners,
  store: ReportSource['history'] & ReportJournal['journal'],
): ReadonlyMap<string, ReportSource> {
  const { timezone: zone, owners, report, windows, accounts, policies } = config
  const freezes = config.changes.freeze.map((name) => [name, windows.get(name)] as const)
  const { minSaving, plan } = report
  const views = new Map(snapshot()?.accounts.map((view) => [view.account, view]))
  const sourceOf = (runner: Runners['all'][number]): ReportSource => {
    const { ledger } = runner.state()
    const unread = reasonNotRead(config, runner.reasonUnreadable)
    const view = views.get(ledger.account)
    const baseUrl = accounts.find(({ name }) => name === ledger.account)?.baseUrl ?? ''
    const advice = { baseUrl, minSaving, windows, managerOf: policies.managerOf }
    const prices = runner.prices()
    const changes = { journal: store, freezes, holdOf: (id: string) => runner.changes.holdOf(id) }
    return {
      history: store,
      ledger,
      advice,
      changes,
      prices,
      zone,
      owners,
      plan,
      unread,
      view,
      past: view?.past,
    }
  }
  return new Map(all.map((runner) => [runner.state().ledger.account, sourceOf(runner)]))
}

/** Why no compute of an account is read; `unreadable`: why none can be. */
export const reasonNotRead = ({ reading }: Config, unreadable: string | undefined): string | undefined =>
  reading.mode === 'off' ? 'readings are switched off (reading.mode)' : unreadable
