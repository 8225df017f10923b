import { randomInt } from 'node:crypto'
import { type Server, type Socket, createServer } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Store } from '../state/store.ts'
import { closeGracefully } from './connections.ts'

/** Listens on a loopback address. */
type Listener = { readonly port: number; close(): Promise<void> }

/** TCP or HTTP. */
type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>

/** Connections that wait to be accepted; with the usual 511, some of a burst of 1,000 would retry after 1 s. */
const BACKLOG = 4096

/** Errors of addresses in use or not available here. */
const TAKEN: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'])

/** Undefined when the address is taken. Port 0 is any free port. */
export function listenOn(server: Listening, port: number, host = '127.0.0.1'): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const failed = (error: NodeJS.ErrnoException) => {
    if (TAKEN.has(error.code ?? '')) resolve(undefined)
    else reject(error)
  }
  server.once('error', failed)
  server.listen({ port, host, backlog: BACKLOG }, () => {
    server.off('error', failed)
    const address = server.address()
    resolve(typeof address === 'object' && address ? address.port : undefined)
  })
  return promise
}

/**
 * Ports of servers that other programs start. The system gives ports from 32768 on to connections and to servers with
 * port 0, which could take a port between its choice and its use. Source: Linux, ip_local_port_range.
 */
const STARTED_PORTS = { first: 20_000, end: 32_768 }

/** Each is in use with the probability of a busy machine, a few per cent. */
const PORT_ATTEMPTS = 100

/** Free a moment ago, and of no range that the system gives ports from. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    await using server = createServer()
    const port = await listenOn(server, randomInt(STARTED_PORTS.first, STARTED_PORTS.end))
    if (port !== undefined) return port
  }
  throw new Error(
    `none of ${PORT_ATTEMPTS} ports from ${STARTED_PORTS.first} to ${STARTED_PORTS.end} is free`,
  )
}

/** Default host 127.0.0.1. */
export type ListenAddress = Readonly<{ host?: string; port: number }>

/** `close` also closes accepted connections; undefined when the address is taken. */
export async function listenTcp(
  { port, host }: ListenAddress,
  onClient: (client: Socket) => void,
  clock: Clock,
): Promise<Listener | undefined> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    onClient(client)
  })
  const bound = await listenOn(server, port, host)
  if (bound === undefined) return undefined
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const client of clients) closeGracefully(client, clock)
    })
  return { port: bound, close }
}

/** `setting`: the port last opened. `option`: configures one, 0 for none. */
type PortChoice = Readonly<{ setting: string; option: string; configured: number | undefined }>

/** The configured port or an error; else the port of the last start, else any. Stores it. */
export async function openPort<Opened extends number | { readonly port: number }>(
  store: Store,
  { setting, option, configured = 0 }: PortChoice,
  open: (port: number) => Promise<Opened | undefined>,
): Promise<Opened> {
  const preferred = await open(configured || Number(store.setting(setting) ?? 0))
  const opened = preferred ?? (configured === 0 ? await open(0) : undefined)
  const advice = `set ${option} to another, or to 0 for any free one`
  if (!opened) throw new Error(`port ${configured} on 127.0.0.1 is in use: ${advice}`)
  store.setSetting(setting, String(typeof opened === 'number' ? opened : opened.port))
  return opened
}
