import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../clock.ts'
import type { WakeCause } from '../control/project.ts'
import type { WakeAdmission } from '../engine/wake-queue.ts'
import type { Connections } from './connections.ts'
import { type Handshake, type PassThrough, runHandshake } from './handshake.ts'
import { watchClose } from './first-packet.ts'
import { type ProxyRefusal, closeGracefully, refuseClient } from './close.ts'
import { type DialProtection, dialServer } from './dial.ts'
import { writeStartup } from './startup.ts'
import { type Target, routeOf, targetOf } from './target.ts'

/** What the proxy asks of whoever runs the computes. */
export type ComputeAccess = {
  /** The server's port when the compute serves now and may be entered without a word; undefined when not. */
  readonly openPort: (endpointId: string) => number | undefined
  /** Waits until the target serves, and wakes what sleeps. `left` aborts when the client is gone. Never rejects. */
  readonly admit: (target: Target, cause: WakeCause, left: AbortSignal) => Promise<WakeAdmission>
  /** How many clients the compute may have at once; undefined when that is the server's own affair. */
  readonly connectionLimit: (endpointId: string) => number | undefined
  /** Passes a cancel request on; without an endpoint to all that run. */
  readonly cancel: (packet: Buffer, endpointId: string | undefined) => void
}

export type SessionOptions = ComputeAccess & {
  readonly connections: Connections
  readonly tls: SecureContext
  /** Host names are `ep-….SUFFIX`. */
  readonly suffix: string
  readonly clock: Clock
  /** The compute this listener belongs to; undefined on the main port, where the client names it. */
  readonly endpointId: string | undefined
}

/** How long a client may take to say what it wants, ms, however it spreads its bytes over that time. */
const GREETING_BOUND = 10_000

/** Serves one client: hears what it wants, waits for the compute, then passes bytes both ways until both sides end. */
export function serveClient(client: Socket, options: SessionOptions): void {
  client.on('error', () => client.destroy())
  client.setNoDelay(true)
  void serve(client, options)
}

/** Never rejects: whatever fails ends the client's connection, with a reason while it can still read one. */
async function serve(client: Socket, options: SessionOptions): Promise<void> {
  const { tls, suffix, clock } = options
  const cancelBound = clock.after(GREETING_BOUND, () => client.destroy())
  const greeting = await runHandshake(client, { tls, suffix, passes: (target) => mayPass(target, options) })
  cancelBound()
  if (!greeting || client.destroyed) return void client.destroy()
  if ('passTo' in greeting) return pass(greeting, options)
  const { stream, said, target } = greeting
  if (said.kind === 'garbage') return refuseClient(stream, { code: '08P01', message: said.because }, clock)
  if (said.kind === 'startup') return forward({ ...greeting, said }, options)
  options.cancel(said.packet, options.endpointId ?? target?.endpointId)
  closeGracefully(stream, clock)
}

/** A client whose words need not be read: nothing has to be woken for it, and nothing refused. */
const mayPass = ({ endpointId, pooled }: Target, options: SessionOptions): boolean =>
  !pooled &&
  (options.endpointId ?? endpointId) === endpointId &&
  options.openPort(endpointId) !== undefined &&
  !isFull(endpointId, options)

const isFull = (
  endpointId: string,
  { connections, connectionLimit }: Pick<SessionOptions, 'connections' | 'connectionLimit'>,
): boolean => connections.count(endpointId) >= (connectionLimit(endpointId) ?? Infinity)

async function pass({ client, passTo }: PassThrough, options: SessionOptions): Promise<void> {
  const { endpointId } = passTo
  const port = options.openPort(endpointId)
  if (port === undefined) return void client.destroy()
  options.connections.add(endpointId, client)
  await join(client, { port, protection: "client's", first: undefined }, options)
}

type Wanting = Handshake & { readonly said: { readonly kind: 'startup' } }

async function forward(greeting: Wanting, options: SessionOptions): Promise<void> {
  const { stream, encrypted, said } = greeting
  const { clock, connections } = options
  const { parameters } = routeOf(said.parameters)
  const wanted = wantedOf(greeting, options)
  if ('code' in wanted) return refuseClient(stream, wanted, clock)
  const attention = watchClose(stream)
  const cause: WakeCause = {
    kind: 'client',
    applicationName: parameters.get('application_name'),
    user: parameters.get('user'),
  }
  const admission = await options.admit(wanted, cause, attention.left)
  if (!attention.release()) return void stream.destroy()
  if (!admission.ok) return refuseClient(stream, admission, clock)
  const { endpointId, pooled } = wanted
  if (!pooled && isFull(endpointId, options)) return refuseClient(stream, TOO_MANY, clock)
  if (pooled) connections.addPooled(endpointId, stream)
  else connections.add(endpointId, stream)
  // the pooler speaks plain text: it is on this machine, and without TLS it rightly offers no channel binding
  const protection = encrypted && !pooled ? 'ours' : 'none'
  const first = writeStartup(said.version, parameters)
  await join(stream, { port: admission.port, protection, first }, options)
}

/** As the server itself says it. */
const TOO_MANY: ProxyRefusal = { code: '53300', message: 'sorry, too many clients already' }

/** What the client named, in TLS and in its options; on a compute's own port a name only tells whether to pool. */
function wantedOf(
  { said, target }: Wanting,
  { endpointId: own, suffix }: SessionOptions,
): Target | ProxyRefusal {
  const { endpointId: option } = routeOf(said.parameters)
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

type Way = { readonly port: number; readonly protection: DialProtection; readonly first: Buffer | undefined }

/** Connects the client with a server; `first` is what the server hears before anything the client sends now. */
async function join(
  client: Socket,
  { port, protection, first }: Way,
  { tls, clock }: SessionOptions,
): Promise<void> {
  const server = await dialServer({ port, protection, tls, clock })
  if (client.destroyed || !server) {
    server?.destroy()
    // a client whose TLS was to pass expects no words of ours
    if (protection === "client's") client.destroy()
    else refuseClient(client, { code: '57P03', message: 'the compute has just stopped, try again' }, clock)
    return
  }
  server.once('close', () => closeGracefully(client, clock))
  client.once('close', () => closeGracefully(server, clock))
  if (first) server.write(first)
  client.pipe(server)
  server.pipe(client)
}
