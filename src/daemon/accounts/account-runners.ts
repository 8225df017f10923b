// The accounts of the daemon, each with its ports and its state, and the one snapshot of all of them.
import type { Logger } from 'pino'
import type { BudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { runYielding } from '../../std/cooperative.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { exportedAccount, type ExportedAccount } from '../history/export.ts'
import { createForecaster, type Forecaster, type Forecasts } from '../history/forecasts.ts'
import { jobStatus, type JobRuns } from '../snapshot/job-status.ts'
import { createPriceHistory } from './price-history.ts'
import { passInterval, type LoopTurn } from '../loop.ts'
import type { PassPlan } from '../pass/pass.ts'
import { createSnapshotBuilder } from '../snapshot/snapshot.ts'
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
  /** Which budgets its computes count for. */
  readonly budgetScopes: () => BudgetScopes
  /** Resolves when nothing of it runs beside its turns. */
  readonly idle: () => Promise<void>
  /** On the monotonic clock: when its last turn began. */
  readonly lastStartedAt: () => Seconds
  /** Undefined before the first turn has ended. */
  readonly runs: () => JobRuns | undefined
  /** One turn of the loop. Never rejects. */
  readonly runPasses: (signal: AbortSignal) => Promise<LoopTurn>
}

export type AccountRunners = {
  /** One per account, in the order of the configuration. */
  readonly all: readonly AccountRunner[]
  /** The last one; undefined before the first turn has ended. */
  readonly snapshot: () => Snapshot | undefined
  /** Resolves when nothing runs beside the turns. */
  readonly idle: () => Promise<void>
  /** What names and prices the history of each is told with. */
  readonly accounts: () => readonly ExportedAccount[]
}

type LaneMachine = DaemonEnvironment & { readonly log: Logger }

export type RunnerOutputs = {
  readonly portsOf: (account: AccountConfig) => Ports
  /** Shows a snapshot to whoever asks. */
  readonly publish: (snapshot: Snapshot) => Promise<void>
  /** Gives up a turn of the event loop. */
  readonly pause: () => Promise<void>
}

/** @param current each turn and each snapshot is of the configuration as it is when it begins */
export async function createAccountRunners(
  current: () => Config,
  machine: LaneMachine,
  { portsOf, publish, pause }: RunnerOutputs,
): Promise<AccountRunners> {
  const config = current()
  const preset = createPreset(config.service.preset)
  const camera = createSnapshotBuilder()
  let snapshot: Snapshot | undefined
  let passSeconds = seconds(0)

  const show = async (): Promise<void> => {
    const shown = all.map((lane) => ({
      state: lane.state(),
      prices: lane.prices(),
      preset,
      unreadable: lane.reasonUnreadable,
      isRead: config.reading.mode !== 'off',
      forecasts: lane.forecasts(),
      scopes: lane.budgetScopes(),
    }))
    const version = (snapshot?.version ?? 0) + 1
    const pass = jobStatus(
      'pass',
      all.flatMap((lane) => lane.runs() ?? []),
    )
    const jobs = pass ? [pass] : []
    const { metrics, poll, reading, owners } = current()
    const staleAfter = seconds(metrics.staleAfter * poll.interval)
    const { activityLag } = reading
    const now = machine.clock.now()
    const context = { now, version, passSeconds, jobs, staleAfter, activityLag, owners }
    const next = await runYielding(camera(shown, context), pause)
    await publish(next)
    // Last, so that who finds a state here finds it in the metrics, too.
    snapshot = next
  }
  const publishNow = coalesce(show, (err) => {
    machine.log.error({ err }, 'the state after a pass could not be shown, the one before stays')
  })
  const turned = (took: Seconds): Promise<void> => {
    passSeconds = took
    return publishNow()
  }

  const all = await Promise.all(
    config.accounts.map(async (account) => {
      const first = newPassState(await machine.store.load(account.name))
      const ports = portsOf(account)
      const unreadable = reasonNotReadable(account, config)
      const bearings = createBearings(account, current, machine)
      const interval = passInterval(config.poll.interval)
      return createLane({ ports, bearings, first, reasonUnreadable: unreadable, interval }, machine, turned)
    }),
  )
  return {
    all,
    snapshot: () => snapshot,
    idle: async () => {
      await Promise.all(all.map((lane) => lane.idle()))
    },
    accounts: () => all.map((lane) => exportedAccount(lane.state().ledger, lane.prices().currency)),
  }
}

/** What a turn goes by. */
type Bearings = {
  readonly plan: PassPlan
  readonly forecaster: Forecaster
}

type BearingsNow = {
  readonly now: () => Bearings
  /** Resolves when nothing is being worked out, for earlier ones either. */
  readonly idle: () => Promise<unknown>
}

/** They stay while owners, budgets and prices do. */
function createBearings(first: AccountConfig, current: () => Config, machine: LaneMachine): BearingsNow {
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
  const replace = ({ forecaster }: Bearings): void => {
    const left = forecaster.idle().finally(() => replaced.delete(left))
    replaced.add(left)
  }
  let config = current()
  let plan = passPlanOf(accountIn(config), config)
  let bearings = { plan, forecaster: forecasterOf(plan) }
  return {
    now: () => {
      const next = current()
      const account = accountIn(next)
      const isOther = next.budgets !== config.budgets || account.prices !== plan.prices
      if (next.owners === config.owners && !isOther) return bearings
      config = next
      plan = passPlanOf(account, config)
      if (isOther) replace(bearings)
      bearings = { plan, forecaster: isOther ? forecasterOf(plan) : bearings.forecaster }
      return bearings
    },
    idle: () => Promise.all([bearings.forecaster.idle(), ...replaced]),
  }
}

function createLane(
  {
    ports,
    bearings,
    first,
    reasonUnreadable,
    interval,
  }: Pick<AccountRunner, 'reasonUnreadable'> & {
    readonly interval: Seconds
    readonly bearings: BearingsNow
    readonly ports: Ports
    readonly first: PassState
  },
  machine: LaneMachine,
  turned: (took: Seconds) => Promise<void>,
): AccountRunner {
  let state = first
  let turnedAt = ports.clock.monotonic()
  const since = ports.clock.now()
  let runs: JobRuns | undefined
  let shown = bearings.now()
  const keep = createPriceHistory(first.ledger.account, { ...machine, store: ports.store })
  return {
    prices: () => shown.plan.prices,
    reasonUnreadable,
    state: () => state,
    forecasts: () => shown.forecaster,
    budgetScopes: () => shown.plan.budgets,
    // prices that could not be kept leave the turn with what was before
    idle: async () => {
      await Promise.all([bearings.idle(), shown.forecaster.idle()])
    },
    lastStartedAt: () => turnedAt,
    runs: () => runs,
    runPasses: async (signal) => {
      turnedAt = ports.clock.monotonic()
      const begunAt = ports.clock.now()
      const next = bearings.now()
      const taken = (await keep(next.plan.prices)) ? next : shown
      const done = await runPasses(ports, { before: state, plan: taken.plan }, { ...machine, signal })
      state = done.state
      shown = taken
      const last = { begunAt, took: done.took }
      const { failures } = state
      runs = { interval, last, failures, succeeded: failures === 0 ? last : runs?.succeeded, since }
      shown.forecaster.refresh(state)
      await turned(done.took)
      return { failures: state.failures, nextLook: undefined }
    },
  }
}
