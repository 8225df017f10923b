// File cache and autoscaler of one server, from readings of its work.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goalCu, loadAfter } from '../control/sizing/autoscale.ts'
import type { CacheModel, RelationReading } from '../control/sizing/cache-model.ts'
import { emptyCache, recordAccesses, resizeCache } from '../control/sizing/cache-model.ts'
import { touchedSince, usedPages, workingSet } from '../control/sizing/cache-model.ts'
import { fileCacheMiB } from '../control/sizing/sizes.ts'
import { type SuperuserAddress, withSession } from './connect.ts'
import { replaceFile } from './files.ts'
import type { ComputesOptions, StartOrder } from './orders.ts'
import { CACHE_FILE } from './schema.ts'

export type WorkReading = Readonly<{
  /** Processes that want a CPU or a disk. */
  running: number
  /** Database → blocks read since the start. */
  reads: ReadonlyMap<string, number>
}>

export type SizeModel = {
  attach(server: Readonly<{ port: number; pid: number }>): void
  /** Never throws, nor waits for a reading of relations it may start. */
  addReading(reading: WorkReading): void
  /** First counts the reads at the old size. Never rejects. */
  resize(cu: number): Promise<void>
  /** Announces the end: from now on, failed readings are no problem. */
  stop(): void
}

/** Goals in the minute of the short load average, one every 5 s. Tests shorten both alike. */
const GOALS_PER_MINUTE = 12

const PAGE = 8192
const PAGES_PER_MIB = 128

/** Takes no locks, so that it waits for no session and delays none. Above 1 GiB, the size is Postgres' estimate. */
const RELATIONS_QUERY = `
select id, read, case when bytes < 1073741824 then bytes / 8192 else greatest(131072, estimated) end::float8 as pages
  from (select oid::text as id, relpages as estimated,
               (pg_stat_get_blocks_fetched(oid) - pg_stat_get_blocks_hit(oid))::float8 as read,
               (pg_stat_file(pg_relation_filepath(oid), true)).size as bytes
          from pg_catalog.pg_class where relkind in ('r', 'i', 'm', 't') and oid >= 16384) relation
 where bytes is not null
`

/** Starts with an empty cache of the minimum size, written to its file. */
export function createSizeModel(
  dataFolder: string,
  { endpointId, config }: StartOrder,
  options: ComputesOptions,
): SizeModel {
  const { cacheScale, goalEvery, cluster } = options
  const { clock } = cluster
  const readEvery = 2 * options.activityPoll
  const startedAt = clock.now()
  let server = { port: 0, pid: 0 }
  /** Pages of this machine. */
  const pagesOf = (cu: number) => (fileCacheMiB(cu, options.settings().preset) * PAGES_PER_MIB) / cacheScale
  let model: CacheModel = emptyCache(pagesOf(config.minCu), startedAt)
  let load = 0
  let [lastReadingAt, goalAt, relationsReadAt, unchangedAt] = [startedAt, startedAt, startedAt, startedAt]
  let reads: WorkReading['reads'] = new Map()
  // database → blocks read, as the model has counted them
  const counted = new Map<string, number>()
  let isStopped = false
  let queued = 0
  let last: Promise<void> = Promise.resolve()

  const publish = () => writeCacheFile(dataFolder, model, cacheScale)
  const reportProblem = (error: unknown) => {
    if (!isStopped) options.onProblem('the file cache of a compute could not be read', error)
  }
  const runInTurn = (work: () => Promise<void>) => {
    queued += 1
    const finish = () => void (queued -= 1)
    last = last.then(work).catch(reportProblem).finally(finish)
    return last
  }
  const changedDatabases = () => [...reads.keys()].filter((name) => counted.get(name) !== reads.get(name))
  const readChangedRelations = async () => {
    relationsReadAt = clock.now()
    const since = unchangedAt
    const current = reads
    const dropped = [...counted.keys()].filter((name) => !current.has(name))
    for (const database of [...changedDatabases(), ...dropped]) {
      const read = current.get(database)
      const address = { ...cluster, port: server.port, database }
      const relations = read === undefined ? [] : await relationsOf(address)
      model = recordAccesses(model, { database, relations }, { since, now: clock.now() })
      if (read === undefined) counted.delete(database)
      else counted.set(database, read)
    }
    unchangedAt = relationsReadAt
    publish()
  }
  const demandNow = (now: number) => {
    const used = usedMemory(server.pid)
    const cached = usedPages(model) * cacheScale * PAGE
    return {
      load,
      memory: used === undefined ? undefined : { used, cached },
      workingSet: workingSet(model, now).map((pages) => pages * cacheScale),
    }
  }
  publish()
  return {
    attach: (started) => void (server = started),
    addReading: (reading) => {
      const now = clock.now()
      const elapsed = Math.max(0, now - lastReadingAt) // the clock may be set back
      load = loadAfter(load, reading.running, elapsed / (GOALS_PER_MINUTE * goalEvery))
      lastReadingAt = now
      reads = reading.reads
      if (queued > 0 || isStopped) return
      if (changedDatabases().length === 0) unchangedAt = now
      else if (now - relationsReadAt >= readEvery) void runInTurn(readChangedRelations)
      if (config.minCu === config.maxCu || now - goalAt < goalEvery) return
      goalAt = now
      options.onGoal(endpointId, goalCu(demandNow(now), config))
    },
    resize: (cu) =>
      runInTurn(async () => {
        await readChangedRelations().catch(reportProblem)
        model = resizeCache(model, pagesOf(cu))
        publish()
      }),
    stop: () => void (isStopped = true),
  }
}

const relationsOf = (address: SuperuserAddress): Promise<readonly RelationReading[]> =>
  withSession({ ...address, asWalsender: true }, async (client) => {
    const { rows } = await client.query<RelationReading>(RELATIONS_QUERY)
    return rows
  })

/** Writes the counters for the SQL objects: one page of the model is `cacheScale` of the service. */
function writeCacheFile(dataFolder: string, model: CacheModel, cacheScale: number): void {
  const hits = Math.floor(model.hits)
  const counters = {
    hits,
    misses: Math.round(model.hits + model.misses) - hits,
    used_pages: Math.round(usedPages(model) * cacheScale),
    evicted_pages: Math.floor(model.evicted * cacheScale),
    touched: touchedSince(model).map(({ at, pages }) => [at / 1000, pages * cacheScale]),
  }
  replaceFile(join(dataFolder, CACHE_FILE), JSON.stringify(counters))
}

/** The system beside Postgres. */
const SYSTEM_BYTES = 100 * 2 ** 20

/**
 * Bytes of a server and its processes, shared memory once; undefined without `/proc`. Caches of the operating system
 * count as available, as in the service.
 */
export function usedMemory(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const sizes = [String(pid), ...children].filter(Boolean).map(sizesOf)
    const own = sizes.reduce((sum, size) => sum + size.own, 0)
    return SYSTEM_BYTES + own + Math.max(...sizes.map(({ shared }) => shared))
  } catch {
    return undefined // no Linux, or a process has just ended
  }
}

function sizesOf(pid: string): Readonly<{ own: number; shared: number }> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return { own: bytes('RssAnon'), shared: bytes('RssShmem') }
}
