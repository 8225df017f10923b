import { type Socket, connect } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { Clock } from '../clock.ts'
import { readFirstPacket } from './first-packet.ts'
import { ASK_FOR_TLS } from './startup.ts'

/**
 * How the way to the server is protected: not at all; by the client's own TLS, which begins when the server has agreed
 * to it; or by TLS of ours, so that the server counts the session as encrypted and offers channel binding.
 */
export type DialProtection = 'none' | "client's" | 'ours'

export type DialTarget = {
  readonly port: number
  readonly protection: DialProtection
  /** Of our own TLS. The server has our certificate and no other. */
  readonly tls: SecureContext
  readonly clock: Clock
}

/** How long a server of this machine may take to accept a connection, ms. It forks a process for that. */
const BOUND = 10_000

/** A connection with a server of this machine, paused; undefined when there is none to be had. Never rejects. */
export async function dialServer({ port, protection, tls, clock }: DialTarget): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => socket.destroy())
  const cancelBound = clock.after(BOUND, () => socket.destroy())
  try {
    if (!(await connected(socket, 'connect'))) return undefined
    if (protection === 'none') return socket
    socket.write(Buffer.from(ASK_FOR_TLS))
    const answer = await readFirstPacket(socket, readAnswer)
    if (answer?.kind !== 'agreed') {
      socket.destroy()
      return undefined
    }
    if (protection === "client's") return socket
    const secure = connectTls({ socket, secureContext: tls, checkServerIdentity: () => undefined })
    secure.on('error', () => secure.destroy())
    return (await connected(secure, 'secureConnect')) ? secure : undefined
  } finally {
    cancelBound()
  }
}

type Answer = { readonly kind: 'more' | 'agreed' | 'refused' }

const readAnswer = (bytes: Buffer): Answer => ({
  kind: bytes.length === 0 ? 'more' : bytes.toString('latin1') === 'S' ? 'agreed' : 'refused',
})

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once(event, () => resolve(true)).once('close', () => resolve(false))
  })
}
