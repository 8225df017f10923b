// The daemon's own parts on a virtual clock: accounts on their loops, delivery, the report job, and the apps of both listeners.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hono } from 'hono'
import { pino } from 'pino'
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { evaluateSchedule } from '../../../src/calendar/schedule.ts'
import { loadWithSource, type AccountConfig } from '../../../src/config/load.ts'
import { createAccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { createPorts } from '../../../src/daemon/accounts/ports.ts'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { pageSourcesOf } from '../../../src/daemon/http/pages/page-sources.ts'
import { recordRequests } from '../../../src/daemon/http/listeners.ts'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import { runLoop, passInterval } from '../../../src/daemon/loop.ts'
import { createNotifications } from '../../../src/daemon/notify/notifications.ts'
import { createReportJob, reportSources } from '../../../src/daemon/reports/job.ts'
import { runReportSchedule } from '../../../src/daemon/reports/schedule.ts'
import { createExposition, daemonInfoOf } from '../../../src/daemon/snapshot/exposition.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { seconds } from '../../../src/model/units.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { seeded } from '../../simulation/seeded.ts'
import { Inside } from '../../support/inside.ts'
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts'
import { createLab, createMainReadings, startMain } from './accounts.ts'
import { configuration, ENVIRONMENT } from './configuration.ts'
import { environmentOf, noRedactor } from '../../support/secrets.ts'

/** Friday 00:00 in Berlin; the days before are backfilled. The week has 169 hours. */
const START = Date.parse('2026-10-22T22:00:00Z')
/** Until Monday 09:00 after it, an hour after the report. */
const SPAN = seconds(3 * 86_400 + 10 * 3600)
/** From the start: the service of `lab` is out for half an hour, seconds. */
const OUTAGE = { at: 86_400 + 10 * 3600, length: 1800 }

const NEVER = new AbortController().signal

/** One attempt to deliver something. */
export type Post = {
  readonly at: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly status: number
}

export type Outputs = {
  readonly clock: VirtualClock
  readonly telemetry: Hono
  readonly api: Hono
  readonly posts: readonly Post[]
  readonly events: readonly Event[]
  readonly close: () => Promise<void>
}

/** Runs the week; the apps then answer as of its end. */
export async function runWeek(): Promise<Outputs> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-outputs-'))
  const read = () => {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(file, configuration('data'))
    const loaded = loadWithSource(file, environmentOf(ENVIRONMENT))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value
  }
  const { config } = read()
  const virtual = createVirtualClock(START)
  // a yield takes no time
  const clock: VirtualClock = { ...virtual, yield: () => virtual.sleep(seconds(0), NEVER) }
  const random = seeded(7)
  const events: Event[] = []
  const stop = new AbortController()
  const service = await startMain(clock, random)
  const lab = createLab(clock, random)
  const store = standingStill(openEmbeddedStore(join(folder, 'data'), clock), clock)
  const log = pino({ level: 'warn' }, pino.destination(2))
  const self = createSelfMetrics()
  const send: Ports['send'] = (more) => {
    events.push(...more)
    return Promise.resolve([])
  }
  const dispatcher = new Inside(keyed(service), clock)
  const machine = { clock, random, store, send, self, log, redactor: noRedactor, dispatcher }
  const portsOf = (account: AccountConfig): Ports => {
    const ports = createPorts(account, config, machine)
    if (account.name === 'main') return { ...ports, readings: createMainReadings(service, clock) }
    const { service: api, time, readings } = lab
    return { ...ports, service: api, serviceTime: time, readings }
  }
  const current = () => config
  const exposition = createExposition(() => daemonInfoOf(config, 'bench', 'hash'), {
    self,
    clock,
    log,
  })
  const runners = await createAccountRunners(current, machine, {
    portsOf,
    publish: (snapshot) => exposition.publish(snapshot),
  })
  const notifications = createNotifications(current, runners, machine)
  const reports = createReportJob(current, runners, machine)
  const receivers = createReceivers(clock)
  const dispatcherBefore = getGlobalDispatcher()
  setGlobalDispatcher(receivers.dispatcher)

  const week = async (): Promise<void> => {
    await notifications.begin()
    await Promise.all(runners.all.map((runner) => runner.runPasses(stop.signal)))
    const end = clock.sleep(SPAN, stop.signal).then(() => stop.abort())
    const outage = clock
      .sleep(seconds(OUTAGE.at), stop.signal)
      .then(() => lab.breakUntil(clock.now() + 1000 * OUTAGE.length))
    await Promise.all([
      end,
      outage,
      notifications.run(stop.signal),
      runReportSchedule(reports, stop.signal),
      ...runners.all.map((runner) =>
        runLoop(
          clock,
          {
            interval: passInterval(config.poll.interval),
            turn: () => runner.runPasses(stop.signal),
            lastStartedAt: runner.lastStartedAt(),
          },
          stop.signal,
        ),
      ),
    ])
    await runners.idle()
  }
  await clock.run(week())
  setGlobalDispatcher(dispatcherBefore)
  const counted = recordRequests({ clock, self })
  return {
    clock,
    telemetry: telemetryApp({
      exposition,
      clock: { yield: () => Promise.resolve() },
      snapshot: runners.snapshot,
      counted,
      healthy: () => true,
      notReady: () => undefined,
    }),
    api: createApiApp({
      ...runners,
      ...pageSourcesOf(config, runners),
      windows: () => config.windows,
      appliesChanges: () => config.policies.appliesChanges,
      history: store,
      archive: store,
      clock,
      before: [counted],
      nextReportAt: (now) => evaluateSchedule(reports.schedule(), undefined, now).next,
      reports: () => reportSources(config, runners, store),
    }),
    posts: receivers.posts,
    events,
    close: async () => {
      await store.close()
      await service.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Commits and reports are compressed on another thread: time stands still meanwhile, so that every run is the same. */
function standingStill(store: ReturnType<typeof openEmbeddedStore>, clock: VirtualClock): typeof store {
  const still = async <Value>(work: Promise<Value>): Promise<Value> => {
    const release = clock.hold()
    try {
      return await work
    } finally {
      release()
    }
  }
  return {
    ...store,
    account: (name) => {
      const account = store.account(name)
      return { ...account, commit: (...given) => still(account.commit(...given)) }
    },
    report: (account, key) => still(store.report(account, key)),
  }
}

/** The simulated service makes its own key; every request gets it. */
const keyed =
  (service: Awaited<ReturnType<typeof startMain>>) =>
  (request: Request): Promise<Response> => {
    request.headers.set('authorization', `Bearer ${service.apiKey}`)
    return service.fetch(request)
  }

/** Takes what is delivered; the first attempt at each address is refused. */
function createReceivers(clock: VirtualClock): {
  readonly dispatcher: Inside
  readonly posts: readonly Post[]
} {
  const posts: Post[] = []
  const answer = async (request: Request): Promise<Response> => {
    const { url } = request
    const status = posts.some((post) => post.url === url) ? 204 : 503
    posts.push({
      at: new Date(clock.now()).toISOString(),
      url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      status,
    })
    return new Response(null, { status })
  }
  return { dispatcher: new Inside(answer, clock), posts }
}
