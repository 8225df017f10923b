import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Clock } from '../clock.ts'
import { closeGracefully } from './close.ts'

/** Accepts connections on a loopback address. */
export type Listener = { readonly port: number; close(): Promise<void> }

/** Part of a TCP or HTTP server that listens. */
type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>

/** Connections that the system queues until they are accepted; with the usual 511, a burst of 1,000 would retry after 1 s. */
const BACKLOG = 4096

/** Errors of an address that is in use or not available on this machine. */
const TAKEN: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'])

/**
 * Listens on a loopback address; port 0 is any free port.
 *
 * @returns the port, or undefined when it is taken
 */
export async function listenOn(
  server: Listening,
  port: number,
  host = '127.0.0.1',
): Promise<number | undefined> {
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

/** Address to listen on; a port alone is on 127.0.0.1. */
export type ListenAddress = number | { readonly host: string; readonly port: number }

/** Opens a TCP listener whose `close` also closes the accepted connections; undefined when the address is taken. */
export async function listenTcp(
  address: ListenAddress,
  onClient: (client: Socket) => void,
  clock: Clock,
): Promise<Listener | undefined> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    onClient(client)
  })
  const { host, port } = typeof address === 'number' ? { host: undefined, port: address } : address
  const bound = await listenOn(server, port, host)
  if (bound === undefined) return undefined
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const client of clients) closeGracefully(client, clock)
    })
  return { port: bound, close }
}

/** Opens the preferred port. When it is taken and none was configured (0), opens any other. */
export async function listenOnFirstFree<Opened>(
  preferred: number,
  configured: number,
  open: (port: number) => Promise<Opened | undefined>,
): Promise<Opened | undefined> {
  return (await open(preferred)) ?? (configured === 0 ? open(0) : undefined)
}

export const portTaken = (port: number, option: string): Error =>
  new Error(`port ${port} on 127.0.0.1 is in use: set ${option} to another, or to 0 for any free one`)
