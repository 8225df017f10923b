import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { writeError } from './startup.ts'

/** Why a client is not served; `code` is an SQLSTATE. */
export type ProxyRefusal = { readonly code: string; readonly message: string }

/** How long a client may take to read its last words and hang up, ms. One that never reads would stay for ever. */
const LINGER_BOUND = 2000

/** Tells a client why it is not served, as a server would, and lets it go. */
export function refuseClient(client: Socket, { code, message }: ProxyRefusal, clock: Clock): void {
  if (client.destroyed || !client.writable) return void client.destroy()
  client.end(writeError(code, message))
  client.resume() // read on to the end, so that the client gets the message and not a reset
  destroyLater(client, clock)
}

/** Ends a connection once what is on its way to the other side has been taken. */
export function closeGracefully(socket: Socket, clock: Clock): void {
  if (socket.destroyed) return
  socket.destroySoon()
  destroyLater(socket, clock)
}

function destroyLater(socket: Socket, clock: Clock): void {
  if (socket.destroyed) return
  const cancel = clock.after(LINGER_BOUND, () => socket.destroy())
  socket.once('close', cancel)
}
