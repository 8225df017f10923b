// Builders for what the store keeps.
import type { AutosuspendDelay, ComputeRef } from '../../src/model/service/compute.ts'
import type { Gap, ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { Life, Recommendation } from '../../src/model/policy/recommendation.ts'
import type { Edge } from '../../src/model/ledger/evidence.ts'
import {
  NO_READING_COUNTS,
  type ComputeEntry,
  type Ledger,
  type SettledInterval,
} from '../../src/model/ledger/ledger.ts'
import type { DayRow } from '../../src/model/ledger/quantities.ts'
import { FINE_STEP, type Rollup } from '../../src/model/ledger/rollup.ts'
import { toIso } from '../../src/model/time.ts'
import {
  bytes,
  cu,
  cuMillis,
  instant,
  micros,
  millis,
  ratio,
  seconds,
  type Seconds,
} from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../support/build.ts'
import type { Rows } from '../support/writes.ts'

export const refOf = (endpointId: string, projectId = 'project-one'): ComputeRef => ({
  account: 'main',
  projectId,
  endpointId,
})

const edge = (when: number): Edge => ({
  earliest: at(when - 0.25),
  likely: instant(at(when)),
  latest: at(when + 0.25),
  source: 'record',
})

/** 50 seconds awake from second `from` on. */
export const intervalAt = (ref: ComputeRef, from: number): SettledInterval => ({
  ref,
  interval: { from: edge(from), to: edge(from + 50), knownUntil: at(from + 50), restart: from === 200 },
  cuTime: { 106000: { low: cuMillis(49_500), likely: cuMillis(50_000), high: cuMillis(50_500) } },
  idleTail: millis(10_000),
  attribution: { 'clients/web//': millis(40_000) },
})

/** The `day`-th day, in its `version`. */
export const dayAt = (ref: ComputeRef, day: number, version = 1): DayRow => ({
  ref,
  date: toIso(at(day * 86_400)).slice(0, 10),
  from: at(day * 86_400),
  to: at((day + 1) * 86_400),
  awake: { low: millis(1000), likely: millis(2000 + version), high: millis(3000) },
  cuTime: { 106000: { low: cuMillis(1000), likely: cuMillis(2000), high: cuMillis(3000) } },
  idleTail: millis(500),
  observerOverhead: millis(5),
  wakes: 3,
  version,
})

/** A stretch that begins at second `from`, full of everything. */
export const rollupAt = (ref: ComputeRef, from: number, length: Seconds = FINE_STEP): Rollup => ({
  ref,
  length,
  from: at(from),
  time: { init: millis(1), active: millis(length * 900), idle: millis(2) },
  followed: millis(length * 800),
  readings: 3,
  size: { count: 4, sum: 3.25, min: cu(0.25), max: cu(2), source: 'estimated' },
  connections: {
    count: 3,
    all: { sum: 40, max: 20 },
    active: { sum: 10, max: 9 },
    idle: { sum: 24, max: 11 },
    idleInTransaction: { sum: 5, max: 5 },
    other: { sum: 1, max: 1 },
  },
  connectionLimit: 447,
  idleAtSuspension: { count: 1, sum: 11, max: 11 },
  cache: { hits: 123_456_789, misses: 4321, warmHits: 123_000_000, warmMisses: 321, over: millis(298_000) },
  cacheUsed: bytes(1.5 * 2 ** 33),
  cacheLimit: bytes(2 ** 34),
  workingSet: bytes(2 ** 31),
  use: { arrivals: 17, activeTime: millis(123_456), over: millis(299_000) },
  longestTransaction: seconds(12.5),
  culprits: ['web', 'worker', 'cron', 'psql', ''].map((name) => ({
    culprit: `clients/${name}/app/shop`,
    share: ratio(0.2),
  })),
})

/** Ten minutes without activity, from second `from` on. */
export const gapAt = (ref: ComputeRef, from: number, over: Partial<Gap> = {}): Gap => ({
  ref,
  from: at(from),
  low: seconds(600),
  high: seconds(630),
  hiddenBelow: seconds(0),
  ...over,
})

export const settingAt = (ref: ComputeRef, since: number, delay: AutosuspendDelay): ObservedSetting => ({
  ref,
  since: at(since),
  delay,
  sizing: { min: cu(0.25), max: cu(2) },
})

/** The `n`-th of a compute, opened at second `n`. */
export const recommendationOf = (
  ref: ComputeRef,
  n: number,
  life: Life = { state: 'open' },
): Recommendation => ({
  ref,
  kind: 'delay',
  id: `${ref.endpointId}.delay.${n}`,
  hash: `hash-${n}`,
  openedAt: at(n),
  confirmedAt: at(n + 1),
  life,
  from: { delay: 'never' },
  to: { delay: seconds(300) },
  restarts: false,
  spend: { low: micros(1), likely: micros(2), high: micros(3) },
  saving: { low: micros(-1), likely: micros(1), high: micros(2) },
  effect: {
    wakesPerDay: { before: 0, after: 3.5 },
    sessionsCut: 2,
    connections: { peak: 17, limit: 97 },
  },
  confidence: 'medium',
  grounds: {
    from: at(-86_400),
    to: at(0),
    days: 1,
    followed: ratio(0.98),
    cu: { low: cu(0.25), likely: cu(0.5), high: cu(2) },
    perCuHour: micros(106_000),
    gaps: [{ low: seconds(60), high: seconds(65), count: 12 }],
  },
  alternatives: [],
})

/** The account of a compute that was looked at once. */
export function computeOf(endpointId: string, projectId = 'project-one'): ComputeEntry {
  const seen = look(100, {
    endpointId,
    projectId,
    startedAt: at(10),
    suspendedAt: at(70),
    lastActive: at(60),
  })
  const { rows: seenOnce } = accounted(ledger(), sweep(100, { looks: [seen] }), {
    prices,
    overhead: 0.01,
    now: at(100),
  })
  const [account] = seenOnce.computes
  if (!account) throw new Error('a look makes an account')
  return account
}

/**
 * The `index`-th of many batches of one compute, each with one interval and one rollup; what a killed writer left can be
 * told from how many it had acknowledged.
 */
export const numbered = (index: number): Partial<Rows> => ({
  readings: { ...NO_READING_COUNTS, ok: index },
  computes: [computeOf('ep-one')],
  settled: [intervalAt(refOf('ep-one'), index * 100)],
  rollups: [rollupAt(refOf('ep-one'), index * 300)],
})

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** As text would keep it: what is undefined is left out. */
export const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** What one look at a compute leaves, `intervals` awake intervals of it settled. */
export const seen = (endpointId: string, when = 2000): { readonly ledger: Ledger; readonly rows: Rows } =>
  accounted(
    ledger(),
    sweep(when, {
      looks: [look(when, { endpointId, startedAt: at(10), suspendedAt: at(70), lastActive: at(60) })],
    }),
    { prices, overhead: 0.01, now: at(when) },
  )

/** From the beginning to the end. */
export const ALWAYS = { from: instant(0), to: at(1e9) }
