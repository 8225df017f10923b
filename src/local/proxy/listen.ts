import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import type { Clock } from '../clock.ts'
import { closeGracefully } from './close.ts'

/** Something that accepts connections on a loopback address. */
export type Listener = { readonly port: number; close(): Promise<void> }

/** The part of a server, TCP or HTTP, that listens. */
type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>

/** Connections the system keeps until we accept them. The usual 511 would make a burst of a thousand try again after 1 s. */
const BACKLOG = 4096
/** Also where a machine has no such address. */
const TAKEN: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'])

/**
 * Listens on 127.0.0.1 or another loopback address; 0 is any free port.
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

/** Where to listen; a port alone is on 127.0.0.1. */
export type ListenAddress = number | { readonly host: string; readonly port: number }

/** A TCP listener whose `close` also ends the connections it accepted; undefined when the place is taken. */
export async function listenTcp(
  place: ListenAddress,
  onClient: (client: Socket) => void,
  clock: Clock,
): Promise<Listener | undefined> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    onClient(client)
  })
  const { host, port } = typeof place === 'number' ? { host: undefined, port: place } : place
  const bound = await listenOn(server, port, host)
  if (bound === undefined) return undefined
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const client of clients) closeGracefully(client, clock)
    })
  return { port: bound, close }
}

/** Tries the preferred port; when nobody asked for a certain one, any other will do. */
export async function listenOnFirstFree<Opened>(
  preferred: number,
  wanted: number,
  open: (port: number) => Promise<Opened | undefined>,
): Promise<Opened | undefined> {
  const opened = await open(preferred)
  return opened ?? (wanted === 0 ? open(0) : undefined)
}

export const portTaken = (port: number, option: string): Error =>
  new Error(`port ${port} on 127.0.0.1 is in use: set ${option} to another, or to 0 for any free one`)
