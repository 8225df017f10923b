// A proxy without computes, its clients, and a stand-in for Postgres.
import { rmSync } from 'node:fs'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { type SecureContext, createSecureContext } from 'node:tls'
import { onTestFinished } from 'vitest'
import { type Certificate, ensureCertificate } from '../../../src/local/setup/certificate.ts'
import { createClock } from '../../../src/local/clock.ts'
import { createConnections } from '../../../src/local/proxy/connections.ts'
import { type ClientListeners, openClientListeners } from '../../../src/local/proxy/listeners.ts'
import type { SessionOptions } from '../../../src/local/proxy/session.ts'
import { readStartup, writeStartup } from '../../../src/local/proxy/startup.ts'
import { makeFolder } from '../support.ts'

export const SUFFIX = 'local.localhost'

export async function testCertificate(): Promise<Certificate> {
  const folder = makeFolder()
  try {
    return await ensureCertificate({ folder, suffix: SUFFIX, owner: undefined, clock: createClock() })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const contextOf = ({ certificate, key }: Certificate): SecureContext =>
  createSecureContext({ cert: certificate, key, ca: certificate })

/** Listeners that find no compute by default. */
export async function openTestListeners(
  session: Partial<SessionOptions> & { readonly certificate: Certificate },
): Promise<ClientListeners> {
  const clock = session.clock ?? createClock()
  const listeners = await openClientListeners({
    session: {
      openPort: () => undefined,
      admit: ({ endpointId }) =>
        Promise.resolve({ ok: false, code: '08004', message: `endpoint not found: ${endpointId}` }),
      connectionLimit: () => undefined,
      cancel: () => undefined,
      connections: createConnections(clock),
      tls: contextOf(session.certificate),
      suffix: SUFFIX,
      clock,
      ...session,
    },
    port: 0,
    rememberedPort: () => undefined,
    remember: () => undefined,
  })
  if (!listeners) throw new Error('no free port')
  onTestFinished(() => listeners.close())
  return listeners
}

export const startup = (options: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  writeStartup(196_608, new Map(Object.entries({ user: 'me', options, ...more })))

export const ASK_TLS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
export const ASK_GSS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 48])

/** All that the server sends on a plain connection until it disconnects. */
export function heard(port: number, ...sent: readonly Buffer[]): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1', () => {
    for (const bytes of sent) socket.write(bytes)
  })
  return saidBy(socket)
}

/** A connection that may be half closed; destroyed after the test. */
export const open = (port: number): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => resolve(socket))
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
  })

/** Open sockets of this process, those of the test clients included. */
export const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length

/** All that arrives until the other side disconnects, with zero bytes as spaces. */
export function saidBy(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => void chunks.push(chunk))
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1').replaceAll('\0', ' ')))
  })
}

export type Standin = { readonly port: number; readonly sockets: () => number }

/** A plain server that answers each client's packet with "hello USER", then echoes all that it receives. */
export async function startStandin(): Promise<Standin> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    socket.once('data', (bytes) => {
      const said = readStartup(bytes)
      socket.write(`hello ${said.kind === 'startup' ? said.parameters.get('user') : said.kind}\n`)
      if ('rest' in said) socket.write(said.rest)
      socket.pipe(socket)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, sockets: () => sockets.size }
}
