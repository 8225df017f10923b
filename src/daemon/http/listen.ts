import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import { routePath } from 'hono/route'
import { fileErrorText } from '../../config/secrets.ts'
import type { TlsFiles } from '../../config/sections/server.ts'
import { INTERNAL_ERROR, refuse, type Failures } from './answers.ts'
import { createConnectionGuard, type ConnectionGuard } from './connections.ts'

type SocketAddress = Readonly<{ host: string; port: number }>
export type HttpListener = Awaited<ReturnType<typeof listenHttp>>

/** Milliseconds; a request that is not there in time is answered 408 within another 5 s. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 8192,
}
/** Milliseconds: a client nearby needs less than one second. */
const HANDSHAKE_TIMEOUT = 10_000
type ListenOptions = Readonly<{
  /** Key of the address in the configuration. */
  setting: string
  pair?: CertificatePair | undefined
  connections?: ConnectionGuard
  /** Called with what a route threw. */
  failed?: Failures
}>

/** @throws with the setting when the address is in use or not ours */
export async function listenHttp(
  app: Hono,
  address: SocketAddress,
  { setting, pair, connections = createConnectionGuard(), failed = () => undefined }: ListenOptions,
) {
  app.onError((err, context) => {
    failed(err, routePath(context))
    return refuse(context, 500, INTERNAL_ERROR)
  })
  const listener = requestListener(app, connections, failed)
  const server = pair
    ? createSecureServer({ ...LIMITS, handshakeTimeout: HANDSHAKE_TIMEOUT, ...pair }, listener)
    : createServer(LIMITS, listener)
  server.on('connection', connections.admit)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, address, setting)))
    server.listen(address.port, address.host, resolve)
  })
  // a connection that cannot be accepted concerns only its client
  server.on('error', () => undefined)
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : address.port
  return {
    /** With the port the system chose for port 0. */
    address: { ...address, port },
    /** Another certificate for new connections, on a listener that has one. */
    renew: (next: CertificatePair) => {
      if ('setSecureContext' in server) server.setSecureContext(next)
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        connections.cutAll()
      }),
  }
}

/** A target or Host that is no address is answered 400 without asking the app. */
function requestListener(app: Hono, connections: ConnectionGuard, failed: Failures): RequestListener {
  const errorHandler = (err: unknown) => {
    if (err instanceof RequestError) return Response.json({ message: err.message }, { status: 400 })
    failed(err, 'none')
    return Response.json({ message: INTERNAL_ERROR }, { status: 500 })
  }
  const answer = getRequestListener((request, bindings) => app.fetch(request, { ...bindings, failed }), {
    errorHandler,
  })
  return (incoming, outgoing) => {
    if (connections.mayAsk(incoming, outgoing)) void answer(incoming, outgoing)
  }
}

function listenError(cause: Error, { host, port }: SocketAddress, setting: string) {
  const isInUse = 'code' in cause && cause.code === 'EADDRINUSE'
  const reason = isInUse ? 'is in use by another program' : `cannot be listened on (${cause.message})`
  return new Error(`${setting}: ${host}:${port} ${reason}; choose another address`, { cause })
}

export const urlOf = ({ host, port }: SocketAddress, scheme: 'http' | 'https' = 'http'): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** In PEM. */
export type CertificatePair = Readonly<{ cert: string; key: string }>

/** @throws with the reason when one cannot be read, or the key is not that of the certificate */
export function readCertificatePair({ certFile, keyFile }: TlsFiles): CertificatePair {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    createSecureContext(pair)
    return pair
  } catch (cause) {
    // texts of the system name the path, which may be a secret in the wrong place
    const isOfSystem = !(cause instanceof Error) || 'syscall' in cause
    const reason = isOfSystem ? fileErrorText(cause) : cause.message
    throw new Error(`server.tls: cert_file and key_file cannot be used: ${reason}`, { cause })
  }
}
