// The program as users start it, in a process of its own, and what the system counts for it. Needs Linux.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR } from '../launched.ts'

export type Program = Readonly<{
  /** From its start until it takes connections, s. */
  listeningAfter: number
  residentBytes: () => number
  /** Since its start. */
  cpuSeconds: () => number
  /** Resolves when it has ended. */
  stop: () => Promise<void>
}>

/** Of the checkout. */
export const LAUNCHER = fileURLToPath(import.meta.resolve('../../../src/dormouse.mjs'))

/** Of the counters in /proc: 100 a second on all Linux systems of today. */
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

export type Start = Readonly<{
  launcher: string
  configFile: string
  apiKey: string
  /** Of its telemetry listener. */
  port: number
}>

/** Resolves when it listens. @throws with what it said when it ends before */
export async function startProgram({ launcher, configFile, apiKey, port }: Start): Promise<Program> {
  const begun = performance.now()
  const child = spawn(process.execPath, [launcher, 'run', '--config', configFile], {
    env: { ...ALLOCATOR, PATH: process.env['PATH'], HOME: process.env['HOME'], FLEET_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)))
  const gone = ended.then((): never => {
    throw new Error(`the program has ended\n${said}`)
  })
  const listens = listensOn(port).then(() => performance.now())
  const at = await Promise.race([listens, gone])
  gone.catch(() => undefined)
  const stat = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return {
    listeningAfter: (at - begun) / 1000,
    residentBytes: () =>
      1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]),
    // user and system time, fields 14 and 15 of all
    cpuSeconds: () => (Number(stat()[11]) + Number(stat()[12])) / TICKS,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Between two attempts to connect, ms: a tenth of the start of bare Node. */
const TRY_EVERY = 3

async function listensOn(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  if (isOpen) return
  await sleep(TRY_EVERY)
  await listensOn(port)
}

/** From the start of a Node that does nothing to its end, s. */
export async function bareStart(): Promise<number> {
  const begun = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return (performance.now() - begun) / 1000
}
