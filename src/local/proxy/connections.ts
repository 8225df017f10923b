import type { Socket } from 'node:net'

/** The client sockets of every compute, so that they can be dropped together. */
export type Connections = {
  /** Until it closes, the socket counts as a connection of this compute. */
  add(endpointId: string, socket: Socket): void
  drop(endpointId: string): void
  dropAll(): void
}

export function createConnections(): Connections {
  const sockets = new Map<string, Set<Socket>>()
  const drop = (endpointId: string): void => {
    // ended, not destroyed: the server's own last message may still be on its way to the client
    for (const socket of sockets.get(endpointId) ?? []) socket.destroySoon()
  }
  return {
    add: (endpointId, socket) => {
      const known = sockets.get(endpointId) ?? new Set()
      sockets.set(endpointId, known.add(socket))
      socket.once('close', () => {
        known.delete(socket)
        if (known.size === 0) sockets.delete(endpointId)
      })
    },
    drop,
    dropAll: () => {
      for (const endpointId of sockets.keys()) drop(endpointId)
    },
  }
}
