// Many computes awake at once: time until each has answered, memory, and what watching them costs while nothing happens.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { type Local, startLocal } from '../../src/local/start.ts'
import { processesOn } from '../local/processes.ts'
import type { Figures } from './run.ts'

const COMPUTES = 40

/** How long the idle cost is measured, s. */
const QUIET = 5

export async function awake(): Promise<Figures> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dormouse-bench-'))
  chmodSync(folder, 0o711)
  const begun = performance.now()
  const local = await startLocal({
    folder,
    projects: Array.from({ length: COMPUTES }, (_, at) => ({ name: `p${at}`, suspendTimeoutSeconds: -1 })),
    wakeLatency: { min: 0, max: 0 },
  })
  try {
    await Promise.all((await urisOf(local)).map(answerOf))
    const answered = (performance.now() - begun) / 1000
    const memory = memoryOf(folder)
    const cost = await idleCost(folder)
    const stopping = performance.now()
    await local.stop()
    return figuresOf({ answered, memory, cost, stopped: (performance.now() - stopping) / 1000 })
  } finally {
    await local.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measured = {
  readonly answered: number
  readonly memory: { readonly server: number; readonly service: number }
  readonly cost: { readonly servers: number; readonly service: number }
  readonly stopped: number
}

const figuresOf = ({ answered, memory, cost, stopped }: Measured): Figures => ({
  rows: [
    ['what', 'measured', 'goal'],
    [`${COMPUTES} computes made, started and answered`, `${answered.toFixed(1)} s`, '≤ 60 s'],
    ['memory of one awake server, its share of shared pages', `${memory.server.toFixed(1)} MB`, '≤ 40 MB'],
    ['memory of the service', `${memory.service.toFixed(0)} MB`, '≤ 300 MB'],
    ['CPU of all servers while nothing happens', `${(100 * cost.servers).toFixed(1)} %`, ''],
    ['CPU of the service while nothing happens', `${(100 * cost.service).toFixed(1)} %`, ''],
    ['all stopped', `${stopped.toFixed(1)} s`, ''],
  ],
  json: {
    answered_s: answered,
    server_mb: memory.server,
    service_mb: memory.service,
    servers_cpu: cost.servers,
    service_cpu: cost.service,
    stopped_s: stopped,
  },
})

/** What is read of the answers of the API. */
type Answer = { readonly projects: readonly { readonly id: string }[]; readonly uri: string }

async function urisOf({ baseUrl, apiKey }: Local): Promise<readonly string[]> {
  const call = async (path: string): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
    return answer.json() as Promise<Answer>
  }
  const { projects } = await call('/projects?limit=400')
  const asked = projects.map(({ id }) =>
    call(`/projects/${id}/connection_uri?database_name=app&role_name=app_owner`),
  )
  return (await Promise.all(asked)).map(({ uri }) => uri)
}

async function answerOf(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  await client.query('select 1')
  await client.end()
}

/** MB. */
function memoryOf(folder: string): Measured['memory'] {
  const servers = groupsOn(folder).reduce((sum, pid) => sum + shareOf(pid), 0)
  return { server: servers / COMPUTES / 1024, service: process.memoryUsage.rss() / 2 ** 20 }
}

/** Servers and their children: each server leads a group of its own. */
function groupsOn(folder: string): readonly number[] {
  const leaders = processesOn(folder)
  const children = leaders.flatMap((pid) =>
    tellOf(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number),
  )
  return [...leaders, ...children]
}

/** kB of memory, shared pages divided among those who share them. */
const shareOf = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(tellOf(pid, 'smaps_rollup'))?.[1] ?? 0)

/** CPUs used. */
async function idleCost(folder: string): Promise<Measured['cost']> {
  const pids = groupsOn(folder)
  const before = { servers: ticksOf(pids), service: process.cpuUsage() }
  await new Promise((resolve) => setTimeout(resolve, 1000 * QUIET))
  const { user, system } = process.cpuUsage(before.service)
  const ticks = ticksOf(pids) - before.servers
  return { servers: ticks / 100 / QUIET, service: (user + system) / 1e6 / QUIET }
}

/** Hundredths of a second of CPU, processes that ended left out. */
const ticksOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const fields = tellOf(pid, 'stat').split(') ')[1]?.split(' ') ?? []
    return sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  }, 0)

/** What the machine tells of a process; nothing of one that has ended. */
function tellOf(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}
