// The conversation with a client up to the point where it is known what it wants.
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { type ClientHello, readClientHello } from './client-hello.ts'
import { readFirstPacket } from './first-packet.ts'
import { type Startup, readStartup } from './startup.ts'
import { type Target, targetOfHost } from './target.ts'

/** What a client wants. `stream` is what to talk to it through from here on; what it said after that is in there. */
export type Handshake = {
  readonly stream: Socket
  /** Whether `stream` is TLS of ours. */
  readonly encrypted: boolean
  /** Named by the host name in TLS. */
  readonly target: Target | undefined
  readonly said: ClientRequest
}

/** What is left of a first packet once encryption is settled. */
export type ClientRequest = Extract<Startup, { readonly kind: 'startup' | 'cancel' | 'garbage' }>

/** A client whose TLS goes on to the server untouched: its greeting is still in the socket. */
export type PassThrough = { readonly client: Socket; readonly passTo: Target }

export type HandshakeOptions = {
  readonly tls: SecureContext
  /** Of host names. */
  readonly suffix: string
  /** Whether this compute can be entered at once; then nobody needs to read what its client says. */
  readonly passes: (target: Target) => boolean
}

const PROTOCOL = 'postgresql'

/** Resolves with undefined when the client is gone, or said what deserves no answer and is let go. */
export async function runHandshake(
  client: Socket,
  options: HandshakeOptions,
): Promise<Handshake | PassThrough | undefined> {
  const said = await hearOpenly(client)
  if (said?.kind === 'encryption' || said?.kind === 'direct-tls') {
    return greetEncrypted(client, said.kind === 'direct-tls', options)
  }
  return said && { stream: client, encrypted: false, target: undefined, said }
}

/** The first packet that is not a request for GSS encryption, which is declined; TLS is agreed to. */
async function hearOpenly(client: Socket): Promise<Startup | undefined> {
  const first = await readFirstPacket(client, readStartup)
  if (first?.kind !== 'encryption') return first
  // what was sent before the answer would be taken for something said under encryption (CVE-2021-23222)
  if (first.rest.length > 0) return tooEarly
  if (first.by === 'tls') return agree(client, first)
  client.write('N')
  const second = await readFirstPacket(client, readStartup)
  if (second?.kind !== 'encryption') return second
  if (second.by === 'gss') return { kind: 'garbage', because: 'asked for GSS encryption twice' }
  return second.rest.length > 0 ? tooEarly : agree(client, second)
}

const tooEarly: Startup = { kind: 'garbage', because: 'unencrypted data after a request for encryption' }

function agree(client: Socket, said: Startup): Startup {
  client.write('S')
  return said
}

async function greetEncrypted(
  client: Socket,
  direct: boolean,
  { tls, suffix, passes }: HandshakeOptions,
): Promise<Handshake | PassThrough | undefined> {
  const hello = await readFirstPacket(client, peekClientHello)
  if (hello?.kind !== 'hello' || (direct && !hello.protocols.includes(PROTOCOL))) {
    client.destroy()
    return undefined
  }
  const target = targetOfHost(hello.serverName, suffix)
  // a server before version 17 cannot answer TLS that begins at once, so that stays here
  if (target && !direct && passes(target)) return { client, passTo: target }
  const stream = decrypted(client, tls)
  const said = await readFirstPacket(stream, readStartup)
  return said && { stream, encrypted: true, target, said: wishIn(said) }
}

const wishIn = (said: Startup): ClientRequest =>
  said.kind === 'encryption' || said.kind === 'direct-tls'
    ? { kind: 'garbage', because: 'asked for TLS inside TLS' }
    : said

/** Reads, and leaves what was read to whoever speaks TLS. */
function peekClientHello(
  bytes: Buffer,
): (ClientHello & { readonly rest: Buffer }) | { readonly kind: 'more' } {
  const read = readClientHello(bytes)
  return read.kind === 'more' ? read : { ...read, rest: bytes }
}

/** The client's end of TLS, ours. Fails, closes and ends together with the socket. */
function decrypted(client: Socket, secureContext: SecureContext): TLSSocket {
  const stream = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols: [PROTOCOL] })
  stream.on('error', () => stream.destroy())
  return stream
}
