// What the reports of a running daemon are made from.
import type { Config } from '../../config/load.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import type { ReportSource } from './build.ts'

/** Account → its current source, in the order of the configuration. */
export function reportSources(
  config: Config,
  { all, snapshot }: Pick<AccountRunners, 'all' | 'snapshot'>,
  history: ReportSource['history'],
): ReadonlyMap<string, ReportSource> {
  const { timezone, owners, report } = config
  const views = new Map(snapshot()?.accounts.map((view) => [view.account, view]))
  return new Map(
    all.map((runner) => {
      const { ledger } = runner.state()
      const { reasonUnreadable } = runner
      const view = views.get(ledger.account)
      return [
        ledger.account,
        {
          history,
          ledger,
          prices: runner.prices(),
          zone: timezone,
          owners,
          plan: report.plan,
          unread: reasonNotRead(config, reasonUnreadable),
          view,
        },
      ]
    }),
  )
}

/** Why no compute of an account is read; `unreadable`: why its computes cannot be. */
export const reasonNotRead = ({ reading }: Config, unreadable: string | undefined): string | undefined =>
  reading.mode === 'off' ? 'readings are switched off (reading.mode)' : unreadable
