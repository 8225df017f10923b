// Both listeners of a daemon over a simulated fleet, and clients on their sockets.
import { once } from 'node:events'
import { request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createClock } from '../../src/daemon/clock.ts'
import { openListeners } from '../../src/daemon/http/listeners.ts'
import { createExposition } from '../../src/daemon/snapshot/exposition.ts'
import type { ReportSource } from '../../src/daemon/reports/build.ts'
import { exportedAccount } from '../../src/daemon/history/export.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { createOwners } from '../../src/model/policy/owner.ts'
import type { History } from '../../src/model/ports/history.ts'
import { createSelfMetrics } from '../../src/outputs/metrics/self.ts'
import { GOOD, load } from '../config/loading.ts'
import { dayAt, refOf } from '../store/build.ts'
import { ledger, prices } from '../support/build.ts'
import { FACTS } from '../support/exposed.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { busySnapshot } from '../support/fleet-snapshot.ts'
import { NO_HISTORY } from '../support/no-history.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { REPORTED_ADVICE } from '../support/recommendations.ts'

type Opened = Awaited<ReturnType<typeof openedListeners>>

/** `server`: further keys of the section. */
export async function openedListeners(computes: number, server = '', history: Partial<History> = {}) {
  const config = load(`${GOOD}server: { telemetry: "127.0.0.1:0", api: "127.0.0.1:0"${server} }`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  const clock = { ...fakeClock('2026-01-13T09:00:00Z'), yield: () => setImmediate() }
  const self = createSelfMetrics()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const exposition = createExposition(() => ({ ...FACTS, maxSeries: 1_000_000 }), { self, clock, log })
  const taken = busySnapshot(computes)
  await exposition.publish(taken)
  const past = { ...NO_HISTORY, ...history }
  const source: ReportSource = {
    history: { ...past, eventsAfter: () => Promise.resolve([]) },
    ledger: ledger(),
    advice: REPORTED_ADVICE,
    prices,
    zone: createUtc(),
    owners: createOwners([]),
    plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
    unread: undefined,
    view: undefined,
  }
  const telemetry = {
    exposition,
    clock,
    snapshot: () => taken,
    healthy: () => true,
    notReady: () => undefined,
  }
  const api = {
    ...NO_PAGES,
    clock,
    snapshot: () => taken,
    history: past,
    accounts: () => [exportedAccount(ledger(), 'USD')],
    reports: () => new Map([['main', source]]),
  }
  const listeners = await openListeners(() => config.value, { telemetry, api }, { clock, self, log })
  const counts = async (name: string): Promise<readonly string[]> => {
    const family = (await self.parts()).find((part) => part.name === name)
    return Buffer.concat(family?.blocks ?? [])
      .toString()
      .trim()
      .split('\n')
  }
  return {
    clock,
    /** Lines of the log. */
    lines,
    /** Lines of a metric of the process. */
    counts,
    telemetry: new URL(listeners.telemetryUrl),
    api: new URL(listeners.apiUrl),
    [Symbol.asyncDispose]: () => listeners[Symbol.asyncDispose](),
  }
}

export type Listener = Opened['telemetry']

/** Days of `computes` computes over five weeks, as the store gives them. */
export const fiveWeeks = (computes: number): Pick<History, 'days'> => ({
  days: async function* read() {
    const clock = createClock()
    for (let index = 0; index < computes; index += 1) {
      for (let day = 0; day < 35; day += 1) yield dayAt(refOf(`ep-${index}`, `p-${index}`), day)
      await clock.yield()
    }
  },
})

/** Another address of this machine than that of `connected`. */
const OTHER_ADDRESS = '127.0.0.2'

type Answered = Readonly<{
  status: number
  bytes: number
  /** Time of this thread from the request to the end of the answer, ms: the wait on an idle machine, measured on a busy one. */
  busy: number
}>

/** A well-behaved client from another address; `agent: false` is a connection of its own. */
export async function askFromElsewhere(url: Listener, path: string): Promise<Answered> {
  const before = process.threadCpuUsage()
  const send = url.protocol === 'https:' ? requestSecurely : request
  const sent = send({
    host: url.hostname,
    port: url.port,
    path,
    localAddress: OTHER_ADDRESS,
    agent: false,
    rejectUnauthorized: false,
    headers: { host: 'localhost' },
  }).end()
  const [answer] = await once(sent, 'response')
  let bytes = 0
  for await (const piece of answer) bytes += piece.length
  const { user, system } = process.threadCpuUsage(before)
  return { status: answer.statusCode, bytes, busy: (user + system) / 1000 }
}

export type Client = Readonly<{
  socket: Socket
  /** What came so far; not collected while `isReading` is false. */
  text: () => string
  closed: Promise<unknown>
}>

/** A TCP connection, once it is there. */
export async function connected(
  url: Listener,
  { isReading = true, from = '127.0.0.1' } = {},
): Promise<Client> {
  const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: from })
  const pieces: Buffer[] = []
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  if (isReading) socket.on('data', (piece: Buffer) => void (pieces.length < 100 && pieces.push(piece)))
  else socket.pause()
  await once(socket, 'connect')
  return { socket, text: () => Buffer.concat(pieces).toString('latin1'), closed }
}

/** Largest memory of the process while `work` ran, and at its start, bytes. */
export async function memoryDuring(work: () => Promise<void>): Promise<{ before: number; peak: number }> {
  const before = process.memoryUsage.rss()
  let peak = before
  const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5)
  await work()
  clearInterval(sampling)
  return { before, peak: Math.max(peak, process.memoryUsage.rss()) }
}
