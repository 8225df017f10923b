import { type Server, type Socket, createServer } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Store } from '../state/store.ts'
import { closeGracefully } from './connections.ts'

/** Accepts connections on a loopback address. */
export type Listener = { readonly port: number; close(): Promise<void> }

/** Part of a TCP or HTTP server that listens. */
type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>

/** Connections that the system queues until they are accepted; with the usual 511, a burst of 1,000 would retry after 1 s. */
const BACKLOG = 4096

/** Errors of an address that is in use or not available on this machine. */
const TAKEN: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'])

/** Listens on a loopback address and returns the port; undefined when it is taken. Port 0 is any free port. */
export function listenOn(server: Listening, port: number, host = '127.0.0.1'): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const failed = (error: NodeJS.ErrnoException): void => {
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

/** A port of 127.0.0.1 that was free a moment ago; another program may take it before it is used. */
export async function freePort(): Promise<number> {
  await using server = createServer()
  return (await listenOn(server, 0)) ?? 0
}

/** Address to listen on; without a host on 127.0.0.1. */
export type ListenAddress = { readonly host?: string; readonly port: number }

/** Opens a TCP listener whose `close` also closes the accepted connections; undefined when the address is taken. */
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
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const client of clients) closeGracefully(client, clock)
    })
  return { port: bound, close }
}

/** Setting with the port that was last opened, and the option that configures one, 0 for none. */
type PortChoice = Readonly<{
  setting: string
  option: string
  configured: number | undefined
}>

/** Opens the configured port or throws; without one, the port of the last start, else any other. Stores it for the next start. */
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
