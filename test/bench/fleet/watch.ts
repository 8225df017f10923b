// The daemon of the benchmark, as a process of its own: node watch.ts ORDER, started by fleet.ts. It is the daemon's own
// loop, store, snapshot and exposition; what it knew, and when, is noted on the way.
import { pino } from 'pino'
import { loadWithSource, type AccountConfig } from '../../../src/config/load.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { createExposition, daemonInfoOf } from '../../../src/daemon/snapshot/exposition.ts'
import { createAccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { runLoop, passInterval, type LoopTurn } from '../../../src/daemon/loop.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import { createPorts } from '../../../src/daemon/accounts/ports.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { watchBlocks, type Blocks } from './blocks.ts'
import type { Account, AgeFigures, Known, Window } from './judge.ts'
import { createNotes, rangedIn } from './notes.ts'
import { addOpenChanges } from './open-changes.ts'
import { environmentOf, noRedactor } from '../../support/secrets.ts'

export type WatchOrder = {
  readonly configFile: string
  /** By the clock of the service. */
  readonly from: number
  /** How far the machine's clock is ahead of that of the service, ms. */
  readonly ahead: number
  /** How long a transition may take to be known, s. */
  readonly late: number
  /** Changes of sizes that are open from the end of the first turn on. */
  readonly changes: number
}

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
  /** Of the apply loop, a minute. */
  readonly changeRequests: number
  readonly changesOpen: number
}

const { configFile, from, ahead, late, changes } = JSON.parse(process.argv[2] ?? '') as WatchOrder
const loaded = loadWithSource(configFile, environmentOf(process.env))
if (!loaded.ok) throw new Error(loaded.error.join('\n'))
const { config } = loaded.value
const machineClock = createClock()
const clock = { ...machineClock, now: () => instant(machineClock.now() - ahead) }
const notes = createNotes(() => clock.now())

const stop = new AbortController()
const store = openEmbeddedStore(config.store.folder, clock)
const metrics = createSelfMetrics()
let changeRequests = 0
const self: typeof metrics = {
  ...metrics,
  request: (result) => {
    if (result.priority === 'apply' || result.priority === 'verify') changeRequests += 1
    metrics.request(result)
  },
}
const log = pino({ level: 'silent' })
const exposition = createExposition(() => daemonInfoOf(config, 'bench', ''), { self, clock, log })
const scrape = { format: 'text', gzip: false, names: [], projectId: undefined } as const
const machine = {
  clock,
  random: createRandom(),
  store,
  send: () => Promise.resolve([]),
  self,
  log,
  redactor: noRedactor,
}
const lanes = await createAccountRunners(() => config, machine, {
  portsOf: (account: AccountConfig) => notes.watched(createPorts(account, config, machine)),
  publish: (snapshot) => exposition.publish(snapshot),
})
const lane = firstOf(lanes.all)
notes.begin(lane.state().ledger)

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

const oneTurn = async (): Promise<LoopTurn> => {
  const begun = clock.monotonic()
  const turn = await lane.runPasses(stop.signal)
  passes.push(clock.monotonic() - begun)
  rssBytes = Math.max(rssBytes, process.memoryUsage.rss())
  return turn
}

process.on('message', () => stop.abort())
process.on('disconnect', () => process.exit(0))
process.send?.('begun')
await oneTurn()
await addOpenChanges(store, { ledger: lane.state().ledger, count: changes, now: clock.now() })
const applying = lane.changes.run(stop.signal)
await runLoop(
  clock,
  { interval: passInterval(config.poll.interval), turn: oneTurn, lastStartedAt: lane.lastStartedAt() },
  stop.signal,
)
await Promise.all([scraping, applying])
const blocked = blocks.stop()
const { user, system } = process.cpuUsage(cpuBefore)
const elapsed = clock.monotonic() - begunAt
const window = { from, to: clock.now() }
const settled = { from, to: window.to - late * 1000 }
const told: Watched = {
  window,
  ages: notes.ages(window.to),
  known: notes.known(),
  accountsWithin: settled,
  accounts: notes.accountsIn(settled, lane.state().ledger, lane.prices()),
  ranged: rangedIn(lane.state().ledger),
  passes: passes.length,
  passSeconds: {
    longest: Math.max(...passes),
    mean: passes.reduce((sum, took) => sum + took, 0) / passes.length,
  },
  cpuShare: (user + system) / 1e6 / elapsed,
  rssBytes,
  heapBytes: process.memoryUsage().heapUsed,
  blocks: blocked,
  series: (await exposition.body(scrape)).toString().match(/^[^#\n]/gm)?.length ?? 0,
  scrapeMillis,
  changeRequests: (60 * changeRequests) / elapsed,
  changesOpen: lane.changes.open().length,
}
await store.close()
process.send?.(told, () => process.exit(0))

function firstOf<Item>([first]: readonly Item[]): Item {
  if (!first) throw new Error('the benchmark needs an account')
  return first
}
