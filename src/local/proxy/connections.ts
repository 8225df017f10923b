import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { closeGracefully } from './close.ts'

/** The client sockets of every compute, so that they can be counted and dropped together. */
export type Connections = {
  /** Until it closes, the socket counts as a connection of this compute. */
  add(endpointId: string, socket: Socket): void
  /** The same for a client of the pooler, which takes no connection of the server by itself. */
  addPooled(endpointId: string, socket: Socket): void
  /** Connections of the server itself. */
  count(endpointId: string): number
  /** Lets all clients of a compute go, those of its pooler included. */
  drop(endpointId: string): void
}

export function createConnections(clock: Clock): Connections {
  const direct = createSockets()
  const pooled = createSockets()
  return {
    add: (endpointId, socket) => direct.add(endpointId, socket),
    addPooled: (endpointId, socket) => pooled.add(endpointId, socket),
    count: (endpointId) => direct.of(endpointId).size,
    drop: (endpointId) => {
      // ended, not destroyed: the server's own last message may still be on its way to the client
      for (const socket of direct.of(endpointId)) closeGracefully(socket, clock)
      for (const socket of pooled.of(endpointId)) closeGracefully(socket, clock)
    },
  }
}

type Sockets = {
  add(endpointId: string, socket: Socket): void
  of(endpointId: string): ReadonlySet<Socket>
}

const NONE: ReadonlySet<Socket> = new Set()

function createSockets(): Sockets {
  const sockets = new Map<string, Set<Socket>>()
  return {
    of: (endpointId) => sockets.get(endpointId) ?? NONE,
    add: (endpointId, socket) => {
      const known = sockets.get(endpointId) ?? new Set()
      sockets.set(endpointId, known.add(socket))
      socket.once('close', () => {
        known.delete(socket)
        if (known.size === 0 && sockets.get(endpointId) === known) sockets.delete(endpointId)
      })
    },
  }
}
