// A client of the proxy: its request, the wake of its compute, then bytes both ways.
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../clock.ts'
import type { WakeCause } from '../control/project.ts'
import type { WakeAdmission } from '../engine/wake-queue.ts'
import { type Handshake, type PassThrough, runHandshake } from './handshake.ts'
import { watchClose } from './first-packet.ts'
import { type Connections, type ProxyRefusal, closeGracefully, refuseClient } from './connections.ts'
import { type DialTarget, dialServer } from './dial.ts'
import { writeStartup } from './startup.ts'
import { type Target, routeOf, targetOf } from './target.ts'

export type ComputeAccess = Readonly<{
  /** Port of a server that serves and that nothing is about to stop. */
  openPort: (endpointId: string) => number | undefined
  /** Wakes the target; waits until it serves or the client has disconnected. Never rejects. */
  admit: (target: Target, cause: WakeCause, disconnected: AbortSignal) => Promise<WakeAdmission>
  /** Undefined when the server enforces its own. */
  connectionLimit: (endpointId: string) => number | undefined
  /** Without an endpoint to all running servers. */
  cancel: (packet: Buffer, endpointId: string | undefined) => void
}>

export type SessionOptions = ComputeAccess &
  Readonly<{
    connections: Connections
    tls: SecureContext
    /** Host names are `ep-….SUFFIX`. */
    suffix: string
    clock: Clock
    /** Set on a compute's own port; on the main port the client names one. */
    endpointId: string | undefined
  }>

/** Time for the whole request, ms, however it is spread. */
const HANDSHAKE_TIMEOUT = 10_000

/** Passes bytes both ways until both sides end. */
export function serveClient(client: Socket, options: SessionOptions): void {
  client.on('error', () => client.destroy())
  client.setNoDelay(true)
  void serve(client, options)
}

/** Never rejects: failures close the connection, with a message if the client can read one. */
async function serve(client: Socket, options: SessionOptions): Promise<void> {
  const { tls, suffix, clock } = options
  const cancelTimeout = clock.after(HANDSHAKE_TIMEOUT, () => client.destroy())
  const handshake = await runHandshake(client, { tls, suffix, passes: (target) => mayPass(target, options) })
  cancelTimeout()
  if (!handshake || client.destroyed) return void client.destroy()
  if ('passTo' in handshake) return passThrough(handshake, options)
  const { stream, request, target } = handshake
  if (request.kind === 'garbage')
    return refuseClient(stream, { code: '08P01', message: request.because }, clock)
  if (request.kind === 'startup') return forward({ ...handshake, request }, options)
  options.cancel(request.packet, options.endpointId ?? target?.endpointId)
  closeGracefully(stream, clock)
}

/** True only if nothing has to wake and nothing is to be refused: nobody reads the TLS. */
const mayPass = ({ endpointId, pooled }: Target, options: SessionOptions) =>
  !pooled &&
  (options.endpointId ?? endpointId) === endpointId &&
  options.openPort(endpointId) !== undefined &&
  !isFull(endpointId, options)

function isFull(endpointId: string, { connections, connectionLimit }: SessionOptions): boolean {
  const limit = connectionLimit(endpointId)
  return limit !== undefined && connections.count(endpointId) >= limit
}

async function passThrough({ client, passTo }: PassThrough, options: SessionOptions): Promise<void> {
  const { endpointId } = passTo
  const port = options.openPort(endpointId)
  if (port === undefined) return void client.destroy()
  const onLost = options.connections.add(endpointId, client)
  await connectToServer(client, { port, protection: "client's", startup: undefined, onLost }, options)
}

type StartupHandshake = Handshake & { readonly request: { readonly kind: 'startup' } }

async function forward(handshake: StartupHandshake, options: SessionOptions): Promise<void> {
  const { stream, encrypted, request } = handshake
  const { clock, connections } = options
  const { endpointId: option, parameters } = routeOf(request.parameters)
  const target = requestedTarget(handshake.target, option, options)
  if ('code' in target) return refuseClient(stream, target, clock)
  const watch = watchClose(stream)
  const [applicationName, user] = [parameters.get('application_name'), parameters.get('user')]
  const cause: WakeCause = { kind: 'client', applicationName, user }
  const admission = await options.admit(target, cause, watch.disconnected)
  if (!watch.release()) return void stream.destroy()
  if (!admission.ok) return refuseClient(stream, admission, clock)
  const { endpointId, pooled } = target
  if (!pooled && isFull(endpointId, options)) return refuseClient(stream, TOO_MANY_CLIENTS, clock)
  const onLost = connections.add(endpointId, stream, pooled)
  // the pooler is on this machine, and without TLS it rightly offers no channel binding
  const protection = encrypted && !pooled ? "proxy's" : 'none'
  const startup = writeStartup(request.version, parameters)
  await connectToServer(stream, { port: admission.port, protection, startup, onLost }, options)
}

/** The server's own words. */
const TOO_MANY_CLIENTS: ProxyRefusal = { code: '53300', message: 'sorry, too many clients already' }

/** The target of a client. On a compute's own port, a name only says whether to pool. */
function requestedTarget(
  target: Target | undefined,
  option: string | undefined,
  { endpointId: own, suffix }: SessionOptions,
): Target | ProxyRefusal {
  const byOption = option === undefined ? undefined : targetOf(option)
  const endpointId = own ?? (byOption ?? target)?.endpointId
  if (endpointId === undefined) {
    const ways = `connect to ep-….${suffix}, with options=endpoint%3Dep-…, or to its own port`
    return { code: '08004', message: `no endpoint named: ${ways}` }
  }
  if (own === undefined && target && target.endpointId !== endpointId) {
    const names = `${target.endpointId} by host name, ${endpointId} by option`
    return { code: '08004', message: `two endpoints named: ${names}` }
  }
  return { endpointId, pooled: [target, byOption].some((named) => named?.pooled) }
}

type ServerRoute = Pick<DialTarget, 'port' | 'protection'> &
  Readonly<{
    /** Packet ahead of the client's bytes. */
    startup: Buffer | undefined
    /** The server has closed the session, or cannot be reached. */
    onLost: () => void
  }>

async function connectToServer(
  client: Socket,
  { startup, onLost, ...route }: ServerRoute,
  { tls, clock }: SessionOptions,
): Promise<void> {
  const server = await dialServer({ ...route, tls, clock })
  if (client.destroyed || !server) {
    server?.destroy()
    onLost()
    // this client expects TLS and cannot read a message
    if (route.protection === "client's") return void client.destroy()
    return refuseClient(client, { code: '57P03', message: 'the compute has just stopped, try again' }, clock)
  }
  // before the client, which is told by then, can leave
  server.once('end', onLost)
  server.once('close', () => {
    onLost()
    closeGracefully(client, clock)
  })
  client.once('close', () => closeGracefully(server, clock))
  if (startup) server.write(startup)
  client.pipe(server)
  server.pipe(client)
}
