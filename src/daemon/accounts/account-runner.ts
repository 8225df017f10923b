// One account: its passes and what runs beside them.
import type { AccountConfig, Config } from '../../config/load.ts'
import { joinActions } from '../../ledger/apply-facts.ts'
import { budgetForSmallerSize } from '../../ledger/budgets/evaluate.ts'
import { readStoredChanges, type Journal } from '../../model/ports/journal.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { after, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { untilNextHistories } from '../../observe/polling/poll-plan.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { createAdviser } from '../advice/adviser.ts'
import { createSavedSpend } from '../advice/saved-spend.ts'
import { createChangeRunner, type ApplyLoopMaker } from '../changes/change-runner.ts'
import type { ForeignWatch } from '../changes/foreign/foreign-watch.ts'
import type { KillSwitch } from '../changes/kill-switch.ts'
import { createTallies } from '../changes/tallies.ts'
import { createCountedPast } from '../history/counted-past.ts'
import { passInterval, type LoopTurn } from '../loop.ts'
import { newPassState } from '../pass/pass-state.ts'
import { ANNOUNCED_STATUS } from '../pass/sweep-events.ts'
import { runOpeningPass, runPasses } from '../pass/run-passes.ts'
import type { AccountInput } from '../snapshot/account-view.ts'
import type { JobRuns } from '../snapshot/job-status.ts'
import { createWarmUps } from '../warm-ups/warm-ups.ts'
import { advicePlanOf, reasonNotReadable, recommends } from './ports.ts'
import { accountIn, createLivePlan } from './live-plan.ts'
import { createPriceHistory } from './price-history.ts'

export type RunnersEnvironment = Pick<DaemonEnvironment, 'clock' | 'random' | 'self' | 'log'> & {
  /** Share of a core that evaluations of recommendations may take; default 0.01. */
  readonly adviceShare?: number | undefined
  /** Makes the sender of changes of an account; default `createApplyLoop`. */
  readonly applyLoop?: ApplyLoopMaker | undefined
  readonly store: Pick<DaemonEnvironment['store'], 'account' | 'jobState' | 'isCurrent'> &
    Ports['history'] &
    Journal
}

/** Evaluations of 100,000 computes, a few milliseconds each, then take less than a day. */
const BACKGROUND_SHARE = 0.01

export type RunnerEnvironment = RunnersEnvironment & {
  readonly killSwitch: KillSwitch
  readonly ports: Ports
  readonly afterTurn: (took: Seconds) => Promise<void>
  readonly foreignWatch: Pick<ForeignWatch, 'observed' | 'moved'>
  readonly nearlySpent: () => ReadonlySet<string>
}

export async function createAccountRunner(
  account: AccountConfig,
  current: () => Config,
  environment: RunnerEnvironment,
) {
  const { ports, afterTurn, foreignWatch } = environment
  const { clock, store } = ports
  const { poll, reading, timezone: zone } = current()
  const interval = passInterval(poll.interval)
  const reasonUnreadable = reasonNotReadable(account, current())
  const livePlan = createLivePlan(account, current, environment)
  const tallies = createTallies(await environment.store.changeTallies(account.name))
  const savedSpend = await createSavedSpend({
    account: account.name,
    journal: environment.store,
    hasDone: tallies.hasDone,
    owners: () => current().owners,
  })
  const adviser = await createAdviser({
    ...environment,
    account: account.name,
    savedSpend,
    clock,
    history: environment.store,
    store,
    epoch: ports.epoch,
    plan: () => ({
      ...advicePlanOf(accountIn(current(), account), current(), used.plan),
      overBudgetOf: (compute) => {
        const { budgets } = used.plan.budgets
        return budgetForSmallerSize(compute, {
          budgets,
          views: state.budgets,
          forecastOf: (view) => used.forecaster.of(view).forecast,
        })
      },
    }),
    share: environment.adviceShare ?? BACKGROUND_SHARE,
  })
  const countedPast = await createCountedPast({
    ...environment,
    account: account.name,
    clock,
    service: ports.service,
    history: environment.store,
    store,
    epoch: ports.epoch,
    zone,
    onRead: async (past) => {
      used.forecaster.refresh(state, past)
      await used.forecaster.idle()
      await afterTurn(runs?.last.took ?? seconds(0))
    },
  })
  const storePrices = createPriceHistory(account.name, { ...environment, store })
  let state = newPassState(
    await store.load(),
    await environment.store.jobState(account.name, ANNOUNCED_STATUS),
  )
  let lastStartedAt = clock.monotonic()
  const since = clock.now()
  let runs: JobRuns | undefined
  let isPassing = false
  /** Plan of the last turn. */
  let used = livePlan.current()
  const run = async (passes: typeof runPasses, signal: AbortSignal) => {
    lastStartedAt = clock.monotonic()
    const next = livePlan.current()
    const plan = (await storePrices(next.plan.prices)) ? next : used
    const { changesOf, changing } = changes.forPass()
    const ownActionsOf = joinActions(changesOf, warmUps.timesOf)
    const sweep = { ...plan.plan.sweep, changing: changing.union(warmUps.waiting()) }
    const withChanges = { ...plan.plan, ownActionsOf, sweep }
    isPassing = true
    const done = await passes(ports, { before: state, plan: withChanges }, { ...environment, signal })
    isPassing = false
    state = done.state
    used = plan
    foreignWatch.observed(account.name, state.persistence.settingsChanged)
    if (recommends(current())) adviser.observed(state)
    return done
  }
  const changes = createChangeRunner({
    ...environment,
    ports: { ...ports, store: tallies.counting(store) },
    initial: await readStoredChanges(environment.store, account.name),
    account,
    config: current,
    journal: environment.store,
    isCurrent: environment.store.isCurrent,
    state: () => state,
    isPassing: () => isPassing,
    preset: () => used.plan.preset,
    onMove: foreignWatch.moved,
    onVerdict: environment.self.verdict,
  })
  const warmUps = await createWarmUps({
    ...environment,
    ...changes,
    ports,
    account,
    config: current,
    history: environment.store,
    isCurrent: environment.store.isCurrent,
    state: () => state,
  })
  /** Start of the turn after one that left histories, by the wall clock. */
  const nextHistories = (): Instant | undefined => {
    const { hasHistoriesLeft, throughput } = state.polling
    if (!hasHistoriesLeft || !throughput || state.service.failures > 0) return undefined
    return after(clock.now(), untilNextHistories(used.plan.sweep, throughput))
  }
  return {
    account: account.name,
    changes,
    warmUps,
    state: () => state,
    prices: () => used.plan.prices,
    /** Why its computes cannot be read; undefined where they can. */
    reasonUnreadable,
    input: (): AccountInput => ({
      state,
      prices: used.plan.prices,
      preset: used.plan.preset,
      unreadable: reasonUnreadable,
      hosts: account.hosts,
      isRead: reading.mode !== 'off',
      forecasts: used.forecaster,
      scopes: used.plan.budgets,
      advice: adviser,
      past: countedPast.current(),
      changes: tallies.views(changes.open()),
      savedSpend,
      warmUps: current().policies.warmsUp ? warmUps.counts() : undefined,
    }),
    changeRecommendation: adviser.change,
    /** On the monotonic clock. */
    lastStartedAt: () => lastStartedAt,
    /** Undefined before the first turn ended. */
    runs: () => runs,
    /** Runs a small pass before the first turn and shows what it saw. Never rejects. */
    open: async (signal: AbortSignal): Promise<LoopTurn> => {
      await afterTurn((await run(runOpeningPass, signal)).took)
      return { failures: state.service.failures, nextLook: undefined }
    },
    /** Runs one turn of the loop. Never rejects. */
    runPasses: async (signal: AbortSignal): Promise<LoopTurn> => {
      const begunAt = clock.now()
      const done = await run(runPasses, signal)
      const { failures, status } = state.service
      // old data of a degraded service is a reason to alert, not to ask less often
      const isUpToDate = failures === 0 && status === 'ok'
      const last = { begunAt, took: done.took }
      runs = { interval, last, failures, succeeded: isUpToDate ? last : runs?.succeeded, since }
      used.forecaster.refresh(state, countedPast.current())
      countedPast.refresh(state, signal)
      if (recommends(current())) adviser.refresh(state, signal)
      warmUps.refresh(state)
      await afterTurn(done.took)
      return { failures, nextLook: nextHistories() }
    },
    // after a failure to store prices the plan used is an older one
    idle: () =>
      Promise.all([
        livePlan.idle(),
        used.forecaster.idle(),
        adviser.idle(),
        countedPast.idle(),
        warmUps.idle(),
      ]),
  }
}
