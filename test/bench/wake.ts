// Waking, from a client's first byte to its answer, against a direct spawn of the same server; and what the proxy adds to
// each query. The baselines are measured in the same run, in turns with what is compared with them.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { ensureCertificate } from '../../src/local/setup/certificate.ts'
import { createClock } from '../../src/local/clock.ts'
import { findBinaries } from '../../src/local/compute/binaries.ts'
import { postgresUser } from '../../src/local/compute/owner.ts'
import { ownPort } from '../support/ports.ts'
import { startServer } from '../../src/local/compute/server.ts'
import { run } from '../local/proxy/programs.ts'
import type { Figures } from './run.ts'

const WAKES = 15
const ROUNDS = 5
const QUERIES = 4000

/** The service in a process of its own, as clients meet it, with one project that never suspends by itself. */
type Subject = {
  readonly folder: string
  readonly dataFolder: string
  readonly uri: string
  readonly endpointId: string
  suspend(): Promise<void>
}

export async function wake(): Promise<Figures> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dormouse-bench-'))
  chmodSync(folder, 0o711)
  const { child, said } = await serve(folder)
  try {
    const subject = await subjectOf(folder, JSON.parse(said))
    return figuresOf(await wakes(subject), await queries(subject))
  } finally {
    await stopped(child, 'SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

const ms = (value: number, digits: number): string => `${value.toFixed(digits)} ms`

function figuresOf(woken: Wakes, query: Queries): Figures {
  const ratio = woken.woken / woken.direct
  const added = {
    passed: query.passed - query.direct,
    terminated: query.terminated - query.direct,
    plain: query.plain - query.directPlain,
  }
  return {
    rows: [
      ['what', 'measured', 'goal'],
      ['direct spawn to first answer, TLS, median', ms(woken.direct, 0), ''],
      ['suspended to first answer, TLS, median', ms(woken.woken, 0), ''],
      ['ratio', ratio.toFixed(2), '≤ 1.5'],
      ['one query directly, TLS', ms(query.direct, 3), ''],
      ['added when TLS is passed through', ms(added.passed, 3), '≤ 0.1 ms'],
      ['added when TLS ends at the proxy', ms(added.terminated, 3), ''],
      ['one query directly, without TLS', ms(query.directPlain, 3), ''],
      ['added without TLS', ms(added.plain, 3), '≤ 0.1 ms'],
    ],
    json: {
      spawn_ms: woken.direct,
      wake_ms: woken.woken,
      wake_ratio: ratio,
      query_tls_ms: query.direct,
      added_passed_ms: added.passed,
      added_terminated_ms: added.terminated,
      query_plain_ms: query.directPlain,
      added_plain_ms: added.plain,
    },
  }
}

async function serve(folder: string): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../local/serve.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = await new Promise<Buffer>((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', () => reject(new Error('the service ended before it was up')))
  })
  return { child, said: String(said) }
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = new Promise((resolve) => void child.once('exit', resolve))
  child.kill(signal)
  await exited
}

async function subjectOf(
  folder: string,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Subject> {
  const call = async (path: string, method = 'GET'): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
    })
    return answer.json() as Promise<Answer>
  }
  const projectId = (await call('/projects')).projects[0]?.id ?? ''
  const base = `/projects/${projectId}`
  const [endpoint] = (await call(`${base}/endpoints`)).endpoints
  if (!endpoint) throw new Error('the project has no compute')
  const { uri } = await call(`${base}/connection_uri?database_name=app&role_name=app_owner`)
  const state = async (): Promise<string> =>
    (await call(`${base}/endpoints/${endpoint.id}`)).endpoint.current_state
  await answerOf(uri) // awake from here on
  return {
    folder,
    dataFolder: join(folder, 'branches', endpoint.branch_id),
    uri,
    endpointId: endpoint.id,
    suspend: async () => {
      await call(`${base}/endpoints/${endpoint.id}/suspend`, 'POST')
      while ((await state()) !== 'idle') await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

/** What is read of the answers of the API. */
type Answer = {
  readonly projects: readonly { readonly id: string }[]
  readonly endpoints: readonly { readonly id: string; readonly branch_id: string }[]
  readonly endpoint: { readonly current_state: string }
  readonly uri: string
}

/** Connects and runs one query; how long that took, ms. */
async function answerOf(connectionString: string): Promise<number> {
  const from = performance.now()
  const client = new Client({ connectionString })
  await client.connect()
  await client.query('select 1')
  const took = performance.now() - from
  await client.end()
  return took
}

type Wakes = { readonly direct: number; readonly woken: number }

async function wakes(subject: Subject): Promise<Wakes> {
  const owner = postgresUser()
  const clock = createClock()
  const tls = join(subject.folder, 'tls')
  const certificate = await ensureCertificate({ folder: tls, suffix: 'local.localhost', owner, clock })
  const binaries = findBinaries({
    chosen: process.env['PG_BIN'],
    copyTo: join(subject.folder, 'postgres'),
    owner,
  })
  const woken: number[] = []
  const direct: number[] = []
  for (let round = 0; round < WAKES; round += 1) {
    await subject.suspend()
    woken.push(await answerOf(subject.uri))
    await subject.suspend()
    const port = await ownPort()
    const from = performance.now()
    const server = await startServer({
      binaries,
      owner,
      clock,
      certificate,
      dataFolder: subject.dataFolder,
      port,
    })
    const spawned = performance.now() - from
    direct.push(spawned + (await answerOf(directUri(subject.uri, port))))
    await server.stop(0)
  }
  await answerOf(subject.uri)
  return { direct: median(direct), woken: median(woken) }
}

function directUri(uri: string, port: number): string {
  const direct = new URL(uri)
  direct.port = String(port)
  direct.searchParams.delete('options')
  return direct.href
}

type Queries = {
  readonly direct: number
  readonly passed: number
  readonly terminated: number
  readonly directPlain: number
  readonly plain: number
}

/** Latency of one prepared `select 1` in one session, by pgbench, ms: medians of rounds taken in turns. */
async function queries(subject: Subject): Promise<Queries> {
  const script = join(subject.folder, 'one.sql')
  writeFileSync(script, 'select 1;\n')
  const port = Number(readFileSync(join(subject.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[3])
  const direct = directUri(subject.uri, port)
  const { username, password, port: proxyPort, searchParams } = new URL(subject.uri)
  const ways: Record<keyof Queries, string> = {
    direct,
    passed:
      `host=${subject.endpointId}.local.localhost hostaddr=127.0.0.1 port=${proxyPort} user=${username} ` +
      `password=${password} dbname=app sslmode=verify-full sslrootcert=${searchParams.get('sslrootcert')}`,
    terminated: subject.uri,
    directPlain: withoutTls(direct),
    plain: withoutTls(subject.uri),
  }
  const taken: Record<keyof Queries, number[]> = {
    direct: [],
    passed: [],
    terminated: [],
    directPlain: [],
    plain: [],
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of Object.keys(ways) as (keyof Queries)[])
      taken[way].push(await latencyOf(ways[way], script))
  }
  return {
    direct: median(taken.direct),
    passed: median(taken.passed),
    terminated: median(taken.terminated),
    directPlain: median(taken.directPlain),
    plain: median(taken.plain),
  }
}

const withoutTls = (uri: string): string => uri.replace('verify-full', 'disable')

async function latencyOf(connection: string, script: string): Promise<number> {
  const args = ['-n', '-M', 'prepared', '-c', '1', '-t', String(QUERIES), '-f', script, connection]
  const { out, err } = await run('pgbench', args)
  const tps = Number(/tps = ([\d.]+)/.exec(out)?.[1])
  if (!(tps > 0)) throw new Error(`pgbench measured nothing: ${err}`)
  return 1000 / tps
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
