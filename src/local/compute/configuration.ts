import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileCacheMiB, maxConnectionsOf } from '../control/sizing/sizes.ts'
import type { ConnectionsBasis } from '../control/behaviour.ts'
import type { ComputeConfig, PgSettings } from '../control/project.ts'

/** The name of the superuser that belongs to the service and not to its users. */
export const SUPERUSER = 'cloud_admin'

/** The file in the data folder that holds what follows from the size; `postgresql.conf` includes it. */
const SIZE_FILE = 'compute.conf'

/** Settings of every server. A checkpoint at each stop, and small files, make starts quick and keep data safe. */
const COMMON = `
include '${SIZE_FILE}'
log_destination = 'stderr'
logging_collector = off
lc_messages = 'C'
password_encryption = 'scram-sha-256'
max_wal_size = '256MB'
min_wal_size = '16MB'
max_wal_senders = 100
max_replication_slots = 100
max_slot_wal_keep_size = '64MB'
`

/** Only passwords, only from this machine; replicas follow their primary as superuser. */
const ACCESS = `
host all all 127.0.0.1/32 scram-sha-256
host replication ${SUPERUSER} 127.0.0.1/32 scram-sha-256
`

/** Completes a fresh cluster, once. */
export function writeCommonConfiguration(dataFolder: string): void {
  writeFileSync(join(dataFolder, 'postgresql.conf'), COMMON)
  writeFileSync(join(dataFolder, 'pg_hba.conf'), ACCESS)
  writeFileSync(join(dataFolder, SIZE_FILE), '')
}

export type SizeFacts = {
  readonly cacheScale: number
  readonly basis: ConnectionsBasis
  readonly cu: number
  /** Lines that win over all others. */
  readonly more: readonly string[]
}

/**
 * Writes what follows from the size of the compute, before a start.
 *
 * `cacheScale` really divides `shared_buffers` (128 MB at every size, S-99). The file cache limit is told unscaled:
 * the cache model takes one page of this machine for `cacheScale` pages of the service. `cu` is the size it has now;
 * what follows from it is taken over by a reload (S-67), everything else by a start.
 */
export function writeSizeConfiguration(
  dataFolder: string,
  config: ComputeConfig,
  { cacheScale, basis, cu, more }: SizeFacts,
): void {
  const lines = [
    ...ownLines(config.pgSettings),
    `shared_buffers = '${Math.max(128, Math.round((128 * 1024) / cacheScale))}kB'`,
    `max_connections = ${maxConnectionsOf(config, basis)}`,
    `effective_cache_size = '${fileCacheMiB(cu)}MB'`,
    `neon.file_cache_size_limit = '${fileCacheMiB(cu)}MB'`,
    `neon.max_file_cache_size = '${fileCacheMiB(config.maxCu)}MB'`,
    ...more,
  ]
  const path = join(dataFolder, SIZE_FILE)
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`)
  renameSync(`${path}.new`, path) // a session may be reading it
}

/** What the client set, before the service's own, of which the last one counts. */
const ownLines = (settings: PgSettings): string[] =>
  Object.entries(settings).map(([name, value]) => settingLine(name, value))

/** A line of configuration, whatever the characters of the value. */
export const settingLine = (name: string, value: string): string =>
  `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** The `max_connections` a server on this data had last, or will have next. */
export function maxConnectionsIn(dataFolder: string): number {
  const lines = readFileSync(join(dataFolder, SIZE_FILE), 'utf8')
  return Number([...lines.matchAll(/^max_connections = (\d+)$/gm)].at(-1)?.[1] ?? 0)
}
