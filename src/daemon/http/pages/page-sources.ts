// What the status page reads.
import type { Window } from '../../../calendar/window.ts'
import type { Zone } from '../../../calendar/zone.ts'
import type { Config } from '../../../config/load.ts'
import type { ComputeEntry } from '../../../model/ledger/ledger.ts'
import type { Prices } from '../../../model/ledger/quantities.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import type { ManagerOf } from '../../../model/policy/policies.ts'
import type { History } from '../../../model/ports/history.ts'
import { computeKey, type ComputeRef } from '../../../model/service/compute.ts'
import type { Instant } from '../../../model/units.ts'
import type { BudgetPlanSources } from '../../changes/steps/plan-budget.ts'
import type { AccountRunners } from '../../accounts/account-runners.ts'
import type { ReportArchive } from '../../reports/requests.ts'
import type { ChangePageSources } from './changes-page.ts'

export type PageSources = Readonly<{
  /** Undefined until the first pass ended. */
  snapshot: () => Snapshot | undefined
  history: Pick<History, 'days' | 'awakeTimes' | 'recommendations' | 'advice' | 'gaps'>
  archive: ReportArchive
  entryOf: (ref: ComputeRef) => ComputeEntry | undefined
  pricesOf: (account: string) => Prices | undefined
  /** Base URL of the service. */
  baseUrlOf: (account: string) => string
  /** By name, of the configuration. */
  windows: () => ReadonlyMap<string, Window>
  /** Absent: nobody else owns settings. */
  managerOf?: ManagerOf
  clock: Clock
  zone: Zone
  mode: string
  /** Whether policies change settings without a person. */
  appliesChanges: () => boolean
  /** Undefined where no changes are made. */
  changes?: ChangePageSources | undefined
  /** What a budget changes at its rungs; absent where no changes are made. */
  budgetPlans?: BudgetPlanSources | undefined
  /** Undefined without a schedule. */
  nextReportAt: (now: Instant) => Instant | undefined
}>

export function pageSourcesOf({ timezone: zone, mode, accounts }: Config, { all }: AccountRunners) {
  const runnerOf = (account: string) => all.find((runner) => runner.state().ledger.account === account)
  return {
    entryOf: (ref: ComputeRef) => runnerOf(ref.account)?.state().ledger.computes.get(computeKey(ref)),
    pricesOf: (account: string) => runnerOf(account)?.prices(),
    baseUrlOf: (account: string) => accounts.find(({ name }) => name === account)?.baseUrl ?? '',
    zone,
    mode,
  }
}
