import type { Server, Socket } from 'node:net'
import { createServer } from 'node:net'

/** Something that accepts connections on 127.0.0.1. */
export type Listener = { readonly port: number; close(): Promise<void> }

/** The part of a server, TCP or HTTP, that listens. */
type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>

/**
 * Listens on 127.0.0.1; 0 is any free port.
 *
 * @returns the port, or undefined when it is taken
 */
export async function listenOn(server: Listening, port: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
    else reject(error)
  }
  server.once('error', failed)
  server.listen(port, '127.0.0.1', () => {
    server.off('error', failed)
    const address = server.address()
    resolve(typeof address === 'object' && address ? address.port : undefined)
  })
  return promise
}

/** A TCP listener whose `close` also ends the connections it accepted; undefined when the port is taken. */
export async function listen(
  port: number,
  onClient: (client: Socket) => void,
): Promise<Listener | undefined> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client))
    onClient(client)
  })
  const bound = await listenOn(server, port)
  if (bound === undefined) return undefined
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const client of clients) client.destroySoon()
    })
  return { port: bound, close }
}
