// Account runners, one per account, and the one snapshot of all.
import { insecureSettings, type AccountConfig, type Config } from '../../config/load.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { decidedCompute } from '../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import type { BrakeName } from '../../model/policy/brakes.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { coalesce } from '../../std/coalesce.ts'
import { exportedAccount, type ExportedAccount } from '../history/export.ts'
import type { Adviser } from '../advice/adviser.ts'
import { createDecidedChanges } from '../changes/decided/decided-changes.ts'
import { endChangesOf } from '../changes/decided/end-unwanted.ts'
import { createKillSwitch } from '../changes/kill-switch.ts'
import { jobStatus } from '../snapshot/job-status.ts'
import { buildSnapshot, createSnapshotBuilder } from '../snapshot/snapshot.ts'
import { createAccountRunner, type RunnerEnvironment, type RunnersEnvironment } from './account-runner.ts'

export type AccountRunners = Awaited<ReturnType<typeof createAccountRunners>>

type RunnerOutputs = Readonly<{
  portsOf: (account: AccountConfig) => Ports
  /** Makes it visible to all outputs. */
  publish: (snapshot: Snapshot) => Promise<void>
}>

/** @param current read at the start of each turn and each snapshot */
export async function createAccountRunners(
  current: () => Config,
  environment: RunnersEnvironment,
  { portsOf, publish }: RunnerOutputs,
) {
  const { clock, log } = environment
  const openSnapshot = createSnapshotBuilder()
  let snapshot: Snapshot | undefined
  let passSeconds = seconds(0)

  const publishNext = async () => {
    const { metrics, poll, reading, owners, windows } = current()
    const passes = jobStatus(
      'pass',
      all.flatMap((runner) => runner.runs() ?? []),
    )
    const open = openSnapshot({
      now: clock.now(),
      version: (snapshot?.version ?? 0) + 1,
      passSeconds,
      jobs: passes ? [passes] : [],
      insecure: insecureSettings(current()),
      engagedBrakes: engagedBrakes(),
      windows,
      staleAfter: seconds(metrics.staleAfter * poll.interval),
      activityLag: reading.activityLag,
      owners,
    })
    const inputs = all.map((runner) => runner.input())
    const next = await buildSnapshot(open, inputs, clock)
    await publish(next)
    // whoever reads this snapshot finds it in the metrics, too
    snapshot = next
    await decidedChanges.decide(next)
    for (const { account, changes } of all) {
      const { store, send, now } = changes
      // oxlint-disable-next-line no-await-in-loop -- few accounts
      await killSwitch.announce({ account, store, send, at: now() })
    }
  }
  const engagedBrakes = (): readonly BrakeName[] => [
    ...(killSwitch.isEngaged() ? (['kill_switch'] as const) : []),
    ...all.flatMap(({ changes }) => changes.engagedBrakes()),
  ]
  const publishNow = coalesce(publishNext, (err) => {
    log.error({ err }, 'the state after a pass could not be shown, the one before stays')
  })
  const afterTurn = (took: Seconds) => {
    passSeconds = took
    return publishNow()
  }
  // of computes that passes see and changes that move on, only after all of this is made
  const foreignWatch: RunnerEnvironment['foreignWatch'] = {
    observed: (...seen) => decidedChanges.foreignWatch.observed(...seen),
    moved: (change) => decidedChanges.foreignWatch.moved(change),
  }
  const killSwitch = await createKillSwitch({ config: current, store: environment.store })
  const all = await Promise.all(
    current().accounts.map((account) => {
      const ports = portsOf(account)
      return createAccountRunner(account, current, {
        ...environment,
        killSwitch,
        ports,
        afterTurn,
        foreignWatch,
        nearlySpent: () => decidedChanges.nearlySpent(account.name),
      })
    }),
  )
  const of = (account: string) => {
    const runner = all.find((one) => one.account === account)
    if (!runner) throw new Error(`no account is called ${account}`)
    return runner
  }
  const decidedChanges = createDecidedChanges({
    ...environment,
    journal: environment.store,
    history: environment.store,
    config: current,
    runnerOf: (account) => of(account).changes,
  })
  return {
    killSwitch,
    decisionOf: decidedChanges.decisionOf,
    warmUpsOf: (view: ComputeView) => {
      const { target } = decidedCompute(view)
      return of(target.ref.account).warmUps.viewOf(view.identity.ref, target)
    },
    previewBudget: decidedChanges.previewBudget,
    putBacksIn: decidedChanges.putBacksIn,
    /** @throws where no account has the name */
    of,
    /** In the order of the configuration. */
    all,
    /** Undefined before the first pass ended. */
    snapshot: () => snapshot,
    /** For the history of each account. */
    accounts: (): readonly ExportedAccount[] =>
      all.map((runner) => exportedAccount(runner.state().ledger, runner.prices().currency)),
    /** As an adviser does; changes that wait for a dismissed one end. */
    changeRecommendation: (async (recommendation, change) => {
      const { account } = recommendation.ref
      const changed = await of(account).changeRecommendation(recommendation, change)
      if (changed.ok)
        await endChangesOf(
          { journal: environment.store, runnerOf: (name) => of(name).changes },
          changed.value,
        )
      return changed
    }) satisfies Adviser['change'],
    /** Resolves when nothing runs beside the turns. */
    idle: () => Promise.all(all.map((runner) => runner.idle())).then(() => undefined),
  }
}
