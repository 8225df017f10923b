// A client's messages up to the one that says what it wants: encryption is agreed on or declined.
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { readClientHello } from './client-hello.ts'
import { readFirstPacket } from './first-packet.ts'
import { type Startup, invalidStartup, readStartup } from './startup.ts'
import { type Target, targetOfHost } from './target.ts'

/** Later bytes are still in `stream`. */
export type Handshake = Readonly<{
  stream: Socket
  /** TLS that ends here. */
  encrypted: boolean
  /** Target by the host name in TLS. */
  target: Target | undefined
  request: ClientRequest
}>

type ClientRequest = Extract<Startup, { readonly kind: 'startup' | 'cancel' | 'garbage' }>

/** TLS passes through: the first TLS message is still in the socket. */
export type PassThrough = Readonly<{ client: Socket; passTo: Target }>

type HandshakeOptions = Readonly<{
  tls: SecureContext
  suffix: string
  /** Whether TLS for this target passes through to its server. */
  passes: (target: Target) => boolean
}>

const PROTOCOL = 'postgresql'

/** Undefined after a disconnect, or after what no server would answer. */
type Outcome = Handshake | PassThrough | undefined

export async function runHandshake(client: Socket, options: HandshakeOptions): Promise<Outcome> {
  const packet = await readUnencrypted(client)
  if (packet?.kind === 'encryption' || packet?.kind === 'direct-tls')
    return readEncrypted(client, packet.kind === 'direct-tls', options)
  return packet && { stream: client, encrypted: false, target: undefined, request: packet }
}

/** The first packet after GSS encryption was declined and TLS agreed to. */
async function readUnencrypted(client: Socket): Promise<Startup | undefined> {
  const first = await readFirstPacket(client, readStartup)
  if (first?.kind !== 'encryption') return first
  if (first.by === 'tls' || first.rest.length > 0) return agreeToTls(client, first)
  client.write('N')
  const second = await readFirstPacket(client, readStartup)
  if (second?.kind !== 'encryption') return second
  if (second.by === 'gss') return invalidStartup('asked for GSS encryption twice')
  return agreeToTls(client, second)
}

function agreeToTls(client: Socket, packet: Startup & { readonly kind: 'encryption' }): Startup {
  // else taken for bytes sent under encryption (CVE-2021-23222)
  if (packet.rest.length > 0) return invalidStartup('unencrypted data after a request for encryption')
  client.write('S')
  return packet
}

async function readEncrypted(client: Socket, direct: boolean, options: HandshakeOptions): Promise<Outcome> {
  const { tls, suffix, passes } = options
  const hello = await readFirstPacket(client, peekClientHello)
  if (hello?.kind !== 'hello' || (direct && !hello.protocols.includes(PROTOCOL))) return void client.destroy()
  const target = targetOfHost(hello.serverName, suffix)
  // direct TLS ends here: servers before Postgres 17 cannot answer it
  if (target && !direct && passes(target)) return { client, passTo: target }
  const stream = new TLSSocket(client, { isServer: true, secureContext: tls, ALPNProtocols: [PROTOCOL] })
  stream.on('error', () => stream.destroy())
  const packet = await readFirstPacket(stream, readStartup)
  return packet && { stream, encrypted: true, target, request: withoutEncryption(packet) }
}

const withoutEncryption = (packet: Startup): ClientRequest =>
  packet.kind === 'encryption' || packet.kind === 'direct-tls'
    ? invalidStartup('asked for TLS inside TLS')
    : packet

/** Leaves the bytes in the stream, for the end of TLS. */
const peekClientHello = (bytes: Buffer) => ({ ...readClientHello(bytes), rest: bytes })
