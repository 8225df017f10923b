// `replay`: what other settings would have cost, on recorded activity or load, or on the stored gaps of a compute.
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Command, InvalidArgumentError, Option } from 'commander'
import { durationText } from '../../config/units.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { cu, seconds, type Seconds } from '../../model/units.ts'
import { replayGaps } from '../../replay/history.ts'
import { loadComputeOf, playRule } from '../../replay/load.ts'
import { loadSeriesIn } from '../../replay/load-series.ts'
import { SIZE_RULES } from '../../replay/size-rules.ts'
import { createPreset } from '../../model/service/sizes.ts'
import { activityIn } from '../../replay/activity.ts'
import { POLICY_NAMES, replaySet, type PolicyGroup } from '../../replay/table.ts'
import type { TraceProblem, TraceText } from '../../replay/trace-rows.ts'
import { ok, type Result } from '../../std/result.ts'
import { daemonApi, failAnswer, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { readGaps } from '../connect/gaps.ts'
import {
  EXIT,
  failUsage,
  jsonText,
  textTable,
  type CommandSession,
  type ExitCode,
  type Io,
} from '../terminal/io.ts'
import { delayText, parseDelay, parseLength } from '../terminal/parse.ts'
import { readTraceFile } from '../terminal/trace-file.ts'

type Options = ApiOptions &
  Readonly<{
    activity?: string
    load?: string
    meta?: string
    policy: readonly string[]
    wakeCost: Seconds
    floor: Seconds
    delays?: readonly AutosuspendDelay[]
    delay?: AutosuspendDelay
    levers: readonly Lever[]
    startCost?: Seconds
    asDeployed?: boolean
  }>

type Lever = 'delay' | 'warm'

const DEFAULTS = { wakeCost: seconds(300), floor: seconds(60), startCost: seconds(5) }

export const createReplayCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('replay'))
    .description(
      'print what other settings would have cost: on trace files, or on the stored gaps of a compute',
    )
    .argument('[compute]', 'ep-…, or the name of a project; needs --delay')
    .option('--delay <delay>', 'autosuspend delay to replay over the gaps of the compute', parseDelay)
    .option('--activity <file>', 'series,minute,count as CSV, plain or in gzip')
    .option('--load <file>', 'series,ts,value,metric as CSV, plain or in gzip')
    .option('--meta <file>', 'a line for each series of that file')
    .addOption(
      new Option('--policy <names>', `policies, of ${POLICY_NAMES.join(', ')}`)
        .argParser(parsePolicies)
        .default(POLICY_NAMES, 'all'),
    )
    .addOption(
      new Option('--levers <levers>', 'what dormouse may use: delay or delay,warm')
        .argParser(parseLevers)
        .default(['delay'], 'delay'),
    )
    .addOption(
      new Option('--wake-cost <length>', 'price of a wake in awake time')
        .argParser(parseLength)
        .default(DEFAULTS.wakeCost, durationText(DEFAULTS.wakeCost)),
    )
    .option(
      '--start-cost <length>',
      'price of a start ahead of a client, with warm (default: 5s)',
      parseLength,
    )
    .addOption(
      new Option('--floor <length>', 'shortest delay, whole minutes')
        .argParser(parseMinutes)
        .default(DEFAULTS.floor, durationText(DEFAULTS.floor)),
    )
    .option('--delays <delays>', 'delays that the plan allows, such as 300,never (default: all)', parseDelays)
    .option('--as-deployed', 'a longer delay at any time, a shorter one at most once an hour')
    .option('--json', 'print JSON')
    .action((compute: string | undefined, options: Options) => end(replay(compute, options, io)))

async function replay(compute: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  const { activity, load, meta, delay } = options
  const sources = [compute, activity, load].filter((source) => source !== undefined)
  if (sources.length !== 1) return failUsage(io, 'give a compute, --activity or --load')
  if (compute !== undefined)
    return delay === undefined
      ? failUsage(io, 'give the --delay to replay, such as 60s')
      : replayCompute(compute, delay, { ...options, io })
  if (meta === undefined) return failUsage(io, 'give the --meta file of the series')
  const files = readBoth(resolve(io.cwd, activity ?? load ?? ''), resolve(io.cwd, meta))
  if (!files.ok) return failUsage(io, files.error)
  const [data, lines] = files.value
  return load === undefined
    ? replayActivity(data, lines, { ...options, io })
    : replayLoad(data, lines, { ...options, io })
}

function readBoth(data: string, meta: string): Result<readonly [TraceText, TraceText], TraceProblem> {
  const [rows, lines] = [readTraceFile(data), readTraceFile(meta)]
  if (!rows.ok) return rows
  return lines.ok ? ok([rows.value, lines.value]) : lines
}

function replayActivity(data: TraceText, meta: TraceText, options: Options & { readonly io: Io }): ExitCode {
  const { io, wakeCost, floor, levers, asDeployed = false, policy } = options
  const startCost = startCostOf(options)
  const delays = delaysOf(options)
  const problem = problemOf(options, delays)
  if (problem !== undefined) return failUsage(io, problem)
  const traces = activityIn(data, meta)
  if (!traces.ok) return failUsage(io, traces.error)
  const sets = replaySet(setName(data), traces.value, {
    wakeCost: wakeCost / 60,
    floor: floor / 60,
    startCost: startCost && startCost / 60,
    asDeployed,
    delays,
    policies: policy,
    monotonic: () => performance.now(),
  })
  const json = {
    schema_version: 1,
    wake_cost_seconds: wakeCost,
    floor_seconds: floor,
    levers,
    ...(startCost !== undefined && { start_cost_seconds: startCost }),
    as_deployed: asDeployed,
    sets,
  }
  io.out(options.json ? jsonText(json) : [...startNotes(startCost), ...sets.map(groupText)].join('\n\n'))
  return EXIT.ok
}

const startNotes = (startCost: Seconds | undefined): readonly string[] =>
  startCost === undefined ? [] : [`a start ahead of a client costs ${startCost} s of awake time`]

/** Minutes, none below the floor. */
const delaysOf = ({ delays, floor }: Options): readonly number[] | undefined =>
  delays?.map((delay) => (delay === 'never' ? Infinity : delay / 60)).filter((delay) => delay >= floor / 60)

function problemOf(
  { levers, startCost }: Options,
  delays: readonly number[] | undefined,
): string | undefined {
  if (startCost !== undefined && !levers.includes('warm'))
    return '--start-cost: give it with --levers delay,warm'
  return delays?.length === 0 ? '--delays: expected a delay of at least the floor' : undefined
}

/** Undefined without warm-ups. */
const startCostOf = ({ levers, startCost }: Options): Seconds | undefined =>
  levers.includes('warm') ? (startCost ?? DEFAULTS.startCost) : undefined

const HEADINGS = ['policy', 'cost %', 'awake %', 'of the saving', 'wakes a day', 'worst', 'changes a day']
const WARM_UP_HEADINGS = ['warm-ups a day', 'used']

function groupText({
  set,
  class: name,
  series,
  left_out: leftOut,
  rows_refused: refused,
  policies,
}: PolicyGroup): string {
  const hasWarmUps = policies.some((one) => one.warm_ups !== undefined)
  const rows = policies.map((one) => [
    one.policy,
    one.cost_mean_pct.toFixed(2),
    one.awake_mean_pct.toFixed(2),
    one.share_of_clairvoyant === null ? '-' : `${(100 * one.share_of_clairvoyant).toFixed(1)} %`,
    one.cold_starts_per_day.toFixed(2),
    one.worst_ratio.toFixed(2),
    one.changes_per_day.toFixed(2),
    ...(hasWarmUps ? warmUpCells(one) : []),
  ])
  const notes = `${leftOut > 0 ? `, ${leftOut} without activity left out` : ''}${refused > 0 ? `, ${refused} repeated rows` : ''}`
  return `${set}, ${name}: ${series} series${notes}\n${textTable(hasWarmUps ? [...HEADINGS, ...WARM_UP_HEADINGS] : HEADINGS, rows)}`
}

function warmUpCells({ warm_ups: warmUps }: PolicyGroup['policies'][number]): readonly string[] {
  if (!warmUps) return ['-', '-']
  const { made_per_day: made, used_per_day: used } = warmUps
  return [made.toFixed(2), made > 0 ? `${((100 * used) / made).toFixed(0)} %` : '-']
}

/** In any order. Warm-ups need the delay, which is part of the same plan. */
function parseLevers(text: string): readonly Lever[] {
  const levers = text.split(',').toSorted().join(',')
  if (levers === 'delay') return ['delay']
  if (levers === 'delay,warm') return ['delay', 'warm']
  throw new InvalidArgumentError(`Allowed choices are delay and delay,warm, got ${text.slice(0, 60)}.`)
}

function parsePolicies(text: string): readonly string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !POLICY_NAMES.includes(name))
  if (unknown === undefined) return names
  throw new InvalidArgumentError(`Expected names of ${POLICY_NAMES.join(', ')}, got ${unknown.slice(0, 60)}.`)
}

function parseMinutes(text: string): Seconds {
  const length = parseLength(text)
  if (length % 60 === 0) return length
  throw new InvalidArgumentError('Expected whole minutes such as 60s or 5m.')
}

/** Whole minutes or `never`; a number alone is seconds. */
const parseDelays = (text: string): readonly AutosuspendDelay[] =>
  text.split(',').map((one) => {
    const delay = parseDelay(/^\d+$/.test(one) ? `${one}s` : one)
    if (delay === 'never' || (delay > 0 && delay % 60 === 0)) return delay
    throw new InvalidArgumentError('Expected whole minutes or never, such as 300,never.')
  })

async function replayCompute(
  compute: string,
  delay: AutosuspendDelay,
  { io, ...options }: Options & { readonly io: Io },
): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const computes = await readGaps(compute, target.value, io)
  if (!computes.ok) return failAnswer(io, computes.error)
  const [endpointId = compute, ...others] = computes.value.keys()
  if (others.length > 0)
    return failUsage(
      io,
      `${compute} has several computes: expected one of ${[endpointId, ...others].join(', ')}`,
    )
  const gaps = computes.value.get(endpointId) ?? []
  const replayed = replayGaps(gaps, delay)
  if (!replayed) return failUsage(io, `no gaps between client activities are stored of ${compute}`)
  const { days, delays } = replayed
  const json = { schema_version: 1, endpoint_id: endpointId, days, gaps: gaps.length, delays }
  io.out(options.json ? jsonText(json) : historyText(json, delay))
  return EXIT.ok
}

type HistoryJson = Readonly<{ endpoint_id: string; gaps: number }> &
  NonNullable<ReturnType<typeof replayGaps>>

function historyText({ endpoint_id: compute, gaps, days, delays }: HistoryJson, asked: AutosuspendDelay) {
  const rows = delays.map((one) => [
    `${one.delay === asked ? '> ' : '  '}${delayText(one.delay)}`,
    (one.idle_seconds_per_day / 3600).toFixed(2),
    one.wakes_per_day.toFixed(1),
    one.is_hidden ? 'too low: shorter gaps were not followed' : '',
  ])
  const headings = ['  delay', 'idle hours a day', 'wakes a day', '']
  return `${compute}: ${gaps} gaps in ${days.toFixed(1)} days\n${textTable(headings, rows)}`
}

/** Sizes in CU that each series is replayed at. */
const LOAD_SIZES = [1, 2, 4, 8].map(cu)
const LOAD_PRESET = createPreset('2026-03')
/** Limits of the plan `scale` of that preset. */
const LOAD_LIMITS = { largest: cu(16), widest: cu(8), sizes: LOAD_PRESET.sizes, least: cu(0.25) }

function replayLoad(data: TraceText, meta: TraceText, { io, json }: Options & { readonly io: Io }): ExitCode {
  const traces = loadSeriesIn(data, meta)
  if (!traces.ok) return failUsage(io, traces.error)
  const { series, leftOut, rowsRefused } = traces.value
  const computes = series.flatMap((one) => LOAD_SIZES.map((size) => loadComputeOf(one, size, LOAD_LIMITS)))
  const policies = SIZE_RULES.map((rule) => ({ policy: rule.name, ...playRule(computes, rule, 1) }))
  const set = setName(data)
  const group = {
    set,
    class: 'all',
    series: series.length,
    left_out: leftOut,
    rows_refused: rowsRefused,
    policies,
  }
  if (json) io.out(jsonText({ schema_version: 1, sets: [group] }))
  else {
    const { policy: _, ...figures } = policies[0] ?? { policy: '' }
    const rows = policies.map(({ policy, ...values }) => [
      policy,
      ...Object.values(values).map((value) => value.toFixed(3)),
    ])
    io.out(`${set}: ${series.length} series\n${textTable(['rule', ...Object.keys(figures)], rows)}`)
  }
  return EXIT.ok
}

const setName = ({ file }: TraceText): string => file.replace(/\.csv(\.gz)?$/, '')
