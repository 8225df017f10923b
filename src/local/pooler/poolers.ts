// PgBouncers, one per awake compute, from the first client of its pooled host on.
import { join } from 'node:path'
import { freePort } from '../proxy/listen.ts'
import { type WakeAdmission, refuseWake } from '../engine/wake-queue.ts'
import { type Pooler, type PoolerOptions, startPooler } from './pooler.ts'

type PooledServer = Pick<PoolerOptions, 'serverPort' | 'maxConnections' | 'keepsSessions'>

type PoolersOptions = Pick<PoolerOptions, 'owner' | 'clock' | 'password'> &
  Readonly<{
    /** Folder with a folder per pooler. */
    folder: string
    /** Searched at each call. */
    program: () => string | undefined
    onProblem: (message: string, error: unknown) => void
  }>

type Entry = {
  readonly serverPort: number
  readonly started: Promise<Pooler>
  /** Once it accepts clients. */
  pooler?: Pooler
  /** Set once the service stops it: its end is no failure then. */
  isStopping: boolean
}

export function createPoolers(options: PoolersOptions) {
  const entries = new Map<string, Entry>()
  const endings = new Set<Promise<void>>()

  const addEntry = (endpointId: string, server: PooledServer, program: string) => {
    const started = freePort().then((port) => {
      // by port: a successor may start before this one has ended
      const folder = join(options.folder, `${endpointId}.${port}`)
      return startPooler({ ...options, ...server, program, folder, port })
    })
    const entry: Entry = { serverPort: server.serverPort, started, isStopping: false }
    entries.set(endpointId, entry)
    void watchEntry(endpointId, entry)
    return entry
  }
  /** Removes the entry after its end: the next client starts another. */
  const watchEntry = async (endpointId: string, entry: Entry) => {
    try {
      entry.pooler = await entry.started
      const words = await entry.pooler.ended
      if (!entry.isStopping) options.onProblem('a pooler ended by itself', new Error(words))
    } catch (error) {
      options.onProblem('a pooler could not be started', error)
    }
    if (entries.get(endpointId) === entry) entries.delete(endpointId)
  }
  const end = async (entry: Entry) => {
    entry.isStopping = true
    const pooler = await entry.started.catch(() => undefined) // watchEntry reports a failed start
    await pooler?.stop()
  }
  const stop = (endpointId: string) => {
    const entry = entries.get(endpointId)
    if (!entry) return
    entries.delete(endpointId)
    const ending = end(entry)
    endings.add(ending)
    void ending.then(() => endings.delete(ending))
  }
  return {
    /**
     * Port of the pooler in front of a running server. The first client starts it, others wait for it. Refuses without
     * PgBouncer or when it fails. Never rejects.
     */
    admit: async (endpointId: string, server: PooledServer): Promise<WakeAdmission> => {
      const program = options.program()
      if (program === undefined) return refuseWake('0A000', NO_PGBOUNCER)
      const previous = entries.get(endpointId)
      if (previous && previous.serverPort !== server.serverPort) stop(endpointId)
      try {
        const entry = entries.get(endpointId) ?? addEntry(endpointId, server, program)
        return { ok: true, port: (await entry.started).port }
      } catch {
        return refuseWake('57P03', `the pooler of endpoint ${endpointId} could not be started`)
      }
    },
    /** Ports of one compute or of all. */
    ports: (endpointId?: string) =>
      [...entries].flatMap(([id, { pooler }]) => (pooler && (endpointId ?? id) === id ? [pooler.port] : [])),
    stop,
    /** Resolves when no pooler runs. */
    stopAll: async () => {
      for (const endpointId of entries.keys()) stop(endpointId)
      await Promise.all(endings)
    },
  }
}

const NO_PGBOUNCER =
  'pooled connections need PgBouncer, which this machine does not have: install it with "apt install pgbouncer" ' +
  'or "brew install pgbouncer", or set PGBOUNCER; the host without "-pooler" works without it'
