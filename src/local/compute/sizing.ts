// What a running server's work says about its file cache and about the size it should have.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { type Demand, type Load, goalCu, loadAfter } from '../control/sizing/autoscale.ts'
import {
  type CacheModel,
  type RelationReading,
  recordAccesses,
  emptyCache,
  resizeCache,
  touchedSince,
  usedPages,
  workingSet,
} from '../control/sizing/cache-model.ts'
import type { ComputeConfig } from '../control/project.ts'
import { fileCacheMiB } from '../control/sizing/sizes.ts'
import { type SuperuserAddress, connectSuperuser } from './connect.ts'
import { CACHE_FILE } from './schema.ts'

/** What a look at a server shows of its work. */
export type WorkReading = {
  /** Processes that want a CPU or wait for a disk. */
  readonly running: number
  /** Blocks read since the start, by database. */
  readonly reads: ReadonlyMap<string, number>
}

export type SizeModelOptions = {
  readonly dataFolder: string
  readonly config: Pick<ComputeConfig, 'minCu' | 'maxCu'>
  readonly cacheScale: number
  /** Between two goals, and between two readings of the relations at least, ms. */
  readonly goalEvery: number
  readonly readEvery: number
  readonly password: string
  readonly clock: Clock
  readonly onGoal: (cu: number) => void
  readonly onProblem: (error: unknown) => void
}

export type SizeModel = {
  /** Begins to read from this server. */
  attach(server: { readonly port: number; readonly pid: number }): void
  /** Takes in a look at the server. Never throws; what it brings about follows by itself. */
  seen(reading: WorkReading): void
  /** Counts what was read so far at the old size, then goes on at the new one. Never rejects. */
  resize(cu: number): Promise<void>
  /** The server is about to go: what cannot be read of it any more is no problem. */
  stop(): void
}

/** The short average covers a minute of goals every five seconds: it scales along with their period, as the tests need. */
const GOALS_PER_MINUTE = 12

const PAGE = 8192
const PAGES_PER_MIB = 128

/**
 * Relations of users, without locks: a session that alters a table must not stop the reading, nor the reading it. The
 * size is that of the first file; of larger relations it is what Postgres estimates.
 */
const READ_RELATIONS = `
select id, told, case when bytes < 1073741824 then bytes / 8192 else greatest(131072, estimated) end::float8 as pages
  from (select oid::text as id, relpages as estimated,
               (pg_stat_get_blocks_fetched(oid) - pg_stat_get_blocks_hit(oid))::float8 as told,
               (pg_stat_file(pg_relation_filepath(oid), true)).size as bytes
          from pg_catalog.pg_class where relkind in ('r', 'i', 'm', 't') and oid >= 16384) relation
 where bytes is not null
`

/** Begins with an empty cache at the minimum, and tells the server so: to be made before the start. */
export function createSizeModel(options: SizeModelOptions): SizeModel {
  const { dataFolder, config, cacheScale, clock } = options
  const startedAt = clock.now()
  let server = { port: 0, pid: 0 }
  let model: CacheModel = emptyCache(pagesOf(config.minCu, cacheScale), startedAt)
  let load: Load = { one: 0, five: 0 }
  let [lookedAt, goalAt, readAt, quietAt] = [startedAt, startedAt, startedAt, startedAt]
  let reads: WorkReading['reads'] = new Map()
  const counted = new Map<string, number>()
  let isOver = false
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  const publish = (): void => writeCacheFile(dataFolder, model, cacheScale)
  const failed = (error: unknown): void => {
    if (!isOver) options.onProblem(error)
  }
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    waiting += 1
    last = last
      .then(work)
      .catch(failed)
      .finally(() => {
        waiting -= 1
      })
    return last
  }
  const changed = (): [string, number][] => [...reads].filter(([name, read]) => counted.get(name) !== read)
  const readChanged = async (): Promise<void> => {
    readAt = clock.now()
    const since = quietAt
    for (const [database, read] of changed()) {
      const relations = await relationsOf({ ...server, password: options.password, database })
      model = recordAccesses(model, { database, relations }, { since, now: clock.now() })
      counted.set(database, read)
    }
    for (const database of counted.keys())
      if (!reads.has(database)) {
        model = recordAccesses(model, { database, relations: [] }, { since, now: clock.now() })
        counted.delete(database)
      }
    quietAt = readAt
    publish()
  }
  const demandNow = (now: number): Demand => {
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
    attach: (started) => {
      server = started
    },
    seen: (reading) => {
      const now = clock.now()
      const span = Math.max(0, now - lookedAt) // the clock may have been set back
      load = loadAfter(load, reading.running, span / (GOALS_PER_MINUTE * options.goalEvery))
      lookedAt = now
      reads = reading.reads
      if (waiting > 0 || isOver) return
      if (changed().length === 0) quietAt = now
      else if (now - readAt >= options.readEvery) void inTurn(readChanged)
      if (config.minCu === config.maxCu || now - goalAt < options.goalEvery) return
      goalAt = now
      options.onGoal(goalCu(demandNow(now), config))
    },
    resize: (cu) =>
      inTurn(async () => {
        await readChanged().catch(failed)
        model = resizeCache(model, pagesOf(cu, cacheScale))
        publish()
      }),
    stop: () => {
      isOver = true
    },
  }
}

/** How many pages of this machine the file cache of a size holds. */
const pagesOf = (cu: number, cacheScale: number): number => (fileCacheMiB(cu) * PAGES_PER_MIB) / cacheScale

async function relationsOf(address: SuperuserAddress): Promise<readonly RelationReading[]> {
  const client = await connectSuperuser({ ...address, unseen: true })
  try {
    return (await client.query<RelationReading>(READ_RELATIONS)).rows
  } finally {
    await client.end()
  }
}

/** Tells a server what its file cache has done so far; `cacheScale` pages of the service stand for one of the model. */
export function writeCacheFile(dataFolder: string, model: CacheModel, cacheScale: number): void {
  const hits = Math.floor(model.hits)
  const told = {
    hits,
    misses: Math.round(model.hits + model.misses) - hits,
    used_pages: Math.round(usedPages(model) * cacheScale),
    evicted_pages: Math.floor(model.evicted * cacheScale),
    touched: touchedSince(model).map(({ at, pages }) => [at / 1000, pages * cacheScale]),
  }
  const path = join(dataFolder, CACHE_FILE)
  writeFileSync(`${path}.new`, JSON.stringify(told))
  renameSync(`${path}.new`, path)
}

const MIB = 2 ** 20

/** What the system of a compute takes besides Postgres, bytes. */
const SYSTEM = 100 * MIB

/**
 * Bytes a server and its processes use, shared memory once; undefined where the machine does not tell. Caches of the
 * operating system count as available, as in the service.
 */
export function usedMemory(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const sizes = [String(pid), ...children].filter(Boolean).map(sizesOf)
    return (
      SYSTEM + sizes.reduce((sum, { own }) => sum + own, 0) + Math.max(...sizes.map(({ shared }) => shared))
    )
  } catch {
    return undefined // not Linux, or a process ended while we looked: the next look tells
  }
}

function sizesOf(pid: string): { readonly own: number; readonly shared: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return { own: bytes('RssAnon'), shared: bytes('RssShmem') }
}
