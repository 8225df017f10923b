import { type Socket, connect } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { Clock } from '../clock.ts'
import { readFirstPacket } from './first-packet.ts'
import { TLS_REQUEST } from './startup.ts'

/** `none`; the client's own TLS; or the proxy's: then the session is encrypted for the server, with channel binding. */
type DialProtection = 'none' | "client's" | "proxy's"

export type DialTarget = Readonly<{
  port: number
  protection: DialProtection
  /** TLS with the certificate that servers have, too. */
  tls: SecureContext
  clock: Clock
}>

/** Time to accept a connection, ms: a server forks, which takes long under load. */
const TIMEOUT = 10_000

/** Paused; undefined when the connection fails. Never rejects. */
export async function dialServer({ port, protection, tls, clock }: DialTarget): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => socket.destroy())
  const cancelTimeout = clock.after(TIMEOUT, () => socket.destroy())
  try {
    if (!(await connected(socket, 'connect'))) return undefined
    if (protection === 'none') return socket
    socket.write(Buffer.from(TLS_REQUEST))
    const answer = await readFirstPacket(socket, readAnswer)
    if (answer?.kind !== 'agreed') return void socket.destroy()
    if (protection === "client's") return socket
    const secure = connectTls({ socket, secureContext: tls, checkServerIdentity: () => undefined })
    secure.on('error', () => secure.destroy())
    return (await connected(secure, 'secureConnect')) ? secure : undefined
  } finally {
    cancelTimeout()
  }
}

type Answer = { readonly kind: 'more' | 'agreed' | 'refused' }

const readAnswer = (bytes: Buffer): Answer => ({
  kind: bytes.length === 0 ? 'more' : bytes.toString('latin1') === 'S' ? 'agreed' : 'refused',
})

const connected = (socket: Socket, event: 'connect' | 'secureConnect'): Promise<boolean> =>
  new Promise((resolve) => {
    socket.once(event, () => resolve(true)).once('close', () => resolve(false))
  })
