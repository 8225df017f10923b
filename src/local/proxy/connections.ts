import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { closeGracefully } from './close.ts'

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
