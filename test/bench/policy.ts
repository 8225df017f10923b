// Delay policies on recorded activity: what each costs beside the default and the clairvoyant, free and as deployed. With the lever `warm`
// also the policy of Dormouse with warm-ups, beside itself without them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { readTraceFile } from '../../src/cli/terminal/trace-file.ts'
import { activityIn, type ActivityTraces } from '../../src/replay/activity.ts'
import { POLICY_NAMES, replaySet, type PolicyGroup } from '../../src/replay/table.ts'
import type { Result } from '../../src/std/result.ts'
import type { Figures } from './run.ts'

/** Price of a wake, seconds. */
const WAKE_COSTS = [300, 900, 1800]
/** Shortest delay, minutes. */
const FLOOR = 1
/** Price of a start ahead of a client, seconds: it decides much of what warm-ups save. */
const START_COST = 5

/** Share of the clairvoyant saving of `dormouse`, %, by set, class and price of a wake. */
const GOALS: Readonly<Record<string, readonly number[]>> = {
  azapp2019_all: [68, 69, 81],
  azfunc2019_mid: [68, 74, 86],
  azfunc2019_low: [84, 31, 26],
  azfunc2019_high: [37, 68, 84],
  azfunc2019_rare: [93, 36, 6],
  'git-dev_all': [91, 46, 11],
  'git-team_all': [89, 34, 10],
}
/** The same of `recommended`. */
const RECOMMENDED_GOALS: typeof GOALS = { 'git-dev_all': [86, 40, 3], 'git-team_all': [86, 29, 2] }

/** The same of `dormouse` with warm-ups: more than the clairvoyant without them saves. */
const WARM_UP_GOALS: typeof GOALS = { azapp2019_all: [100, 100, 100], azfunc2019_mid: [100, 100, 100] }
/** Percent by which warm-ups may make any group dearer at any price of a wake. */
const DEARER_GOAL = 0.5

/** What `dormouse` may use beside the delay. */
export type BenchLevers = 'delay' | 'delay,warm'

export function delayPolicies(folder: string, levers: BenchLevers = 'delay'): Promise<Figures> {
  const sets = readdirSync(folder)
    .filter((file) => file.endsWith('.meta.csv'))
    .flatMap((file) => {
      const name = file.slice(0, -'.meta.csv'.length)
      const traces = activityOf(folder, name)
      return traces ? [{ name, traces }] : []
    })
  const rows: Figures['rows'][number][] = [['policy', `B = ${WAKE_COSTS.join(' / ')} s`, 'goal']]
  const json: Record<string, number> = {}
  const dearer: Dearer[] = []
  for (const { name, traces } of sets) {
    const replays = WAKE_COSTS.map((wakeCost) => replayOf(name, traces, { wakeCost }))
    const warm = levers === 'delay' ? [] : WAKE_COSTS.map((wakeCost) => warmReplayOf(name, traces, wakeCost))
    for (const [at, group] of (replays[0]?.free ?? []).entries())
      rows.push(...rowsOf(group, at, replays), ...warmUpRows(group, at, warm))
    dearer.push(...dearerIn(replays, warm))
    Object.assign(json, ...replays.map(delayJson), ...warm.map(warmUpJson))
  }
  return Promise.resolve({ rows: [...rows, ...dearestRows(dearer)], json })
}

type Replay = Readonly<{ free: readonly PolicyGroup[]; deployed: readonly PolicyGroup[] }>

/** With a start cost only `dormouse` is replayed: no other policy has warm-ups. Seconds. */
type Prices = Readonly<{ wakeCost: number; startCost?: number }>

function replayOf(name: string, traces: ActivityTraces, { wakeCost, startCost }: Prices): Replay {
  const options = {
    wakeCost: wakeCost / 60,
    startCost: startCost === undefined ? undefined : startCost / 60,
    floor: FLOOR,
    policies: startCost === undefined ? POLICY_NAMES : ['dormouse'],
    monotonic: () => performance.now(),
  }
  return {
    free: replaySet(name, traces, { ...options, asDeployed: false }),
    deployed: replaySet(name, traces, { ...options, asDeployed: true }),
  }
}

const warmReplayOf = (name: string, traces: ActivityTraces, wakeCost: number): Replay =>
  replayOf(name, traces, { wakeCost, startCost: START_COST })

function rowsOf(group: PolicyGroup, at: number, replays: readonly Replay[]): Figures['rows'] {
  const key = `${group.set}_${group.class}`
  return POLICY_NAMES.map((name, index) => {
    const figures = replays.map(
      ({ free, deployed }) => [free[at]?.policies[index], deployed[at]?.policies[index]] as const,
    )
    const shares = figures.map(([free]) => percent(free?.share_of_clairvoyant)).join('/')
    const deployed = figures.map(([, one]) => percent(one?.share_of_clairvoyant)).join('/')
    const costs = figures.map(([free]) => free?.cost_mean_pct.toFixed(2)).join('/')
    const first = figures[0]?.[0]
    const goals =
      name === 'dormouse' ? GOALS[key] : name === 'recommended' ? RECOMMENDED_GOALS[key] : undefined
    const value = `${shares.padEnd(14)} deployed ${deployed.padEnd(14)} cost ${costs.padEnd(18)} changes/day ${first?.changes_per_day.toFixed(3)} ms ${first?.ms_per_decision.toFixed(4)}`
    return [`${group.set} ${group.class} (${group.series}) ${name}`, value, goals ? goals.join('/') : '']
  })
}

/** One row, none without replays. */
function warmUpRows(group: PolicyGroup, at: number, replays: readonly Replay[]): Figures['rows'] {
  if (replays.length === 0) return []
  const free = replays.map((replay) => replay.free[at]?.policies[0])
  const deployed = replays.map((replay) => replay.deployed[at]?.policies[0])
  const shares = (figures: typeof free) => figures.map((one) => percent(one?.share_of_clairvoyant)).join('/')
  const costs = free.map((one) => one?.cost_mean_pct.toFixed(2)).join('/')
  const made = free.map((one) => one?.warm_ups?.made_per_day.toFixed(1)).join('/')
  const used = free.map((one) => one?.warm_ups?.used_per_day.toFixed(1)).join('/')
  const ms = free.map((one) => one?.ms_per_decision.toFixed(4)).join('/')
  const goals = WARM_UP_GOALS[`${group.set}_${group.class}`]
  const holds = goals?.every((goal, index) => 100 * (free[index]?.share_of_clairvoyant ?? 0) > goal)
  const row = [
    `${group.set} ${group.class} (${group.series}) dormouse, warm-ups, a start ${START_COST} s`,
    `${shares(free).padEnd(14)} deployed ${shares(deployed).padEnd(14)} cost ${costs.padEnd(18)} warm-ups/day ${made} used ${used} ms ${ms}`,
    goals ? `over ${goals.join('/')}: ${verdict(holds)}` : '',
  ] as const
  return [row]
}

const verdict = (holds: boolean | undefined) => (holds === true ? 'holds' : 'missed')

/** A group at a price of a wake: percent by which warm-ups make it dearer than the delay alone, negative where cheaper. */
type Dearer = Readonly<{ where: string; free: number; deployed: number }>

function dearerIn(replays: readonly Replay[], warm: readonly Replay[]): readonly Dearer[] {
  return warm.flatMap(({ free, deployed }, index) =>
    free.map((group, at) => ({
      where: `${group.set} ${group.class} at ${WAKE_COSTS[index]} s`,
      free: 100 * (costOf(free, at) / costOf(replays[index]?.free, at) - 1),
      deployed: 100 * (costOf(deployed, at) / costOf(replays[index]?.deployed, at) - 1),
    })),
  )
}

const costOf = (groups: readonly PolicyGroup[] | undefined, at: number) =>
  groups?.[at]?.policies.find(({ policy }) => policy === 'dormouse')?.cost_mean_pct ?? Number.NaN

/** None without replays of warm-ups. */
const dearestRows = (dearer: readonly Dearer[]): Figures['rows'] =>
  dearer.length > 0 ? [dearestRow('free', dearer), dearestRow('deployed', dearer)] : []

function dearestRow(kind: 'free' | 'deployed', dearer: readonly Dearer[]): Figures['rows'][number] {
  const dearest = dearer.toSorted((a, b) => b[kind] - a[kind])[0]
  const holds = dearer.every((one) => one[kind] <= DEARER_GOAL)
  return [
    `warm-ups, ${kind}: dearer than the delay alone, at most, over ${dearer.length} groups and prices`,
    dearest ? `${dearest[kind].toFixed(2)} % (${dearest.where})` : '-',
    `at most ${DEARER_GOAL} %: ${verdict(holds)}`,
  ]
}

/** @param index of the price of a wake */
const delayJson = ({ free, deployed }: Replay, index: number) =>
  Object.assign(
    {},
    ...free.flatMap((group) => [
      figuresOf(group, WAKE_COSTS[index] ?? 0),
      deployedOf(deployed, group, WAKE_COSTS[index] ?? 0),
    ]),
  ) as Record<string, number>

/** @param index of the price of a wake */
const warmUpJson = ({ free, deployed }: Replay, index: number): Record<string, number> =>
  Object.fromEntries(
    free.flatMap((group, at) => {
      const key = keyOf(group, WAKE_COSTS[index] ?? 0, 'dormouse_warm')
      return [
        [`${key}_share`, group.policies[0]?.share_of_clairvoyant ?? 0],
        [`${key}_cost`, group.policies[0]?.cost_mean_pct ?? 0],
        [`${key}_deployed_share`, deployed[at]?.policies[0]?.share_of_clairvoyant ?? 0],
      ]
    }),
  )

const percent = (share: number | null | undefined) =>
  typeof share === 'number' ? String(Math.round(100 * share)) : '-'

const keyOf = ({ set, class: name }: PolicyGroup, wakeCost: number, policy: string) =>
  `${set}_${name}_b${wakeCost}_${policy}`.replaceAll('-', '_')

const figuresOf = (group: PolicyGroup, wakeCost: number) =>
  Object.fromEntries(
    group.policies.flatMap(({ policy, share_of_clairvoyant: share, cost_mean_pct: cost }) => {
      const key = keyOf(group, wakeCost, policy)
      return [
        [`${key}_share`, share ?? 0],
        [`${key}_cost`, cost],
      ]
    }),
  )

const deployedOf = (deployed: readonly PolicyGroup[], group: PolicyGroup, wakeCost: number) =>
  Object.fromEntries(
    (deployed.find((one) => one.class === group.class)?.policies ?? []).map(
      ({ policy, share_of_clairvoyant: share }) => [
        `${keyOf(group, wakeCost, policy)}_deployed_share`,
        share ?? 0,
      ],
    ),
  )

const HEADER = 'series,minute,count'

/** Undefined for files of other kinds. */
function activityOf(folder: string, name: string): ActivityTraces | undefined {
  const [data, meta] = [`${name}.csv.gz`, `${name}.meta.csv`].map((file) =>
    valueOf(readTraceFile(join(folder, file))),
  )
  if (!data?.text.startsWith(HEADER) || !meta) return undefined
  return valueOf(activityIn(data, meta))
}

function valueOf<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error)
  return result.value
}
