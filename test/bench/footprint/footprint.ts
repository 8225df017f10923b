// What the program takes, as the image and as a checkout have it: its start beside that of bare Node, and memory, CPU and requests at rest,
// with small and large accounts behind HTTP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownPort } from '../../support/ports.ts'
import type { Figures } from '../run.ts'
import { startFleetService, type FleetOptions, type FleetService } from '../fleet/start.ts'
import { warmUp } from '../fleet/warm.ts'
import { layOutImage } from './image.ts'
import { bareStart, LAUNCHER, startProgram, type Program, type Start } from './program.ts'

/** Measured after the first passes, minutes. */
const MINUTES = 5
/** Until memory and requests are those of a daemon at rest, minutes. */
const SETTLING = 2
/** Starts of the program and of bare Node, in turn: the medians count. */
const STARTS = 7
/** Between two samples of the memory, s. */
const SAMPLE_EVERY = 5

/** Form of the program → its launcher. */
type Launchers = Readonly<{ image: string; checkout: string }>

type Account = Readonly<{
  name: string
  form: keyof Launchers
  computes: number
  awakeShare: number
  goal: number | undefined
}>

/** `goal`: most memory, MB. */
const ACCOUNTS: readonly Account[] = [
  { name: 'small', form: 'image', computes: 50, awakeShare: 0.02, goal: 120 },
  { name: 'busy', form: 'image', computes: 50, awakeShare: 0.5, goal: undefined },
  { name: 'large', form: 'image', computes: 5000, awakeShare: 0.02, goal: 220 },
  { name: 'checkout', form: 'checkout', computes: 50, awakeShare: 0.02, goal: 120 },
]

/** Most CPU at rest, share of a core, and most of bare Node's start until the program listens. */
const [MAX_CPU, MAX_STARTS] = [0.005, 8]

export async function footprint(minutes = MINUTES): Promise<Figures> {
  const rows: Figures['rows'][number][] = []
  const json: Record<string, number> = {}
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-image-'))
  try {
    const launchers = { image: await layOutImage(folder), checkout: LAUNCHER }
    for (const account of ACCOUNTS) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other: they would share the cores
      const found = await measure(account, launchers, minutes)
      rows.push(...found.rows)
      Object.assign(json, found.json)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { rows: [...rows, requestRow(json)], json }
}

/** Requests of a sleeping and of an awake compute, from two accounts of one size whose shares differ. */
function requestRow(json: Readonly<Record<string, number>>): Figures['rows'][number] {
  const [small, busy] = ACCOUNTS
  if (!small || !busy) throw new Error('two accounts are needed')
  const [few = 0, many = 0] = [small, busy].map(({ name }) => json[`requests_per_compute_hour_${name}`])
  const perAwake = (many - few) / (busy.awakeShare - small.awakeShare)
  const asleep = few - small.awakeShare * perAwake
  return [
    `requests a compute and hour, of ${small.computes}: asleep, awake`,
    `${asleep.toFixed(1)}, ${(asleep + perAwake).toFixed(1)}`,
    '',
  ]
}

/** Of an account whose computes the daemon knows already. */
async function measure(account: Account, launchers: Launchers, minutes: number): Promise<Figures> {
  const { computes, awakeShare, form } = account
  const options: FleetOptions = { projects: computes, awakeShare, awakeSeconds: 3600, seed: 1, scale: 1 }
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-footprint-'))
  try {
    const past = await warmUp(options, { folder, yaml: yamlOf('http://127.0.0.1:1/api/v2', folder) })
    const service = await startFleetService({ ...options, past })
    try {
      const file = join(folder, 'dormouse.yaml')
      const start = {
        launcher: launchers[form],
        configFile: file,
        apiKey: service.apiKey,
        port: await ownPort(),
      }
      writeFileSync(file, yamlOf(service.baseUrl, folder, start.port))
      const starts = account === ACCOUNTS[0] ? await compareStarts(start, launchers) : undefined
      const program = await startProgram(start)
      try {
        return figuresOf(account, await atRest(program, service, minutes), starts)
      } finally {
        await program.stop()
      }
    } finally {
      await service.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const yamlOf = (baseUrl: string, folder: string, port = 0): string =>
  [
    `accounts: [{ name: main, base_url: '${baseUrl}', api_key_env: FLEET_KEY, plan: launch }]`,
    `server: { telemetry: '127.0.0.1:${port}', api: '127.0.0.1:0' }`,
    `store: { folder: '${folder}/data' }`,
  ].join('\n')

type Starts = Readonly<Record<keyof Launchers | 'bare', number>>

/** Medians, s. The compile cache is warm, as at each start but the first. */
async function compareStarts(start: Start, launchers: Launchers): Promise<Starts> {
  const listening = async (launcher: string): Promise<number> => {
    const program = await startProgram({ ...start, launcher })
    await program.stop()
    return program.listeningAfter
  }
  const took: Starts[] = []
  for (let nth = 0; nth <= STARTS; nth += 1) {
    // oxlint-disable-next-line no-await-in-loop -- in turn
    const image = await listening(launchers.image)
    // oxlint-disable-next-line no-await-in-loop -- in turn
    const checkout = await listening(launchers.checkout)
    // oxlint-disable-next-line no-await-in-loop -- in turn
    took.push({ image, checkout, bare: await bareStart() })
  }
  // the first ones fill the cache
  const medianOf = (form: keyof Starts) => median(took.slice(1).map((one) => one[form]))
  return { image: medianOf('image'), checkout: medianOf('checkout'), bare: medianOf('bare') }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

type Rest = Readonly<{
  /** Bytes. */
  median: number
  most: number
  /** Of a core. */
  cpu: number
  requestsPerHour: number
}>

async function atRest(program: Program, service: FleetService, minutes: number): Promise<Rest> {
  await sleep(SETTLING * 60_000)
  const [cpuBefore, requestsBefore, begun] = [
    program.cpuSeconds(),
    await service.requests(),
    performance.now(),
  ]
  const samples: number[] = []
  while (performance.now() - begun < minutes * 60_000) {
    samples.push(program.residentBytes())
    // oxlint-disable-next-line no-await-in-loop -- it is measured meanwhile
    await sleep(SAMPLE_EVERY * 1000)
  }
  const took = (performance.now() - begun) / 1000
  const { answered } = await service.requests()
  return {
    median: median(samples),
    most: Math.max(...samples),
    cpu: (program.cpuSeconds() - cpuBefore) / took,
    requestsPerHour: ((answered - requestsBefore.answered) / took) * 3600,
  }
}

const megabytes = (bytes: number): number => bytes / 1e6

function figuresOf(
  { name, form, computes, awakeShare, goal }: Account,
  rest: Rest,
  starts: Starts | undefined,
): Figures {
  const perCompute = rest.requestsPerHour / computes
  return {
    rows: [
      ...(starts ? startRows(starts) : []),
      [`${form}, ${computes} computes, ${(100 * awakeShare).toFixed(0)} % awake`, '', ''],
      [
        '  memory at rest: median, most',
        `${megabytes(rest.median).toFixed(0)} MB, ${megabytes(rest.most).toFixed(0)} MB`,
        goal === undefined ? '' : `≤ ${goal} MB`,
      ],
      ['  CPU, share of a core', `${(100 * rest.cpu).toFixed(2)} %`, `≤ ${100 * MAX_CPU} %`],
      ['  requests a compute and hour', perCompute.toFixed(2), ''],
    ],
    json: {
      ...(starts && {
        listening_image_s: starts.image,
        listening_checkout_s: starts.checkout,
        bare_s: starts.bare,
      }),
      [`rss_mb_${name}`]: megabytes(rest.median),
      [`rss_most_mb_${name}`]: megabytes(rest.most),
      [`cpu_share_${name}`]: rest.cpu,
      [`requests_per_compute_hour_${name}`]: perCompute,
    },
  }
}

const startRows = (starts: Starts): Figures['rows'] =>
  (['image', 'checkout'] as const).map((form) => [
    `start of the ${form} until it listens, and of bare Node`,
    `${starts[form].toFixed(3)} s, ${starts.bare.toFixed(3)} s: ${(starts[form] / starts.bare).toFixed(1)} ×`,
    `≤ ${MAX_STARTS} ×`,
  ])
