// Connections of clients: refused, closed, counted and dropped.
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { writeError } from './startup.ts'

/** Why a client is not served; `code` is an SQLSTATE. */
export type ProxyRefusal = { readonly code: string; readonly message: string }

/** Time for a client to read the last message and disconnect, 2 s: a client that never reads would stay for ever. */
const LINGER_TIMEOUT = 2000

/** Sends a client an error message as a server would, and closes the connection. */
export function refuseClient(client: Socket, { code, message }: ProxyRefusal, clock: Clock): void {
  if (client.destroyed || !client.writable) return void client.destroy()
  client.end(writeError(code, message))
  client.resume() // reads to the end, so that the client gets the message and not a reset
  destroyLater(client, clock)
}

/** Closes a connection after the other side has received the bytes still to be sent. */
export function closeGracefully(socket: Socket, clock: Clock): void {
  if (socket.destroyed) return
  socket.destroySoon()
  destroyLater(socket, clock)
}

function destroyLater(socket: Socket, clock: Clock): void {
  if (socket.destroyed) return
  const cancel = clock.after(LINGER_TIMEOUT, () => socket.destroy())
  socket.once('close', cancel)
}

/** Client sockets of every compute, to be counted and dropped together. */
export type Connections = {
  /** Adds a client until it disconnects; `pooled` clients take no connection of the compute's server by themselves. */
  add(endpointId: string, socket: Socket, pooled?: boolean): void
  /** Connections of the compute's server itself. */
  count(endpointId: string): number
  /** Closes the connections of all clients of a compute, pooled ones included. */
  drop(endpointId: string): void
}

export function createConnections(clock: Clock): Connections {
  // compute → its sockets, each with whether it is pooled
  const computes = new Map<string, Map<Socket, boolean>>()
  return {
    add: (endpointId, socket, pooled = false) => {
      const sockets = computes.get(endpointId) ?? new Map<Socket, boolean>()
      computes.set(endpointId, sockets.set(socket, pooled))
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size === 0 && computes.get(endpointId) === sockets) computes.delete(endpointId)
      })
    },
    count: (endpointId) =>
      computes
        .get(endpointId)
        ?.values()
        .reduce((count, pooled) => count + (pooled ? 0 : 1), 0) ?? 0,
    drop: (endpointId) => {
      // not destroyed: the server's last message may still be on its way to the client
      for (const socket of computes.get(endpointId)?.keys() ?? []) closeGracefully(socket, clock)
    },
  }
}
