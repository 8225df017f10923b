// Delay policies on recorded activity: what each costs beside the default and the clairvoyant, free and as deployed.
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

export function delayPolicies(folder: string): Promise<Figures> {
  const sets = readdirSync(folder)
    .filter((file) => file.endsWith('.meta.csv'))
    .flatMap((file) => {
      const name = file.slice(0, -'.meta.csv'.length)
      const traces = activityOf(folder, name)
      return traces ? [{ name, traces }] : []
    })
  const rows: Figures['rows'][number][] = [['policy', `B = ${WAKE_COSTS.join(' / ')} s`, 'goal']]
  const json: Record<string, number> = {}
  for (const { name, traces } of sets) {
    const replays = WAKE_COSTS.map((wakeCost) => replayOf(name, traces, wakeCost))
    for (const [at, group] of (replays[0]?.free ?? []).entries()) rows.push(...rowsOf(group, at, replays))
    for (const [index, { free, deployed }] of replays.entries())
      for (const group of free)
        Object.assign(
          json,
          figuresOf(group, WAKE_COSTS[index] ?? 0),
          deployedOf(deployed, group, WAKE_COSTS[index] ?? 0),
        )
  }
  return Promise.resolve({ rows, json })
}

type Replay = Readonly<{ free: readonly PolicyGroup[]; deployed: readonly PolicyGroup[] }>

function replayOf(name: string, traces: ActivityTraces, wakeCost: number): Replay {
  const options = {
    wakeCost: wakeCost / 60,
    floor: FLOOR,
    policies: POLICY_NAMES,
    monotonic: () => performance.now(),
  }
  return {
    free: replaySet(name, traces, { ...options, asDeployed: false }),
    deployed: replaySet(name, traces, { ...options, asDeployed: true }),
  }
}

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
