// A process of its own, for one number of series: what scraping costs it, and what the client library would.
import { get } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import { recordRequests } from '../../../src/daemon/http/listeners.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { createExposition } from '../../../src/daemon/snapshot/exposition.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import { assembleBody } from '../../../src/outputs/metrics/exposition/body.ts'
import { collectSamples } from '../../../src/outputs/metrics/collect/collect.ts'
import { createRenderer } from '../../../src/outputs/metrics/exposition/renderer.ts'
import { createSampleMemory, type Samples } from '../../../src/outputs/metrics/exposition/samples.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { micros } from '../../../src/model/units.ts'
import { FACTS, renderAll } from '../../support/exposed.ts'
import { busySnapshot } from '../../support/fleet-snapshot.ts'
import { changed, type Change } from './changed.ts'
import { comparable, createLibrary } from './library.ts'
import { viewWith } from '../../support/view-with.ts'

export type Measured = {
  readonly series: number
  readonly bytes: number
  readonly gzipBytes: number
  /** All times in milliseconds: of processor time where two are compared, because it does not tell how busy the machine is. */
  readonly collect: number
  readonly block: number
  readonly first: number
  readonly cached: number
  /** As the system sees it, with what is not collected yet. */
  readonly rssMb: number
  /** What is held: heap and buffers. */
  readonly keptMb: number
  readonly compared: readonly Compared[]
}

export type Compared = {
  readonly change: Change
  /** Of all values, the part that is another. */
  readonly share: number
  readonly ours: number
  readonly update: number
  readonly render: number
}

const ROUNDS = 45
/** In the first ones the engine still compiles. */
const WARM = 5

const facts = { ...FACTS, maxSeries: 10_000_000 }
const wanted = Number(process.argv[2])

/** Of processor time, which the system counts in steps that a median would show. */
const mean = (values: readonly number[]): number =>
  values.slice(WARM).reduce((sum, value) => sum + value, 0) / (values.length - WARM)

const median = (values: readonly number[]): number =>
  values.slice(WARM).toSorted((a, b) => a - b)[Math.floor((values.length - WARM) / 2)] ?? 0

/** Processor time of this thread, ms. */
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
const timed = async (work: () => unknown, now = cpu): Promise<number> => {
  const begun = now()
  await work()
  return now() - begun
}

function fleet(): Snapshot {
  const one = countOf(collectSamples(busySnapshot(100), facts).samples) / 100
  return busySnapshot(Math.max(1, Math.round(wanted / one)))
}
const countOf = (samples: Samples): number =>
  [...samples.values()].reduce((sum, { values }) => sum + values.length, 0)

/** One compute in ten has gone on being awake. */
const later = (snapshot: Snapshot, round: number): Snapshot => ({
  ...snapshot,
  version: round,
  computes: snapshot.computes.map((view, index) =>
    (index + round) % 10 === 0
      ? viewWith(view, {
          ledger: {
            counters: { ...view.ledger.counters, spend: micros(view.ledger.counters.spend + 17 * round) },
          },
        })
      : view,
  ),
})

/** Reads the answer to its end, as it comes: it is not decompressed here. */
const scrape = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = get(url, { headers: { 'accept-encoding': 'gzip' } }, (answer) =>
      answer.resume().once('end', resolve).once('error', reject),
    )
    asked.once('error', reject)
  })

/** Twice: what buffers hold is given back after those that nobody refers to were found. */
const collectGarbage = (): void => {
  global.gc?.()
  global.gc?.()
}

async function scraped(snapshot: Snapshot) {
  const [clock, self, log] = [createClock(), createSelfMetrics(), pino({ level: 'silent' })]
  const exposition = createExposition(() => facts, { self, clock, log })
  const counted = recordRequests({ self, clock })
  const app = telemetryApp({
    exposition,
    counted,
    clock,
    snapshot: () => snapshot,
    healthy: () => true,
    notReady: () => undefined,
  })
  await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'bench' })
  const url = `${urlOf(listener.address)}/metrics`
  // what the client takes is no part of what is measured
  await scrape(url)
  collectGarbage()
  const before = process.memoryUsage()
  const blocks = monitorEventLoopDelay({ resolution: 10 })
  const [first, cached, block]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = later(snapshot, round)
    blocks.reset()
    blocks.enable()
    await exposition.publish(next)
    blocks.disable()
    block.push(blocks.max / 1e6)
    first.push(
      await timed(
        () => scrape(url),
        () => performance.now(),
      ),
    )
    cached.push(
      await timed(
        () => scrape(url),
        () => performance.now(),
      ),
    )
  }
  const rss = process.memoryUsage.rss()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  const plain = await exposition.body({ format: 'text', gzip: false, names: [], projectId: undefined })
  const gzip = await exposition.body({ format: 'text', gzip: true, names: [], projectId: undefined })
  return {
    bytes: Buffer.concat(plain).length,
    gzipBytes: Buffer.concat(gzip).length,
    block: median(block),
    first: median(first),
    cached: median(cached),
    rssMb: (rss - before.rss) / 2 ** 20,
    keptMb: (heapUsed + external - before.heapUsed - before.external) / 2 ** 20,
  }
}

function shareOf(samples: Samples, next: Samples): number {
  let others = 0
  for (const [key, { values }] of samples)
    for (const [index, value] of values.entries()) if (next.get(key)?.values[index] !== value) others += 1
  return others / countOf(samples)
}

async function compared(samples: Samples, change: Change): Promise<Compared> {
  const library = createLibrary(samples)
  const renderer = createRenderer()
  const [ours, update, rendered]: [number[], number[], number[]] = [[], [], []]
  let before: Samples | undefined
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = changed(samples, change, round)
    ours.push(await timed(() => assembleBody(renderAll(next, renderer), 'text')))
    update.push(await timed(() => library.take(next, before)))
    rendered.push(await timed(async () => Buffer.from(await library.text())))
    before = next
  }
  return {
    change,
    share: shareOf(samples, changed(samples, change, 1)),
    ours: mean(ours),
    update: mean(update),
    render: mean(rendered),
  }
}

const snapshot = fleet()
const over = await scraped(snapshot)
const samples = comparable(collectSamples(snapshot, facts).samples)
const memory = createSampleMemory()
const collecting: number[] = []
for (let round = 0; round < ROUNDS; round += 1)
  collecting.push(await timed(() => collectSamples(snapshot, facts, memory)))
const measured: Measured = {
  ...over,
  series: countOf(samples),
  collect: mean(collecting),
  compared: [await compared(samples, 'all'), await compared(samples, 'awake')],
}
process.send?.(measured, () => process.exit(0))
