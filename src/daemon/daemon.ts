// The daemon: accounts on their loops, one snapshot, two listeners.
import type { Logger } from 'pino'
import { isReached } from '../model/observation.ts'
import { evaluateSchedule } from '../calendar/schedule.ts'
import type { Config, LoadedConfig } from '../config/load.ts'
import { createSelfMetrics } from '../outputs/metrics/self.ts'
import type { Event } from '../model/output/event-kinds.ts'
import type { Send } from '../model/ports/outbox.ts'
import type { Redactor } from '../std/redactor.ts'
import type { Result } from '../std/result.ts'
import { openStore } from '../store/open-store.ts'
import { createClock } from './clock.ts'
import { createNotifications } from './notify/notifications.ts'
import { createExposition, daemonInfoOf } from './snapshot/exposition.ts'
import { withPriceHistory } from './accounts/price-history.ts'
import { createAccountRunners, type AccountRunners } from './accounts/account-runners.ts'
import { NOT_READY } from './http/answers.ts'
import { openListeners } from './http/listeners.ts'
import { pageSourcesOf } from './http/pages/page-sources.ts'
import { logSink } from './log.ts'
import { MAX_BACKOFF_INTERVALS, passInterval, runLoop } from './loop.ts'
import { sendReportNow, runReportSchedule } from './reports/schedule.ts'
import { createLiveSettings } from './reload.ts'
import { createReportJob, reportSources } from './reports/job.ts'
import { createRandom } from './random.ts'
import { createPorts, recommends } from './accounts/ports.ts'
import type { ApiSources } from './http/app.ts'

type DaemonOptions = Readonly<{
  loaded: LoadedConfig
  /** Reads the configuration file again. */
  read: () => Result<LoadedConfig, readonly string[]>
  version: string
  log: Logger
  redactor: Redactor
}>

export type Daemon = Awaited<ReturnType<typeof startDaemon>>

/** Seconds after the longest wait from which a loop is stuck: a pass against a service that hardly answers takes less. */
const STUCK_AFTER = 600

/** Resolves when an opening pass of an account was answered. @throws when an address or the folder is taken, or every key is refused */
export async function startDaemon(options: DaemonOptions, signal: AbortSignal) {
  await using stack = new AsyncDisposableStack()
  const { read, version, log, redactor } = options
  const clock = createClock()
  const store = openStore(options.loaded.config.store, clock)
  stack.defer(() => store.close())
  const loaded = await withPriceHistory(options.loaded, store, clock.now())
  const { config } = loaded
  const self = createSelfMetrics()
  const settings = createLiveSettings(loaded, read, { clock, self, log })
  const info = () => daemonInfoOf(settings.config(), version, settings.hash())
  const exposition = createExposition(info, { self, clock, log })
  const gate = createEventGate(logSink(log))
  const machine = { clock, random: createRandom(), store, send: gate.send, self, log, redactor }
  const runners = await createAccountRunners(settings.config, machine, {
    portsOf: (account) => createPorts(account, config, machine),
    publish: (snapshot) => exposition.publish(snapshot),
  })
  stack.defer(runners.idle)
  const deliveries = createNotifications(settings.config, runners, machine)
  await deliveries.begin()
  const reports = createReportJob(settings.config, runners, machine)
  const reload = async () => {
    const reloaded = settings.reload()
    if (reloaded.ok) await deliveries.follow()
    // a change may wait for another mode
    for (const { changes } of runners.all) changes.wake()
    return reloaded
  }
  const longestWait = MAX_BACKOFF_INTERVALS * config.poll.interval + STUCK_AFTER
  const telemetry = {
    exposition,
    clock,
    snapshot: runners.snapshot,
    healthy: () => runners.all.every((runner) => clock.monotonic() - runner.lastStartedAt() < longestWait),
    notReady: () => reasonNotReady(runners),
  }
  const changes = {
    ...machine,
    snapshot: runners.snapshot,
    killSwitch: runners.killSwitch,
    runnerOf: (account: string) => runners.of(account).changes,
    journal: store,
    history: store,
    config: settings.config,
    decisionOf: runners.decisionOf,
    warmUpsOf: runners.warmUpsOf,
    putBacksIn: runners.putBacksIn,
  }
  const api: ApiSources = {
    ...runners,
    ...pageSourcesOf(config, runners),
    windows: () => settings.config().windows,
    appliesChanges: () => settings.config().policies.appliesChanges,
    managerOf: (target) => settings.config().policies.managerOf(target),
    history: store,
    archive: store,
    clock,
    reload,
    nextReportAt: (now) => evaluateSchedule(reports.schedule(), undefined, now).next,
    reports: () => reportSources(settings.config(), runners, store),
    changes,
    budgetPlans: {
      ...changes,
      previewBudget: runners.previewBudget,
      pricesOf: (account) => runners.of(account).prices(),
    },
    ...(recommends(config) && { dismissals: { change: runners.changeRecommendation, log } }),
    sender: () => (reports.sinks().length > 0 ? (account) => sendReportNow(reports, account) : undefined),
  }
  const listeners = await openListeners(settings.config, { telemetry, api }, machine)
  const { telemetryUrl, apiUrl } = stack.use(listeners)
  const opened = runners.all.map((runner) => runner.open(signal))
  const first = runners.all.map(async (runner, index) => {
    const turn = await opened[index]
    // asking once more at once would not help
    return turn && turn.failures > 0 ? turn : runner.runPasses(signal)
  })
  await waitForAcceptedKey(runners, opened, config)
  await gate.open()
  const open = stack.move()
  return {
    telemetryUrl,
    apiUrl,
    /** Takes over the configuration file from the next pass on, or nothing of it. */
    reload,
    /** After the last pass. */
    snapshot: runners.snapshot,
    /** Resolves when every account had its first turn. */
    firstPass: Promise.all(first).then(() => undefined),
    /** Until `until` aborts; resolves when listeners and store are closed. */
    run: async (until: AbortSignal) => {
      await using _ = open
      const interval = passInterval(config.poll.interval)
      await Promise.all([
        // deliveries and reports need owners and spend, known after a pass
        Promise.all(first).then(() =>
          Promise.all([deliveries.run(until), runReportSchedule(reports, until)]),
        ),
        ...runners.all.map(async (runner, index) => {
          await first[index]
          await Promise.all([runner.changes.run(until), runner.warmUps.run(until)])
        }),
        ...runners.all.map(async (runner, index) => {
          const begun = await first[index]
          const lastStartedAt = runner.lastStartedAt()
          const turn = () => runner.runPasses(until)
          await runLoop(clock, { interval, turn, lastStartedAt, ...begun }, until)
        }),
      ])
    },
  }
}

/** Holds events back until opened: a daemon that does not start gives the reason once. */
function createEventGate(send: Send) {
  let pending: readonly Event[] | undefined = []
  return {
    send: (events: readonly Event[]) => {
      if (!pending) return send(events)
      pending = [...pending, ...events]
      return Promise.resolve([])
    },
    open: async () => {
      const events = pending ?? []
      pending = undefined
      await send(events)
    },
  }
}

/** With one right key the daemon runs. @throws when every key was refused */
async function waitForAcceptedKey(
  { all }: AccountRunners,
  opened: readonly Promise<unknown>[],
  config: Config,
) {
  const accepted = all.map(async (runner, index) => {
    await opened[index]
    if (runner.state().service.status === 'unauthorized') throw new Error('refused')
  })
  await Promise.any(accepted).catch(() => {
    const names = config.accounts.map(({ name, key }) => `account ${name} (${key.from})`).join(', ')
    throw new Error(`the service refuses the API key (401): it is wrong or revoked: ${names}`)
  })
}

function reasonNotReady({ all, snapshot }: AccountRunners) {
  if (!snapshot()) return NOT_READY
  const reasons = all.flatMap((runner) => {
    const { ledger, service, persistence } = runner.state()
    const { status = 'unavailable' } = service
    if (isReached(status) && persistence.isPersisted) return []
    return [`account ${ledger.account}: ${isReached(status) ? 'its ledger cannot be stored' : status}`]
  })
  return reasons.length === 0 ? undefined : reasons.join('; ')
}
