// The side clients of Postgres see: ports, TLS, poolers, and the way from a name to a running server.
import { connect } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../clock.ts'
import type { Settings } from '../control/events.ts'
import type { Compute, Project } from '../control/project.ts'
import { maxConnectionsOf } from '../control/sizing/sizes.ts'
import type { Engine } from '../engine/engine.ts'
import type { Prepared } from '../setup/prepare.ts'
import type { Log } from '../log.ts'
import { POSTGRES_PORT, loopbackAddress } from './loopback.ts'
import { findPgBouncer } from '../pooler/pooler.ts'
import { type Poolers, createPoolers } from '../pooler/poolers.ts'
import { type Connections, createConnections } from './connections.ts'
import { type ClientListeners, openClientListeners } from './listeners.ts'
import { listenOnFirstFree, portTaken } from './listen.ts'
import type { ComputeAccess } from './session.ts'
import type { WakeAdmission } from '../engine/wake-queue.ts'

/** Whoever is connected to a compute, directly or through its pooler. */
export type ConnectedClients = {
  readonly connections: Connections
  readonly poolers: Poolers
  /** Lets go of everybody, when the compute is asleep. */
  drop(endpointId: string): void
}

export function createConnectedClients({ paths, cluster, clock, log }: Prepared): ConnectedClients {
  const connections = createConnections(clock)
  const poolers = createPoolers({
    folder: paths.poolers,
    owner: cluster.owner,
    password: cluster.password,
    clock,
    // oxlint-disable-next-line node/no-process-env -- PGBOUNCER and PATH are conventions of the machine, not configuration of a run
    program: () => findPgBouncer(process.env),
    onProblem: (message, err) => log({ kind: 'problem', message, err }),
  })
  return {
    connections,
    poolers,
    drop: (endpointId) => {
      connections.drop(endpointId)
      poolers.stop(endpointId)
    },
  }
}

export type FrontendParts = {
  readonly engine: Engine
  readonly visitors: ConnectedClients
  readonly settings: () => Settings
}

/** Opens the ports clients connect to, and keeps them in step with the computes. */
export async function openFrontend(ground: Prepared, parts: FrontendParts): Promise<ClientListeners> {
  const { engine, visitors } = parts
  const { options, store, projects, clock, log, certificate } = ground
  const wanted = options.proxyPort ?? 0
  const open = (port: number): Promise<ClientListeners | undefined> =>
    openClientListeners({
      session: {
        ...gatekeeper(ground, parts),
        connections: visitors.connections,
        tls: createSecureContext({
          cert: certificate.certificate,
          key: certificate.key,
          ca: certificate.certificate,
        }),
        suffix: ground.suffix,
        clock,
      },
      port,
      rememberedPort: (endpointId) => projects.port(endpointId),
      remember: (endpointId, at) => projects.setPort(endpointId, at),
      placeOf: (endpointId) =>
        options.loopbackHosts ? { host: loopbackAddress(endpointId), port: POSTGRES_PORT } : undefined,
    })
  const doors = await listenOnFirstFree(wanted || Number(store.setting('proxy-port') ?? 0), wanted, open)
  if (!doors) throw portTaken(wanted, 'proxyPort')
  store.setSetting('proxy-port', String(doors.port))
  engine.watchComputes((project) => void syncDoors(project, doors, log))
  return doors
}

function gatekeeper({ clock }: Prepared, { engine, visitors, settings }: FrontendParts): ComputeAccess {
  const { poolers } = visitors
  const forwardCancel = createForwardCancel(clock)
  return {
    openPort: (endpointId) => {
      const compute = engine.compute(endpointId)
      return compute && serves(compute) ? engine.serverPort(endpointId) : undefined
    },
    admit: async ({ endpointId, pooled }, cause, left) => {
      const compute = engine.compute(endpointId)
      if (pooled && compute && !compute.config.poolerEnabled) return poolerDisabled(endpointId)
      const admission = await engine.admit(endpointId, cause, left)
      if (!pooled || !compute || !admission.ok) return admission
      const { connectionsBasis, poolerBackendVisible: keepsSessions } = settings()
      const maxConnections = maxConnectionsOf(compute.config, connectionsBasis)
      const pooler = await poolers.admit(endpointId, { port: admission.port, maxConnections, keepsSessions })
      if (engine.serverPort(endpointId) === admission.port) return pooler
      poolers.stop(endpointId) // the compute fell asleep meanwhile, and must not leave a pooler behind
      return { ok: false, code: '57P03', message: `endpoint ${endpointId} has just stopped, try again` }
    },
    connectionLimit: (endpointId) => {
      const compute = engine.compute(endpointId)
      // a standby must not have fewer connections than its primary, so its server may allow more than its size
      if (compute?.type !== 'read_only') return undefined
      return maxConnectionsOf(compute.config, settings().connectionsBasis)
    },
    cancel: (packet, endpointId) => {
      const servers =
        endpointId === undefined ? engine.serverPorts() : [engine.serverPort(endpointId) ?? []].flat()
      forwardCancel(packet, [...servers, ...poolers.ports(endpointId)])
    },
  }
}

/** Whether nothing is about to stop it. */
const serves = ({ state, pending, config }: Compute): boolean =>
  state === 'active' && pending === undefined && !config.disabled

const poolerDisabled = (endpointId: string): WakeAdmission => ({
  ok: false,
  code: '08004',
  message: `connection pooling is disabled for endpoint ${endpointId}: set pooler_enabled, or use the host without "-pooler"`,
})

/** Never rejects: a compute without a port of its own is still reached through the main one. */
async function syncDoors(project: Project, doors: ClientListeners, log: Log): Promise<void> {
  const endpointIds = project.computes.map(({ id }) => id)
  try {
    await doors.sync(project.id, endpointIds)
  } catch (err) {
    log({ kind: 'problem', message: 'the port of a compute could not be opened', err })
  }
  for (const endpointId of endpointIds)
    log({ kind: 'compute-port', endpointId, port: doors.portOf(endpointId) ?? 0 })
}

/** Bounds: servers asked because of one request, and at once because of all, and how long each may take, ms. */
const MOST_SERVERS = 256
const MOST_AT_ONCE = 512
const PATIENCE = 2000

/**
 * Passes a cancel request on to servers. Only the one that issued the key acts on it, the others ignore it; none is
 * woken. Nobody is told how it went, as with Postgres itself; what exceeds the bounds is dropped.
 */
export type ForwardCancel = (packet: Buffer, ports: readonly number[]) => void

export function createForwardCancel(clock: Clock): ForwardCancel {
  let asking = 0
  const ask = (packet: Buffer, port: number): void => {
    asking += 1
    const server = connect({ port, host: '127.0.0.1' })
    const giveUp = clock.after(PATIENCE, () => server.destroy())
    server.on('error', () => server.destroy())
    // not ended: PgBouncer forgets the request of a client that hangs up; whoever has acted on it hangs up itself
    server.once('connect', () => server.write(packet))
    server.once('close', () => {
      asking -= 1
      giveUp()
    })
    server.resume()
  }
  return (packet, ports) => {
    for (const port of ports.slice(0, Math.min(MOST_SERVERS, MOST_AT_ONCE - asking))) ask(packet, port)
  }
}
