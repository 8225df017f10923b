// Account runners: one per account, with its ports and its state, and the one snapshot of all of them.
import type { Logger } from 'pino'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { exportedAccount, type ExportedAccount } from '../history/export.ts'
import { createForecaster, type Forecaster, type Forecasts } from '../history/forecasts.ts'
import { jobStatus, type JobRuns } from '../snapshot/job-status.ts'
import { createPriceHistory } from './price-history.ts'
import { passInterval, type LoopTurn } from '../loop.ts'
import type { PassPlan } from '../pass/pass-input.ts'
import { buildSnapshot, createSnapshotBuilder } from '../snapshot/snapshot.ts'
import { newPassState, type PassState } from '../pass/pass-state.ts'
import { runPasses } from '../pass/run-passes.ts'
import { coalesce } from '../../std/coalesce.ts'
import { passPlanOf, reasonNotReadable, type DaemonEnvironment } from './ports.ts'

export type AccountRunner = {
  readonly prices: () => Prices
  /** Why its computes cannot be read; undefined where they can. */
  readonly reasonUnreadable: string | undefined
  readonly state: () => PassState
  readonly forecasts: () => Forecasts
  readonly budgetScopes: () => BudgetScopes
  /** Resolves when nothing of the account runs beside its turns. */
  readonly idle: () => Promise<void>
  /** Start of the last turn, on the monotonic clock. */
  readonly lastStartedAt: () => Seconds
  /** Undefined before the first turn has ended. */
  readonly runs: () => JobRuns | undefined
  /** Runs one turn of the loop. Never rejects. */
  readonly runPasses: (signal: AbortSignal) => Promise<LoopTurn>
}

export type AccountRunners = {
  /** In the order of the configuration. */
  readonly all: readonly AccountRunner[]
  /** The last one; undefined before the first turn has ended. */
  readonly snapshot: () => Snapshot | undefined
  /** Resolves when nothing runs beside the turns. */
  readonly idle: () => Promise<void>
  /** Names and currency for the history of each account. */
  readonly accounts: () => readonly ExportedAccount[]
}

type RunnerEnvironment = DaemonEnvironment & { readonly log: Logger }

export type RunnerOutputs = {
  readonly portsOf: (account: AccountConfig) => Ports
  /** Makes a snapshot visible to all outputs. */
  readonly publish: (snapshot: Snapshot) => Promise<void>
}

/** @param current read at the start of each turn and each snapshot */
export async function createAccountRunners(
  current: () => Config,
  machine: RunnerEnvironment,
  { portsOf, publish }: RunnerOutputs,
): Promise<AccountRunners> {
  const config = current()
  const preset = createPreset(config.service.preset)
  const openSnapshot = createSnapshotBuilder()
  let snapshot: Snapshot | undefined
  let passSeconds = seconds(0)

  const publishNext = async (): Promise<void> => {
    const accounts = all.map((runner) => ({
      state: runner.state(),
      prices: runner.prices(),
      preset,
      unreadable: runner.reasonUnreadable,
      isRead: config.reading.mode !== 'off',
      forecasts: runner.forecasts(),
      scopes: runner.budgetScopes(),
    }))
    const version = (snapshot?.version ?? 0) + 1
    const pass = jobStatus(
      'pass',
      all.flatMap((runner) => runner.runs() ?? []),
    )
    const jobs = pass ? [pass] : []
    const { metrics, poll, reading, owners } = current()
    const staleAfter = seconds(metrics.staleAfter * poll.interval)
    const { activityLag } = reading
    const now = machine.clock.now()
    const context = { now, version, passSeconds, jobs, staleAfter, activityLag, owners }
    const next = await buildSnapshot(openSnapshot(context), accounts, machine.clock)
    await publish(next)
    // Last: whoever reads this snapshot finds it in the metrics, too.
    snapshot = next
  }
  const publishNow = coalesce(publishNext, (err) => {
    machine.log.error({ err }, 'the state after a pass could not be shown, the one before stays')
  })
  const afterTurn = (took: Seconds): Promise<void> => {
    passSeconds = took
    return publishNow()
  }

  const all = await Promise.all(
    config.accounts.map(async (account) => {
      const first = newPassState(await machine.store.account(account.name).load())
      const ports = portsOf(account)
      const reasonUnreadable = reasonNotReadable(account, config)
      const livePlan = createLivePlan(account, current, machine)
      const interval = passInterval(config.poll.interval)
      return createRunner({ ports, livePlan, first, reasonUnreadable, interval }, machine, afterTurn)
    }),
  )
  return {
    all,
    snapshot: () => snapshot,
    idle: async () => {
      await Promise.all(all.map((runner) => runner.idle()))
    },
    accounts: () => all.map((runner) => exportedAccount(runner.state().ledger, runner.prices().currency)),
  }
}

type PlanAndForecaster = { readonly plan: PassPlan; readonly forecaster: Forecaster }

/** Plan of the current configuration. It stays the same while owners, budgets and prices do. */
type LivePlan = {
  readonly current: () => PlanAndForecaster
  /** Resolves when no forecaster works, replaced ones included. */
  readonly idle: () => Promise<unknown>
}

function createLivePlan(first: AccountConfig, current: () => Config, machine: RunnerEnvironment): LivePlan {
  const accountIn = ({ accounts }: Config): AccountConfig =>
    accounts.find(({ name }) => name === first.name) ?? first
  const replaced = new Set<Promise<unknown>>()
  const forecasterOf = (plan: PassPlan): Forecaster =>
    createForecaster({
      ...machine,
      history: machine.store,
      scopes: plan.budgets,
      prices: plan.prices,
      zone: config.timezone,
    })
  let config = current()
  let plan = passPlanOf(accountIn(config), config)
  let forecaster = forecasterOf(plan)
  const replaceForecaster = (): void => {
    const idle = forecaster.idle().finally(() => replaced.delete(idle))
    replaced.add(idle)
    forecaster = forecasterOf(plan)
  }
  return {
    current: () => {
      const next = current()
      const account = accountIn(next)
      const hasNewAmounts = next.budgets !== config.budgets || account.prices !== plan.prices
      if (next.owners !== config.owners || hasNewAmounts) {
        config = next
        plan = passPlanOf(account, config)
      }
      if (hasNewAmounts) replaceForecaster()
      return { plan, forecaster }
    },
    idle: () => Promise.all([forecaster.idle(), ...replaced]),
  }
}

function createRunner(
  {
    ports,
    livePlan,
    first,
    reasonUnreadable,
    interval,
  }: Pick<AccountRunner, 'reasonUnreadable'> & {
    readonly interval: Seconds
    readonly livePlan: LivePlan
    readonly ports: Ports
    readonly first: PassState
  },
  machine: RunnerEnvironment,
  afterTurn: (took: Seconds) => Promise<void>,
): AccountRunner {
  let state = first
  let lastStartedAt = ports.clock.monotonic()
  const since = ports.clock.now()
  let runs: JobRuns | undefined
  /** Plan of the last turn. */
  let used = livePlan.current()
  const storePrices = createPriceHistory(first.ledger.account, { ...machine, store: ports.store })
  return {
    prices: () => used.plan.prices,
    reasonUnreadable,
    state: () => state,
    forecasts: () => used.forecaster,
    budgetScopes: () => used.plan.budgets,
    // after a failure to store prices the plan used is an older one
    idle: async () => {
      await Promise.all([livePlan.idle(), used.forecaster.idle()])
    },
    lastStartedAt: () => lastStartedAt,
    runs: () => runs,
    runPasses: async (signal) => {
      lastStartedAt = ports.clock.monotonic()
      const begunAt = ports.clock.now()
      const next = livePlan.current()
      const plan = (await storePrices(next.plan.prices)) ? next : used
      const done = await runPasses(ports, { before: state, plan: plan.plan }, { ...machine, signal })
      state = done.state
      used = plan
      const last = { begunAt, took: done.took }
      const { failures } = state.service
      runs = { interval, last, failures, succeeded: failures === 0 ? last : runs?.succeeded, since }
      used.forecaster.refresh(state)
      await afterTurn(done.took)
      return { failures: state.service.failures, nextLook: undefined }
    },
  }
}
