import { type Socket, connect } from 'node:net'
import type { Clock } from '../clock.ts'
import type { WakeCause } from '../control/project.ts'
import type { Admission } from '../waiting.ts'
import type { Connections } from './connections.ts'
import { routeOf } from './route.ts'
import { type Startup, readStartup, writeError, writeStartup } from './startup.ts'

export type SessionOptions = {
  readonly admit: (endpointId: string, cause: WakeCause) => Promise<Admission>
  readonly connections: Connections
  /** Passes a cancel request on. */
  readonly cancel: (packet: Buffer) => void
  readonly clock: Clock
  /** The compute this listener belongs to; undefined on the main port, where the client names it. */
  readonly endpointId: string | undefined
}

/** How long a client may take over its first packet, ms. */
const SILENCE_BOUND = 10_000

/** How long a refused client may take to hang up, ms. */
const LINGER_BOUND = 2000

/** Serves one client: hears what it wants, waits for the compute, then passes bytes both ways until both sides end. */
export function serveClient(client: Socket, options: SessionOptions): void {
  client.on('error', () => client.destroy())
  client.setNoDelay(true)
  let heard: Buffer = Buffer.alloc(0)
  const cancelBound = options.clock.after(SILENCE_BOUND, () =>
    refuse(client, '08P01', 'no startup packet in time'),
  )
  client.once('close', cancelBound)
  const hear = (chunk: Buffer): void => {
    heard = Buffer.concat([heard, chunk])
    const said = readStartup(heard)
    if (said.kind === 'more') return
    if (said.kind === 'encryption') {
      heard = said.rest
      client.write('N')
      if (heard.length > 0) hear(Buffer.alloc(0))
      return
    }
    client.off('data', hear)
    client.pause()
    cancelBound()
    act(client, said, options)
  }
  client.on('data', hear)
}

function act(client: Socket, said: Startup, options: SessionOptions): void {
  if (said.kind === 'garbage') return refuse(client, '08P01', said.because)
  if (said.kind === 'cancel') {
    options.cancel(said.packet)
    client.end()
    return
  }
  if (said.kind === 'startup') void forward(client, said, options)
}

/** Never rejects: whatever fails ends the client's connection, with a reason while it can still read one. */
async function forward(
  client: Socket,
  { version, parameters, rest }: Startup & { kind: 'startup' },
  options: SessionOptions,
): Promise<void> {
  const route = routeOf(parameters)
  const endpointId = options.endpointId ?? route.endpointId
  if (!endpointId) {
    return refuse(
      client,
      '08004',
      'no endpoint named: connect with options=endpoint%3Dep-… or to its own port',
    )
  }
  const admission = await options.admit(endpointId, {
    kind: 'client',
    applicationName: parameters.get('application_name'),
    user: parameters.get('user'),
  })
  if (client.destroyed) return
  if (!admission.ok) return refuse(client, admission.code, admission.message)
  options.connections.add(endpointId, client)
  join(client, admission.port, Buffer.concat([writeStartup(version, route.parameters), rest]))
}

/** Connects the client with the server; `first` is what the server hears before anything the client sends now. */
function join(client: Socket, port: number, first: Buffer): void {
  const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  server.once('connect', () => {
    server.off('error', cannotConnect)
    server.write(first)
    client.pipe(server)
    server.pipe(client)
  })
  const cannotConnect = (): void => refuse(client, '57P03', 'the compute has just stopped, try again')
  server.once('error', cannotConnect)
  server.on('error', () => server.destroy())
  server.once('close', () => client.destroySoon())
  client.once('close', () => server.destroySoon())
}

function refuse(client: Socket, code: string, message: string): void {
  if (client.destroyed || !client.writable) return
  client.end(writeError(code, message))
  client.resume() // read on to the end, so that the client gets the message and not a reset
  client.setTimeout(LINGER_BOUND, () => client.destroy())
}
