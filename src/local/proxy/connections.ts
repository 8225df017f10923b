// Connections of clients: refused, closed, counted, dropped.
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { writeError } from './startup.ts'

/** `code` is an SQLSTATE. */
export type ProxyRefusal = Readonly<{ code: string; message: string }>

/** Time to read the last message and disconnect, ms: a client that never reads would stay for ever. */
const LINGER_TIMEOUT = 2000

/** The client gets an error message as of a server. */
export function refuseClient(client: Socket, { code, message }: ProxyRefusal, clock: Clock): void {
  if (client.destroyed || !client.writable) return void client.destroy()
  client.end(writeError(code, message))
  client.resume() // so that the client gets the message and not a reset
  destroyLater(client, clock)
}

/** Closes after the bytes still to be sent. */
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

export type Connections = ReturnType<typeof createConnections>

export function createConnections(clock: Clock) {
  // compute → socket → whether it is pooled
  const computes = new Map<string, Map<Socket, boolean>>()
  return {
    /** Adds a client until it disconnects; `pooled` ones take no connection of the server by themselves. */
    add: (endpointId: string, socket: Socket, pooled = false) => {
      const sockets = computes.get(endpointId) ?? new Map<Socket, boolean>()
      computes.set(endpointId, sockets.set(socket, pooled))
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size === 0 && computes.get(endpointId) === sockets) computes.delete(endpointId)
      })
    },
    /** Connections of the server itself. */
    count: (endpointId: string) =>
      [...(computes.get(endpointId)?.values() ?? [])].filter((pooled) => !pooled).length,
    /** Pooled ones included. */
    drop: (endpointId: string) => {
      // not destroyed: the server's last message may be on its way
      for (const socket of computes.get(endpointId)?.keys() ?? []) closeGracefully(socket, clock)
    },
  }
}
