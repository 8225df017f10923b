// The poolers of the service: one PgBouncer per awake compute, started for the first client of its pooled host.
import { join } from 'node:path'
import { freePort } from '../proxy/listen.ts'
import type { WakeAdmission } from '../engine/wake-queue.ts'
import { type Pooler, type PoolerOptions, startPooler } from './pooler.ts'

export type Poolers = {
  /**
   * Port of the pooler in front of a running server. The first client starts it, others wait for the same start. Refuses
   * with the reason when there is no PgBouncer or it does not start. Never rejects.
   */
  admit(endpointId: string, server: PooledServer): Promise<WakeAdmission>
  /** Ports of the running poolers, of one compute or of all. */
  ports(endpointId?: string): readonly number[]
  /** Ends the compute's pooler, if it has one. */
  stop(endpointId: string): void
  /** Resolves when no pooler runs. */
  stopAll(): Promise<void>
}

export type PooledServer = Pick<PoolerOptions, 'serverPort' | 'maxConnections' | 'keepsSessions'>

export type PoolersOptions = Pick<PoolerOptions, 'owner' | 'clock' | 'password'> & {
  /** Folder with one folder per pooler. */
  readonly folder: string
  /** The PgBouncer of the machine, searched at each call; undefined while it has none. */
  readonly program: () => string | undefined
  readonly onProblem: (message: string, error: unknown) => void
}

type Entry = {
  readonly serverPort: number
  readonly started: Promise<Pooler>
  /** Set when it accepts clients. */
  pooler?: Pooler
  /** Set once the service stops the pooler: its end is then reported as no failure. */
  isStopping: boolean
}

export function createPoolers(options: PoolersOptions): Poolers {
  const entries = new Map<string, Entry>()
  const endings = new Set<Promise<void>>()

  const addEntry = (endpointId: string, server: PooledServer, program: string): Entry => {
    const started = freePort().then((port) => {
      // the port is part of the name: a successor may start before this one has ended
      const folder = join(options.folder, `${endpointId}.${port}`)
      return startPooler({ ...options, ...server, program, folder, port })
    })
    const entry: Entry = { serverPort: server.serverPort, started, isStopping: false }
    entries.set(endpointId, entry)
    void watchEntry(endpointId, entry)
    return entry
  }
  /** Removes the entry when its pooler has ended, so that the next client starts another. */
  const watchEntry = async (endpointId: string, entry: Entry): Promise<void> => {
    try {
      entry.pooler = await entry.started
      const words = await entry.pooler.ended
      if (!entry.isStopping) options.onProblem('a pooler ended by itself', new Error(words))
    } catch (error) {
      options.onProblem('a pooler could not be started', error)
    }
    if (entries.get(endpointId) === entry) entries.delete(endpointId)
  }
  const end = async (entry: Entry): Promise<void> => {
    entry.isStopping = true
    const pooler = await entry.started.catch(() => undefined) // watchEntry reports a failed start
    await pooler?.stop()
  }
  const stop = (endpointId: string): void => {
    const entry = entries.get(endpointId)
    if (!entry) return
    entries.delete(endpointId)
    const ending = end(entry)
    endings.add(ending)
    void ending.then(() => endings.delete(ending))
  }
  return {
    admit: async (endpointId, server) => {
      const program = options.program()
      if (program === undefined) return NO_PGBOUNCER
      const previous = entries.get(endpointId)
      if (previous && previous.serverPort !== server.serverPort) stop(endpointId)
      try {
        const entry = entries.get(endpointId) ?? addEntry(endpointId, server, program)
        return { ok: true, port: (await entry.started).port }
      } catch {
        const message = `the pooler of endpoint ${endpointId} could not be started`
        return { ok: false, code: '57P03', message }
      }
    },
    ports: (endpointId) =>
      [...entries].flatMap(([id, { pooler }]) => (pooler && (endpointId ?? id) === id ? [pooler.port] : [])),
    stop,
    stopAll: async () => {
      for (const endpointId of entries.keys()) stop(endpointId)
      await Promise.all(endings)
    },
  }
}

const NO_PGBOUNCER: WakeAdmission = {
  ok: false,
  code: '0A000',
  message:
    'pooled connections need PgBouncer, which this machine does not have: install it with "apt install pgbouncer" ' +
    'or "brew install pgbouncer", or set PGBOUNCER; the host without "-pooler" works without it',
}
