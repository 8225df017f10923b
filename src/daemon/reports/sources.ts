// What the reports of a running daemon are made of.
import type { Config } from '../../config/load.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import type { ReportSource } from './build.ts'

/** Account → its source as it is now, in the order of the configuration. */
export function reportSources(
  config: Config,
  { all, snapshot }: Pick<AccountRunners, 'all' | 'snapshot'>,
  history: ReportSource['history'],
): ReadonlyMap<string, ReportSource> {
  const { timezone, owners, report } = config
  const views = new Map(snapshot()?.accounts.map((view) => [view.account, view]))
  return new Map(
    all.map((lane) => {
      const { ledger } = lane.state()
      const { unreadable } = lane
      const view = views.get(ledger.account)
      return [
        ledger.account,
        {
          history,
          ledger,
          prices: lane.prices(),
          zone: timezone,
          owners,
          plan: report.plan,
          unread: reasonNotRead(config, unreadable),
          view,
        },
      ]
    }),
  )
}

/** Why nothing is read inside the computes of an account, given why they could not be. */
export const reasonNotRead = ({ reading }: Config, unreadable: string | undefined): string | undefined =>
  reading.mode === 'off' ? 'readings are switched off (reading.mode)' : unreadable
