// The daemon of the benchmark, as a process of its own: node watch.ts ORDER, started by fleet.ts. It is the daemon's own
// loop, store, snapshot and exposition; what it knew, and when, is noted on the way.
import { pino } from 'pino'
import { goingOn } from '../../../src/account/as-of.ts'
import { loadConfig, type AccountConfig, type Config } from '../../../src/config/load.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { createExposition, factsOf } from '../../../src/daemon/exposition.ts'
import { createLanes } from '../../../src/daemon/lanes.ts'
import { loop } from '../../../src/daemon/loop.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import { portsOf } from '../../../src/daemon/wire.ts'
import { createSelfMetrics } from '../../../src/metrics/self.ts'
import { largestCu, smallestCu } from '../../../src/model/compute.ts'
import type { ComputeAccount } from '../../../src/model/ledger.ts'
import { awakeEffect } from '../../../src/model/operation.ts'
import type { Batch, Ports, Store } from '../../../src/model/ports.ts'
import type { AwakeSlice, Span } from '../../../src/model/slice.ts'
import { seconds } from '../../../src/model/units.ts'
import { openEmbeddedStore } from '../../../src/store/embedded.ts'
import { watchBlocks, type Blocks } from './blocks.ts'
import { createListAges, type Account, type AgeFigures, type Known, type Window } from './judge.ts'

/** `late`: how long a transition may take to be known, s. */
export type WatchOrder = { readonly configFile: string; readonly from: number; readonly late: number }

export type Watched = {
  readonly window: Window
  readonly ages: AgeFigures
  readonly known: readonly Known[]
  /** The end of the window is left out: what happened there may be known later. */
  readonly accountsWithin: Window
  readonly accounts: readonly Account[]
  /** Endpoint ids of computes whose size moves inside a range: without readings nothing tells where it is. */
  readonly ranged: readonly string[]
  readonly passes: number
  /** Of the longest pass and of the mean one, s. */
  readonly passSeconds: { readonly longest: number; readonly mean: number }
  readonly cpuShare: number
  readonly rssBytes: number
  readonly heapBytes: number
  readonly blocks: Blocks
  readonly series: number
  readonly scrapeMillis: number
}

const { configFile, from, late } = JSON.parse(process.argv[2] ?? '') as WatchOrder
const loaded = loadConfig(configFile, process.env)
if (!loaded.ok) throw new Error(loaded.error.join('\n'))
const config: Config = loaded.value
const clock = createClock()
const ages = createListAges()
const known = new Map<string, Known>()
const slices: AwakeSlice[] = []

function note(batch: Batch): void {
  const knownAt = clock.now()
  for (const account of batch.computes) for (const edge of edgesOf(account)) noteEdge(edge, knownAt)
  if ('slices' in batch) slices.push(...(batch.slices as { readonly settled: readonly AwakeSlice[] }).settled)
}

type EdgeSeen = Omit<Known, 'knownAt'>

function noteEdge(edge: EdgeSeen, knownAt: number): void {
  const key = `${edge.endpointId} ${edge.kind} ${edge.earliest}`
  if (!known.has(key)) known.set(key, { ...edge, knownAt })
}

/** What the account knows of starts and ends, dated to the second. */
function edgesOf({
  ref: { endpointId },
  evidence: { starts, ends, operations },
}: ComputeAccount): EdgeSeen[] {
  const edge = (kind: EdgeSeen['kind'], at: number): EdgeSeen => ({
    endpointId,
    kind,
    earliest: at,
    latest: at + 1000,
  })
  return [
    ...starts.map((at) => edge('wake', at)),
    ...ends.map((at) => edge('suspension', at)),
    ...operations.flatMap((operation) => {
      const effect = awakeEffect(operation)
      return effect ? [edge(effect === 'starts' ? 'wake' : 'suspension', operation.updatedAt)] : []
    }),
  ]
}

function watched(ports: Ports): Ports {
  const listProjectsPage: Ports['service']['listProjectsPage'] = async (cursor, signal) => {
    const page = await ports.service.listProjectsPage(cursor, signal)
    const at = clock.now()
    if (page.ok) for (const { projectId } of page.value.items) ages.note(projectId, at)
    return page
  }
  const commit: Store['commit'] = async (batch) => {
    await ports.store.commit(batch)
    note(batch)
  }
  return { ...ports, service: { ...ports.service, listProjectsPage }, store: { ...ports.store, commit } }
}

const stop = new AbortController()
const store = openEmbeddedStore(config.store.folder, clock)
const self = createSelfMetrics()
const pause = (): Promise<void> => clock.sleep(seconds(0), stop.signal)
const log = pino({ level: 'silent' })
const exposition = createExposition(() => factsOf(config, 'bench', ''), { self, clock, log, pause })
const scrape = { format: 'text', gzip: false, names: [], projectId: undefined } as const
const machine = {
  clock,
  random: createRandom(),
  store,
  send: () => Promise.resolve([]),
  self,
  log,
}
const lanes = await createLanes(() => config, machine, {
  portsOf: (account: AccountConfig) => watched(portsOf(account, config, machine)),
  publish: (snapshot) => exposition.publish(snapshot),
  pause,
})
const lane = firstOf(lanes.all)

const blocks = watchBlocks()
const begunAt = clock.monotonic()
const cpuBefore = process.cpuUsage()
const passes: number[] = []
let rssBytes = 0
let scrapeMillis = 0

const scraping = (async () => {
  while (!stop.signal.aborted) {
    await clock.sleep(seconds(15), stop.signal)
    const asked = clock.monotonic()
    await exposition.body({ ...scrape, gzip: true })
    scrapeMillis = Math.max(scrapeMillis, (clock.monotonic() - asked) * 1000)
    rssBytes = Math.max(rssBytes, process.memoryUsage.rss())
  }
})()

const oneTurn = async (): Promise<number> => {
  const begun = clock.monotonic()
  const failures = await lane.turn(stop.signal)
  passes.push(clock.monotonic() - begun)
  rssBytes = Math.max(rssBytes, process.memoryUsage.rss())
  return failures
}

process.on('message', () => stop.abort())
process.on('disconnect', () => process.exit(0))
process.send?.('begun')
await oneTurn()
await loop(clock, { interval: config.poll.interval, turn: oneTurn, turnedAt: lane.turnedAt() }, stop.signal)
await scraping
const { user, system } = process.cpuUsage(cpuBefore)
const elapsed = clock.monotonic() - begunAt
const window = { from, to: clock.now() }
const settled = { from, to: window.to - late * 1000 }
const told: Watched = {
  window,
  ages: ages.figures(window.to),
  known: [...known.values()],
  accountsWithin: settled,
  accounts: accountsIn(settled),
  ranged: [...lane.state().ledger.computes.values()].flatMap(({ ref, compute }) =>
    smallestCu(compute.sizing) < largestCu(compute.sizing) ? [ref.endpointId] : [],
  ),
  passes: passes.length,
  passSeconds: {
    longest: Math.max(...passes),
    mean: passes.reduce((sum, took) => sum + took, 0) / passes.length,
  },
  cpuShare: (user + system) / 1e6 / elapsed,
  rssBytes,
  heapBytes: process.memoryUsage().heapUsed,
  blocks: blocks.stop(),
  series: (await exposition.body(scrape)).toString().match(/^[^#\n]/gm)?.length ?? 0,
  scrapeMillis,
}
await store.close()
process.send?.(told, () => process.exit(0))

/** CU-seconds within the window: what is settled, what is not, and what may have gone on since it was last looked at. */
function accountsIn(within: Window): Account[] {
  const sums = new Map<string, { low: number; likely: number; high: number }>()
  const sumOf = (endpointId: string): { low: number; likely: number; high: number } => {
    const sum = sums.get(endpointId) ?? { low: 0, likely: 0, high: 0 }
    sums.set(endpointId, sum)
    return sum
  }
  const add = ({ ref, low, likely, high, size }: AwakeSlice): void => {
    const sum = sumOf(ref.endpointId)
    sum.low += overlap(low, within) * size.low
    sum.likely += overlap(likely, within) * size.likely
    sum.high += overlap(high, within) * size.high
  }
  for (const slice of slices) add(slice)
  const { computes } = lane.state().ledger
  for (const account of computes.values()) {
    for (const slice of account.unsettled) add(slice)
    const project = lane.state().ledger.projects.get(account.ref.projectId)
    const slice = goingOn(account, { prices: lane.prices, project, now: clock.now() })
    if (slice) add(slice)
  }
  return [...sums].map(([endpointId, sum]) => ({ endpointId, ...sum }))
}

function firstOf<Item>([first]: readonly Item[]): Item {
  if (!first) throw new Error('the benchmark needs an account')
  return first
}

function overlap([begin, end]: Span, { from: first, to: last }: Window): number {
  return Math.max(0, Math.min(end, last) - Math.max(begin, first)) / 1000
}
