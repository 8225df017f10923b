// The service as Postgres clients see it: ports, TLS, poolers, and the server behind each name.
import { connect } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Api } from '../api/context.ts'
import type { Clock } from '../clock.ts'
import type { Compute, Project } from '../control/project.ts'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import type { Engine } from '../engine/engine.ts'
import type { Prepared } from '../setup/prepare.ts'
import type { Log } from '../log.ts'
import { POSTGRES_PORT, loopbackAddress } from './loopback.ts'
import { findPgBouncer } from '../pooler/pooler.ts'
import { createPoolers } from '../pooler/poolers.ts'
import { createConnections } from './connections.ts'
import { type ClientListeners, openClientListeners } from './listeners.ts'
import { openPort } from './listen.ts'
import type { ComputeAccess } from './session.ts'
import { type WakeAdmission, refuseWake } from '../engine/wake-queue.ts'

/** Direct and pooled clients of all computes. */
type ConnectedClients = ReturnType<typeof createConnectedClients>

export function createConnectedClients({ paths, cluster, clock, log }: Prepared) {
  const connections = createConnections(clock)
  const poolers = createPoolers({
    ...cluster,
    folder: paths.poolers,
    // oxlint-disable-next-line node/no-process-env -- PGBOUNCER and PATH are conventions of the machine, not configuration of a run
    program: () => findPgBouncer(process.env),
    onProblem: (message, err) => log({ kind: 'problem', message, err }),
  })
  return {
    connections,
    poolers,
    drop: (endpointId: string) => {
      connections.drop(endpointId)
      poolers.stop(endpointId)
    },
  }
}

type FrontendParts = Pick<Api, 'settings'> & Readonly<{ engine: Engine; clients: ConnectedClients }>

/** Each compute has a port as long as it exists. */
export async function openFrontend(prepared: Prepared, parts: FrontendParts): Promise<ClientListeners> {
  const { engine, clients } = parts
  const { options, store, projects, clock, log, cluster } = prepared
  const { certificate: cert, key } = cluster.certificate
  const session = {
    ...createComputeAccess(clock, parts),
    connections: clients.connections,
    tls: createSecureContext({ cert, key, ca: cert }),
    suffix: prepared.suffix,
    clock,
  }
  const choice = { setting: 'proxy-port', option: 'proxyPort', configured: options.proxyPort }
  const listeners = await openPort(store, choice, (port) =>
    openClientListeners({
      session,
      port,
      rememberedPort: projects.port,
      remember: projects.setPort,
      extraAddress: (endpointId) =>
        options.loopbackHosts ? { host: loopbackAddress(endpointId), port: POSTGRES_PORT } : undefined,
    }),
  )
  engine.watchComputes((project) => void syncListeners(project, listeners, log))
  return listeners
}

function createComputeAccess(clock: Clock, { engine, clients, settings }: FrontendParts): ComputeAccess {
  const { poolers } = clients
  const forwardCancel = createForwardCancel(clock)
  return {
    openPort: (endpointId) => {
      const compute = engine.compute(endpointId)
      return compute && serves(compute) ? engine.serverPort(endpointId) : undefined
    },
    admit: async ({ endpointId, pooled }, cause, disconnected) => {
      const compute = engine.compute(endpointId)
      if (pooled && compute && !compute.config.poolerEnabled) return poolerDisabled(endpointId)
      const admission = await engine.admit(endpointId, cause, disconnected)
      if (!pooled || !compute || !admission.ok) return admission
      const { poolerBackendVisible: keepsSessions } = settings()
      const maxConnections = maxConnectionsOf(compute.config, settings())
      const { port: serverPort } = admission
      const pooler = await poolers.admit(endpointId, { serverPort, maxConnections, keepsSessions })
      if (engine.serverPort(endpointId) === serverPort) return pooler
      poolers.stop(endpointId) // the compute fell asleep meanwhile
      return refuseWake('57P03', `endpoint ${endpointId} has just stopped, try again`)
    },
    connectionLimit: (endpointId) => {
      const compute = engine.compute(endpointId)
      // a replica's server has its primary's connections at least, so maybe too many
      if (compute?.type !== 'read_only') return undefined
      return maxConnectionsOf(compute.config, settings())
    },
    cancel: (packet, endpointId) => {
      const server = endpointId === undefined ? engine.serverPorts() : (engine.serverPort(endpointId) ?? [])
      forwardCancel(packet, [server, poolers.ports(endpointId)].flat())
    },
  }
}

/** Nothing is about to stop it. */
const serves = ({ state, pending, config }: Compute) =>
  state === 'active' && pending === undefined && !config.disabled

function poolerDisabled(endpointId: string): WakeAdmission {
  const advice = 'set pooler_enabled, or use the host without "-pooler"'
  return refuseWake('08004', `connection pooling is disabled for endpoint ${endpointId}: ${advice}`)
}

/** Never rejects: the main port serves computes without one of their own. */
async function syncListeners(project: Project, listeners: ClientListeners, log: Log): Promise<void> {
  const endpointIds = project.computes.map(({ id }) => id)
  try {
    await listeners.sync(project.id, endpointIds)
  } catch (err) {
    log({ kind: 'problem', message: 'the port of a compute could not be opened', err })
  }
  for (const endpointId of endpointIds)
    log({ kind: 'compute-port', endpointId, port: listeners.portOf(endpointId) ?? 0 })
}

/** Servers per cancel request, connections at once, and time for each, ms. */
const MAX_CANCEL_SERVERS = 256
const MAX_CANCEL_CONNECTIONS = 512
const CANCEL_TIMEOUT = 2000

/**
 * Passes a cancel request on. Only the server that issued its key acts on it; none wakes for it. As in Postgres, the
 * client gets no answer. Drops requests beyond the bounds.
 */
export function createForwardCancel(clock: Clock): (packet: Buffer, ports: readonly number[]) => void {
  let connections = 0
  const send = (packet: Buffer, port: number) => {
    connections += 1
    const server = connect({ port, host: '127.0.0.1' })
    const cancelTimeout = clock.after(CANCEL_TIMEOUT, () => server.destroy())
    server.on('error', () => server.destroy())
    // left open: PgBouncer forgets requests of clients that disconnect; a server that acted on one disconnects
    server.once('connect', () => server.write(packet))
    server.once('close', () => {
      connections -= 1
      cancelTimeout()
    })
    server.resume()
  }
  return (packet, ports) => {
    const allowed = Math.min(MAX_CANCEL_SERVERS, MAX_CANCEL_CONNECTIONS - connections)
    for (const port of ports.slice(0, allowed)) send(packet, port)
  }
}
