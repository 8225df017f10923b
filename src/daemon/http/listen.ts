import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { Hono } from 'hono'
import type { TlsFiles } from '../../config/sections/server.ts'

type SocketAddress = Readonly<{ host: string; port: number }>
export type HttpListener = Awaited<ReturnType<typeof listenHttp>>

const LIMITS = { requestTimeout: 10_000, maxHeaderSize: 8192, connectionsCheckingInterval: 5000 }

/** @param setting of the address in the configuration @throws with it when the address is in use or not ours */
export async function listenHttp(
  { fetch }: Hono,
  address: SocketAddress,
  { setting, pair }: Readonly<{ setting: string; pair?: CertificatePair | undefined }>,
) {
  const server = pair
    ? createAdaptorServer({ fetch, createServer: createSecureServer, serverOptions: { ...LIMITS, ...pair } })
    : createAdaptorServer({ fetch, createServer, serverOptions: LIMITS })
  server.maxConnections = 64
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
    [Symbol.asyncDispose]: () => close(server),
  }
}

function listenError(cause: Error, { host, port }: SocketAddress, setting: string) {
  const isInUse = 'code' in cause && cause.code === 'EADDRINUSE'
  const reason = isInUse ? 'is in use by another program' : `cannot be listened on (${cause.message})`
  return new Error(`${setting}: ${host}:${port} ${reason}; choose another address`, { cause })
}

const close = (server: ServerType): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    if ('closeAllConnections' in server) server.closeAllConnections()
  })

export const urlOf = ({ host, port }: SocketAddress, scheme: 'http' | 'https' = 'http'): string => {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${scheme}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** In PEM. */
export type CertificatePair = Readonly<{ cert: string; key: string }>

/** @throws with both files when one cannot be read, or the key is not that of the certificate */
export function readCertificatePair({ certFile, keyFile }: TlsFiles): CertificatePair {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    createSecureContext(pair)
    return pair
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`server.tls: ${certFile} and ${keyFile} cannot be used: ${reason}`, { cause })
  }
}
