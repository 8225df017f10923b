// One PgBouncer per awake compute that is reached by its pooled host, started for the first such client.
import { join } from 'node:path'
import { freePort } from '../compute/ports.ts'
import type { WakeAdmission } from '../engine/wake-queue.ts'
import { type Pooler, type PoolerOptions, startPooler } from './pooler.ts'

export type Poolers = {
  /**
   * The pooler in front of a server that runs, started when there is none; clients that come meanwhile wait for the same
   * start. Refuses with the reason when there is no PgBouncer or it does not come up. Never rejects.
   */
  admit(endpointId: string, server: PooledServer): Promise<WakeAdmission>
  /** Ports of the poolers that run, of one compute or of all. */
  ports(endpointId?: string): readonly number[]
  /** Ends the compute's pooler, if it has one. */
  stop(endpointId: string): void
  /** Resolves when no pooler is left. */
  stopAll(): Promise<void>
}

export type PooledServer = {
  readonly port: number
  readonly maxConnections: number
  readonly keepsSessions: boolean
}

export type PoolersOptions = Pick<PoolerOptions, 'owner' | 'clock' | 'password'> & {
  /** Holds one folder per pooler, of that user. */
  readonly folder: string
  /** The PgBouncer of the machine, looked for anew each time; undefined while it has none. */
  readonly program: () => string | undefined
  readonly onProblem: (message: string, error: unknown) => void
}

type Entry = {
  readonly serverPort: number
  readonly started: Promise<Pooler>
  /** Set when it accepts clients. */
  pooler: Pooler | undefined
  /** Set when its end is wanted, so that it is no failure. */
  stopping: boolean
}

export function createPoolers(options: PoolersOptions): Poolers {
  const entries = new Map<string, Entry>()
  const leaving = new Set<Promise<void>>()

  const start = async (endpointId: string, server: PooledServer, program: string): Promise<Pooler> => {
    const { owner, clock, password } = options
    const port = await freePort()
    // named after the port, too: a successor may come before this one is quite gone
    const folder = join(options.folder, `${endpointId}.${port}`)
    const { port: serverPort, ...pool } = server
    return startPooler({ program, folder, owner, clock, password, port, serverPort, ...pool })
  }
  const enter = (endpointId: string, server: PooledServer, program: string): Entry => {
    const started = start(endpointId, server, program)
    const entry: Entry = { serverPort: server.port, started, pooler: undefined, stopping: false }
    entries.set(endpointId, entry)
    void follow(endpointId, entry)
    return entry
  }
  /** Forgets the pooler when it is gone, so that the next client gets a new one. */
  const follow = async (endpointId: string, entry: Entry): Promise<void> => {
    try {
      entry.pooler = await entry.started
      const words = await entry.pooler.ended
      if (!entry.stopping) options.onProblem('a pooler ended by itself', new Error(words))
    } catch (error) {
      options.onProblem('a pooler could not be started', error)
    }
    if (entries.get(endpointId) === entry) entries.delete(endpointId)
  }
  const end = async (entry: Entry): Promise<void> => {
    entry.stopping = true
    const pooler = await entry.started.catch(() => undefined) // whoever waited for it was told
    await pooler?.stop()
  }
  const stop = (endpointId: string): void => {
    const entry = entries.get(endpointId)
    if (!entry) return
    entries.delete(endpointId)
    const ended = end(entry)
    leaving.add(ended)
    void ended.then(() => leaving.delete(ended))
  }
  return {
    admit: async (endpointId, server) => {
      const program = options.program()
      if (program === undefined) return MISSING
      const known = entries.get(endpointId)
      if (known && known.serverPort !== server.port) stop(endpointId)
      try {
        const entry = entries.get(endpointId) ?? enter(endpointId, server, program)
        return { ok: true, port: (await entry.started).port }
      } catch {
        return {
          ok: false,
          code: '57P03',
          message: `the pooler of endpoint ${endpointId} could not be started`,
        }
      }
    },
    ports: (endpointId) => {
      const asked = endpointId === undefined ? [...entries.values()] : [entries.get(endpointId)]
      return asked.flatMap((entry) => entry?.pooler?.port ?? [])
    },
    stop,
    stopAll: async () => {
      for (const endpointId of entries.keys()) stop(endpointId)
      await Promise.all(leaving)
    },
  }
}

const MISSING: WakeAdmission = {
  ok: false,
  code: '0A000',
  message:
    'pooled connections need PgBouncer, which this machine does not have: install it with "apt install pgbouncer" ' +
    'or "brew install pgbouncer", or set PGBOUNCER; the host without "-pooler" works without it',
}
