// A large account behind real HTTP, and the daemon's loop over it: what it knows, how late, and what that costs.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR, V8_FLAGS } from '../launched.ts'
import type { Figures } from '../run.ts'
import { delaysOf, ledgerErrorOf } from './judge.ts'
import { startFleetService, type FleetOptions, type FleetService } from './start.ts'
import { warmUp } from './warm.ts'
import type { Watched, WatchOrder } from './watch.ts'

/** Projects → minutes, unless told otherwise: long enough that computes wake, are looked at, and sleep again. */
const RUNS: readonly (readonly [projects: number, minutes: number])[] = [
  [10_000, 15],
  [100_000, 30],
]
/** What the design asks for, by size: list age, wake or suspension known after (median, worst), s. */
const GOALS: Readonly<Record<number, { readonly age: string; readonly known: string }>> = {
  10_000: { age: '≤ 60', known: 'median ≤ 90, worst ≤ 240' },
  100_000: { age: '≤ 120, worst 180', known: 'median ≤ 180, worst ≤ 900' },
}

/** The worst of it, s: the ledger is judged without the last of the time. */
const LATE: Readonly<Record<number, number>> = { 10_000: 240, 100_000: 900 }

/** Of those out of bounds, the furthest. */
const SHOWN = 5

/**
 * FLEET_PROJECTS=10000 runs one size alone; FLEET_MODES=observe,suggest runs without recommendations, then with them.
 *
 * @param isWarm whether the daemon knows its fleet when it begins; with FLEET_KEPT=FOLDER what it knows is kept there for the next time
 */
export async function fleet(minutes?: number, isWarm = false): Promise<Figures> {
  const only = Number(process.env['FLEET_PROJECTS'] ?? 0)
  const runs = only > 0 ? [[only, 15] as const] : RUNS
  const rows: Figures['rows'][number][] = []
  const json: Record<string, number> = {}
  const modes = (process.env['FLEET_MODES'] ?? 'suggest').split(',')
  for (const [projects, usual] of runs)
    for (const mode of modes) {
      const found = await oneFleet({ projects, minutes: minutes ?? usual, isWarm, mode })
      rows.push(...found.rows)
      const suffix = modes.length > 1 ? `${projects}_${mode}` : projects
      for (const [key, value] of Object.entries(found.json)) json[`${key}_${suffix}`] = value
    }
  return { rows, json }
}

export type FleetRun = Readonly<{
  projects: number
  minutes: number
  isWarm: boolean
  mode: string
  /** Open changes; default none. */
  changes?: number
  /** Lines of the configuration; default none. */
  lines?: string
  /** Folder with what a daemon of that fleet knows, if it was made before. */
  kept?: string
}>

export async function oneFleet(run: FleetRun): Promise<Figures> {
  const { projects, isWarm } = run
  const options: FleetOptions = { projects, awakeShare: 0.02, awakeSeconds: 1200, seed: 1, scale: 1 }
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-fleet-'))
  const warming = {
    folder,
    yaml: yamlOf('http://127.0.0.1:1/api/v2', folder, { mode: 'observe' }),
    kept: run.kept ?? process.env['FLEET_KEPT'],
  }
  try {
    const past = isWarm ? await warmUp(options, warming) : undefined
    const service = await startFleetService({ ...options, ...(past && { past }) })
    try {
      const watched = await watch(service, { ...run, folder })
      return await judged(service, { ...run, watched })
    } finally {
      await service.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const yamlOf = (
  baseUrl: string,
  folder: string,
  { mode, lines = '' }: Pick<FleetRun, 'mode' | 'lines'>,
): string =>
  [
    `mode: ${mode}`,
    `accounts: [{ name: main, base_url: '${baseUrl}', api_key_env: FLEET_KEY, plan: launch }]`,
    `store: { folder: '${folder}/data' }`,
    lines,
  ].join('\n')

type Watching = Omit<FleetRun, 'isWarm'> & { readonly folder: string }

async function watch(
  { baseUrl, apiKey, clock, ahead }: FleetService,
  { folder, projects, minutes, changes = 0, ...configured }: Watching,
): Promise<Watched> {
  const configFile = join(folder, 'dormouse.yaml')
  writeFileSync(configFile, yamlOf(baseUrl, folder, configured))
  const order: WatchOrder = { configFile, from: clock.now(), ahead, late: LATE[projects] ?? 300, changes }
  const program = fileURLToPath(import.meta.resolve('./watch.ts'))
  const env = { ...process.env, ...ALLOCATOR, FLEET_KEY: apiKey }
  const child = fork(program, [JSON.stringify(order)], {
    env,
    execArgv: [...V8_FLAGS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const gone = once(child, 'exit').then(() => {
    throw new Error('the daemon of the benchmark has ended')
  })
  gone.catch(() => undefined)
  await Promise.race([once(child, 'message'), gone])
  const told = once(child, 'message')
  const end = setTimeout(() => child.send('stop'), minutes * 60_000)
  const [watched] = (await Promise.race([told, gone])) as [Watched]
  clearTimeout(end)
  return watched
}

type Spread = { readonly median: number; readonly p99: number; readonly worst: number }

type Judged = FleetRun & { readonly watched: Watched }

async function judged(
  service: FleetService,
  { projects, minutes, watched, isWarm, mode }: Judged,
): Promise<Figures> {
  const { window, known, accounts, ages } = watched
  const truth = await service.truth(window.to)
  const delays = delaysOf(truth, known, window)
  const ledger = ledgerErrorOf(truth, accounts, watched.accountsWithin)
  const ranged = new Set(watched.ranged)
  const isFixed = ({ endpointId }: { readonly endpointId: string }): boolean => !ranged.has(endpointId)
  const fixed = ledgerErrorOf(
    { ...truth, computes: truth.computes.filter(isFixed) },
    accounts.filter(isFixed),
    watched.accountsWithin,
  )
  const { answered, limited } = await service.requests()
  const elapsed = (window.to - window.from) / 60_000
  const goal = GOALS[projects] ?? { age: '', known: '' }
  return {
    rows: [
      [
        `${projects} projects, ${minutes} min, ${mode}, ${isWarm ? 'known before' : 'seen for the first time'}`,
        `${watched.passes} passes`,
        '',
      ],
      ['  age of the list, s', spread(ages), goal.age],
      ['  wakes and suspensions', `${delays.edges}, not known ${delays.unknown}`, ''],
      ['  known in detail after, s', spread(delays), goal.known],
      ['  ledger error', `${(100 * ledger.error).toFixed(2)} %`, '≤ 0.5 %'],
      ['  of it computes of a fixed size', `${(100 * fixed.error).toFixed(2)} %`, ''],
      [
        '  ledger bounds',
        `${(100 * ledger.width).toFixed(1)} % wide, contain the truth: ${ledger.contains}`,
        'contain',
      ],
      ['  computes out of bounds', `${ledger.outside.length} of ${accounts.length}`, '0'],
      ...ledger.outside
        .slice(0, SHOWN)
        .map(
          (one) =>
            [
              `    ${one.endpointId}`,
              `${one.truth.toFixed(3)} CU-s, off by ${one.by.toFixed(3)}`,
              '',
            ] as const,
        ),
      [
        '  awake and never looked at',
        `${ledger.unseen.computes}, ${((100 * ledger.unseen.cuSeconds) / ledger.truth).toFixed(2)} % of the truth`,
        '',
      ],
      ['  requests a minute', `${(answered / elapsed).toFixed(0)}, answered 429: ${limited}`, '≤ 350, 0'],
      [
        '  pass, s',
        `mean ${watched.passSeconds.mean.toFixed(1)}, longest ${watched.passSeconds.longest.toFixed(1)}`,
        '',
      ],
      ['  CPU, share of a core', `${(100 * watched.cpuShare).toFixed(1)} %`, '≤ 50 %'],
      [
        '  RSS, of it the heap at the end',
        `${(watched.rssBytes / 2 ** 20).toFixed(0)}, ${(watched.heapBytes / 2 ** 20).toFixed(0)} MiB`,
        '≤ 600 MB',
      ],
      [
        '  longest block of the loop, how many over 50 ms',
        `${watched.blocks.longest.toFixed(0)} ms, ${watched.blocks.tooLong}`,
        '≤ 50 ms',
      ],
      ['  longest work in one turn of it', `${watched.blocks.longestWork.toFixed(0)} ms of CPU`, ''],
      [
        '  longest pause for garbage, young and all',
        `${watched.blocks.longestGarbage.young.toFixed(0)}, ${watched.blocks.longestGarbage.all.toFixed(0)} ms`,
        '',
      ],
      [
        '  requests of the apply loop, a minute',
        watched.changeRequests.toFixed(1),
        '≤ 35; 0 without changes',
      ],
      ['  changes that are open at the end', `${watched.changesOpen}`, ''],
      ['  series, longest scrape', `${watched.series}, ${watched.scrapeMillis.toFixed(1)} ms`, ''],
    ],
    json: {
      list_age_median: ages.median,
      list_age_worst: ages.worst,
      known_median: delays.median,
      known_worst: delays.worst,
      unknown: delays.unknown,
      ledger_error: ledger.error,
      ledger_error_fixed: fixed.error,
      outside: ledger.outside.length,
      unseen: ledger.unseen.computes,
      requests_per_minute: answered / elapsed,
      limited,
      cpu_share: watched.cpuShare,
      rss_mib: watched.rssBytes / 2 ** 20,
      longest_block_ms: watched.blocks.longest,
      longest_work_ms: watched.blocks.longestWork,
      blocks_too_long: watched.blocks.tooLong,
      longest_young_garbage_ms: watched.blocks.longestGarbage.young,
      longest_garbage_ms: watched.blocks.longestGarbage.all,
      change_requests_per_minute: watched.changeRequests,
      changes_open: watched.changesOpen,
      pass_mean_seconds: watched.passSeconds.mean,
      scrape_longest_ms: watched.scrapeMillis,
      series: watched.series,
    },
  }
}

const spread = ({ median, p99, worst }: Spread): string =>
  `median ${median.toFixed(0)}, 99 % ${p99.toFixed(0)}, worst ${worst.toFixed(0)}`
