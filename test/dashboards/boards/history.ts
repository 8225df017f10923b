// Samples of some hours for Prometheus: account runners over a simulated service, scraped through the real listener.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Config } from '../../../src/config/load.ts'
import { loadConfig } from '../../config/loading.ts'
import { recordRequests } from '../../../src/daemon/http/listeners.ts'
import { createExposition, daemonInfoOf } from '../../../src/daemon/snapshot/exposition.ts'
import { createAccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import type { DaemonInfo } from '../../../src/outputs/metrics/collect/collect.ts'
import { createSelfMetrics, type SelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { instant, seconds, type Seconds } from '../../../src/model/units.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { START } from '../../local/control/build.ts'
import { seeded } from '../../simulation/seeded.ts'
import { createWorld, type World } from '../../simulation/world.ts'
import { makeFolder } from '../../local/support.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { CONFIG, HOURS, PAST_DAYS, readingOf, usesOf } from './fleet.ts'
import { countedService, happen, toldTo, troubled } from './troubles.ts'
import { recommendation, sizingRecommendation, withAdvice } from '../../support/recommendations.ts'
import { changeOf, tallyOf, withChanges } from '../../support/changes.ts'
import { environmentOf, noRedactor } from '../../support/secrets.ts'

export type History = {
  /** As `promtool tsdb create-blocks-from openmetrics` reads it. */
  readonly openmetrics: string
  /** Seconds since 1970. */
  readonly from: number
  readonly to: number
}

const MINUTE = seconds(60)
const PASSES = HOURS * 60
/** Seconds between scrapes: a rate over 5 minutes then has enough samples. */
const SCRAPE_EVERY = 2
const HEADERS = { accept: 'application/openmetrics-text; version=1.0.0' }

/** Recommendations of every compute: beside the passes nothing makes them here. */
const OPEN = [recommendation(), sizingRecommendation()]

/** Changes of every compute: the simulated service accepts none. */
const CHANGES = {
  open: [
    {
      change: changeOf(),
      hold: { because: 'outside-window', until: undefined, since: instant(START) } as const,
    },
  ],
  tallies: [tallyOf({ count: 2, interrupted: 3, avoided: 1 }), tallyOf({ outcome: 'failed' })],
}

/** Done ten days before the daemon starts: what it saved is counted. */
const DONE = changeOf({
  ref: { account: 'main', projectId: 'project-ep-lab-tail', endpointId: 'ep-lab-tail' },
  kind: 'delay',
  before: { autosuspendDelay: seconds(1800) },
  desired: { autosuspendDelay: seconds(900) },
  state: { at: 'done', because: 'verified', endedAt: instant(START + (PAST_DAYS - 10) * 86_400_000) },
})

export async function recordHistory(): Promise<History> {
  const folder = makeFolder()
  const random = seeded(3)
  const begin = START + PAST_DAYS * 86_400_000
  const clock = fakeClock(new Date(begin).toISOString())
  const world = createWorld(usesOf(random), {
    clock,
    random,
    count: (used, now) => used(now - 900_000),
  })
  const config = configOf(folder)
  const replicas = [
    replica(daemonInfoOf(config, '1.2.3', '0123456789ab'), clock),
    replica({ ...daemonInfoOf(config, '1.2.3', '0123456789ab'), maxSeries: 400 }, clock),
  ]
  const [first] = replicas
  if (!first) throw new Error('no replica')
  const { self } = first
  const store = openEmbeddedStore(folder, clock)
  const log = pino({ level: 'silent' })
  const machine = { clock, random, store, send: toldTo(self), self, log }
  const ports = { ...machine, store: store.account('main'), epoch: store.epoch, history: store }
  await addChange(ports.store, DONE, { at: instant(begin) })
  const lanes = await createAccountRunners(() => config, machine, {
    portsOf: () => portsOf(world, ports),
    publish: async (snapshot) => {
      for (const { exposition } of replicas)
        await exposition.publish(withChanges(withAdvice(snapshot, OPEN), CHANGES))
    },
  })
  const apps = replicas.map(({ exposition, counted }) =>
    telemetryApp({
      exposition,
      counted,
      clock: { yield: () => Promise.resolve() },
      snapshot: lanes.snapshot,
      healthy: () => true,
      notReady: () => undefined,
    }),
  )
  const signal = new AbortController().signal
  const lines: string[] = []
  const scrape = async (): Promise<void> => {
    for (const [index, app] of apps.entries()) {
      const text = await (await app.request('/metrics', { headers: HEADERS })).text()
      const target = `job="dormouse",instance="replica-${index}:9477"`
      lines.push(...sampled(text, target, clock.now() / 1000))
    }
  }
  try {
    for (let pass = 0; pass < PASSES; pass += 1) {
      happen(pass, { world, clock, replicas: replicas.map((one) => one.self) })
      const turns = lanes.all.map((lane) => lane.runPasses(signal))
      await clock.advance(MINUTE)
      await settled(Promise.all(turns), clock)
      if (pass % SCRAPE_EVERY === 0) await scrape()
    }
    await lanes.idle()
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { openmetrics: `${lines.join('\n')}\n# EOF\n`, from: begin / 1000, to: clock.now() / 1000 }
}

/** Waits for work outside the fake clock, such as compression. */
async function settled(
  turns: Promise<unknown>,
  clock: { advance(by: Seconds): Promise<void> },
): Promise<void> {
  const over = turns.then(() => true)
  for (let tries = 0; tries < 10_000; tries += 1) {
    // oxlint-disable-next-line no-await-in-loop -- until it is over
    if (await Promise.race([over, clock.advance(seconds(0)).then(() => false)])) return
  }
  throw new Error('a turn does not end within its minute')
}

function configOf(folder: string): Config {
  const path = join(folder, 'dormouse.yaml')
  writeFileSync(path, CONFIG)
  const loaded = loadConfig(path, environmentOf({ KEY: 'key' }))
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  return loaded.value
}

function replica(facts: DaemonInfo, clock: Clock) {
  const self = createSelfMetrics()
  const log = pino({ level: 'silent' })
  const exposition = createExposition(() => facts, { self, clock, log })
  return { self, exposition, counted: recordRequests({ self, clock }) }
}

/** Samples with the labels and time of a scrape. */
const sampled = (text: string, target: string, at: number): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const end = line.lastIndexOf(' ')
      const [series, value] = [line.slice(0, end), line.slice(end + 1)]
      const labelled = series.endsWith('}') ? `${series.slice(0, -1)},${target}}` : `${series}{${target}}`
      return `${labelled} ${value} ${at}`
    })

type Machine = Pick<Ports, 'clock' | 'random' | 'store' | 'epoch' | 'send' | 'history'> & {
  readonly self: SelfMetrics
}

/** Ports of the daemon, with requests counted as by the service client. */
function portsOf(world: World, { self, ...machine }: Machine): Ports {
  const service = countedService(troubled(world.service, machine.clock), self)
  return {
    ...machine,
    store: {
      ...machine.store,
      commit: async (...given) => {
        const committed = await machine.store.commit(...given)
        self.commit(0.002)
        return committed
      },
    },
    serviceTime: world.time,
    redact: noRedactor.redact,
    service,
    readings: {
      ...world.readings,
      read: async (compute, kind, signal) => {
        const result = await world.readings.read(compute, kind, signal)
        self.reading(kind, 0.05)
        return result.kind === 'read' ? readingOf(compute.endpointId, result.reading) : result
      },
    },
  }
}
