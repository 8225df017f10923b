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

type ComputeSockets = { readonly direct: Set<Socket>; readonly pooled: Set<Socket> }

export function createConnections(clock: Clock): Connections {
  const computes = new Map<string, ComputeSockets>()
  return {
    add: (endpointId, socket, pooled = false) => {
      const sockets = computes.get(endpointId) ?? { direct: new Set(), pooled: new Set() }
      computes.set(endpointId, sockets)
      const kind = pooled ? sockets.pooled : sockets.direct
      kind.add(socket)
      socket.once('close', () => {
        kind.delete(socket)
        const isEmpty = sockets.direct.size + sockets.pooled.size === 0
        if (isEmpty && computes.get(endpointId) === sockets) computes.delete(endpointId)
      })
    },
    count: (endpointId) => computes.get(endpointId)?.direct.size ?? 0,
    drop: (endpointId) => {
      const { direct = [], pooled = [] } = computes.get(endpointId) ?? {}
      // not destroyed: the server's last message may still be on its way to the client
      for (const socket of [...direct, ...pooled]) closeGracefully(socket, clock)
    },
  }
}
