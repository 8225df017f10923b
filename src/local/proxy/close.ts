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
