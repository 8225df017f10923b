// The embedded store with many computes: what it takes, and how long it holds up everything else.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../../src/daemon/clock.ts'
import { exportText } from '../../src/daemon/history/export.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { ComputeEntry } from '../../src/model/ledger/ledger.ts'
import type { Clock } from '../../src/model/ports/clock.ts'
import { seconds } from '../../src/model/units.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { intervalAt, rollupAt } from '../store/build.ts'
import { accounted } from '../support/accounted.ts'
import { at, attempt, ledger, look, prices, project, sweep } from '../support/build.ts'
import type { Figures } from './run.ts'
import { put, type Rows } from '../support/writes.ts'

const SIZES = [10_000, 100_000]
/** As a pass writes them. */
const BATCH = 100
const AWAKE_SHARE = 0.02
/** Awake intervals of each compute, for the history. */
const INTERVALS = 5

export async function store(): Promise<Figures> {
  const rows: [string, string, string][] = []
  const json: Record<string, number> = {}
  for (const size of SIZES) {
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that they do not disturb each other
    const measured = await measure(size)
    for (const { phase, took, block, work, note } of measured) {
      rows.push([`${size} computes: ${phase}${note}`, `${took.toFixed(2)} s`, ''])
      rows.push(['  longest block by the clock', `${block.toFixed(1)} ms`, ''])
      rows.push(['  of its own work', `${work.toFixed(1)} ms`, '50 ms'])
      const key = `${phase.replaceAll(' ', '_')}_${size}`
      json[`${key}_seconds`] = took
      json[`${key}_block_ms`] = block
      json[`${key}_work_ms`] = work
    }
  }
  return { rows, json }
}

type Phase = {
  readonly phase: string
  readonly took: number
  /** The longest time between two turns of the event loop: with what the machine did for others in it. */
  readonly block: number
  /** The most processor time of this thread between two turns. */
  readonly work: number
  readonly note: string
}

/** Turns of the event loop, watched from the inside. */
function watchTurns(): () => Pick<Phase, 'block' | 'work'> {
  let [block, work] = [0, 0]
  let [wall, used] = [performance.now(), ownTime()]
  let watching = true
  const turn = (): void => {
    const [now, spent] = [performance.now(), ownTime()]
    block = Math.max(block, now - wall)
    work = Math.max(work, spent - used)
    ;[wall, used] = [now, spent]
    if (watching) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    watching = false
    return { block, work }
  }
}

const ownTime = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function measure(size: number): Promise<Phase[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-bench-store-'))
  const clock = standing(createClock())
  const phases: Phase[] = []
  const accounts = { asleep: accountAfter(1), awake: accountAfter(60) }
  const watch = async (phase: string, work: () => Promise<string>): Promise<void> => {
    const watched = watchTurns()
    const begun = performance.now()
    const note = await work()
    const took = (performance.now() - begun) / 1000
    phases.push({ phase, took, ...watched(), note })
  }
  try {
    const opened = openEmbeddedStore(folder, clock)
    await watch('nothing', async () => {
      await clock.sleep(seconds(2), new AbortController().signal)
      return ''
    })
    await watch('first sweep', async () => {
      for (const part of firstSweep(size, accounts)) {
        // oxlint-disable-next-line no-await-in-loop -- as a pass does it
        await put(opened, part)
      }
      return `, ${(sizeOf(folder) / size / 1024).toFixed(1)} KiB each`
    })
    await watch('ten passes', async () => {
      for (let pass = 0; pass < 10; pass += 1) {
        for (const part of onePass(size, pass, accounts)) {
          // oxlint-disable-next-line no-await-in-loop -- as a pass does it
          await put(opened, part)
        }
      }
      return ''
    })
    await opened.close()
    const again = openEmbeddedStore(folder, clock)
    await watch('start', async () => {
      const loaded: Ledger = await again.account('main').load()
      return `, ${loaded.computes.size} loaded`
    })
    await watch('export', async () => {
      let length = 0
      const told = [{ account: 'main', currency: 'USD', projects: new Map() }]
      const request = { what: 'intervals', format: 'csv', from: at(0), to: at(1e9) } as const
      for await (const piece of exportText(again, told, request)) length += piece.length
      return `, ${(length / 2 ** 20).toFixed(0)} MiB`
    })
    await again.close()
    return phases
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The builders' times are now, so that nothing is old. */
const standing = (clock: Clock): Clock => ({ ...clock, now: () => at(86_400) })

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

const refAt = (index: number) => ({
  account: 'main',
  projectId: `purple-meadow-${String(index).padStart(8, '0')}`,
  endpointId: `ep-purple-meadow-${String(index).padStart(8, '0')}`,
})

type Accounts = { readonly asleep: ComputeEntry; readonly awake: ComputeEntry }

function* firstSweep(size: number, { asleep, awake }: Accounts): Generator<Partial<Rows>> {
  for (let first = 0; first < size; first += BATCH) {
    const refs = Array.from({ length: BATCH }, (_, index) => refAt(first + index))
    yield {
      projects: refs.map(({ projectId }) => ({ project: project({ projectId }), listed: undefined })),
      computes: refs.map((ref, index) => ({ ...(index < BATCH * AWAKE_SHARE ? awake : asleep), ref })),
      settled: refs.flatMap((ref) =>
        Array.from({ length: INTERVALS }, (_, index) => intervalAt(ref, index * 1000)),
      ),
    }
  }
}

/** The computes that are awake, in batches; each has ended a stretch of five minutes. */
function* onePass(size: number, pass: number, { awake }: Accounts): Generator<Partial<Rows>> {
  const count = size * AWAKE_SHARE
  for (let first = 0; first < count; first += BATCH) {
    const refs = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) =>
      refAt((first + index) / AWAKE_SHARE),
    )
    yield {
      computes: refs.map((ref) => ({ ...awake, ref })),
      rollups: refs.map((ref) => rollupAt(ref, pass * 300)),
    }
  }
}

/** The account of a compute that was seen awake, and read, once a minute. */
function accountAfter(minutes: number): ComputeEntry {
  let known = ledger()
  for (let minute = 0; minute < minutes; minute += 1) {
    const when = minute * 60
    const seen = look(when, { state: 'active', startedAt: at(-10), lastActive: at(when - 5) })
    const readings = minute % 5 === 0 ? [attempt(when, { look: seen })] : []
    known = accounted(known, sweep(when, { looks: [seen], readings }), {
      prices,
      overhead: 0.01,
      now: at(when),
    }).ledger
  }
  const [account] = known.computes.values()
  if (!account) throw new Error('a look makes an account')
  return account
}
