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

/** The end of a server may close its sessions this much earlier than it is noticed, ms. */
const LOSS_WINDOW = 1000

type Session = Readonly<{ socket: Socket; pooled: boolean }>
type Loss = Readonly<{ at: number; pooled: boolean }>

export function createConnections(clock: Clock) {
  // compute → sessions
  const computes = new Map<string, Set<Session>>()
  // compute → sessions that its server has closed lately
  const losses = new Map<string, readonly Loss[]>()
  const sessionsOf = (endpointId: string) => [...(computes.get(endpointId) ?? [])]
  const lossesOf = (endpointId: string) =>
    (losses.get(endpointId) ?? []).filter(({ at }) => at > clock.now() - LOSS_WINDOW)
  const remove = (endpointId: string, session: Session) => {
    const sessions = computes.get(endpointId)
    const isOpen = sessions?.delete(session) === true
    if (sessions?.size === 0) computes.delete(endpointId)
    return isOpen
  }
  return {
    /**
     * Counts a client until it leaves or is dropped; `pooled` ones take no connection of the server by themselves.
     *
     * @returns to be called when the server closes the session
     */
    add: (endpointId: string, socket: Socket, pooled = false) => {
      const session = { socket, pooled }
      computes.set(endpointId, (computes.get(endpointId) ?? new Set<Session>()).add(session))
      for (const event of ['end', 'close']) socket.once(event, () => void remove(endpointId, session))
      return () => {
        if (!remove(endpointId, session)) return
        losses.set(endpointId, [...lossesOf(endpointId), { at: clock.now(), pooled }])
      }
    },
    /** Connections of the server itself. */
    count: (endpointId: string) => sessionsOf(endpointId).filter(({ pooled }) => !pooled).length,
    /** Open sessions; `isLost`: also those that the server has just closed. */
    sessions: (endpointId: string, isLost = false) => {
      const all = [...sessionsOf(endpointId), ...(isLost ? lossesOf(endpointId) : [])]
      return { open: all.length, openPooled: all.filter(({ pooled }) => pooled).length }
    },
    /** Pooled ones included. */
    drop: (endpointId: string) => {
      const sessions = sessionsOf(endpointId)
      computes.delete(endpointId)
      losses.delete(endpointId)
      // not destroyed: the server's last message may be on its way
      for (const { socket } of sessions) closeGracefully(socket, clock)
    },
  }
}
