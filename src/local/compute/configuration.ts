import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileCacheMiB, maxConnectionsOf } from '../control/sizing/sizes.ts'
import type { Settings } from '../control/events.ts'
import type { ComputeConfig } from '../control/project.ts'
import { replaceFile } from './files.ts'

/** The service's own superuser; its users get fewer rights. */
export const SUPERUSER = 'cloud_admin'

/** Settings by size, in the data folder; `postgresql.conf` includes it. */
const SIZE_FILE = 'compute.conf'

/** Small log files keep starts quick. What follows the included file belongs to the service: `pg_settings` has none of it. */
const COMMON = `
max_wal_size = '256MB'
min_wal_size = '16MB'
include '${SIZE_FILE}'
log_destination = 'stderr'
logging_collector = off
lc_messages = 'C'
password_encryption = 'scram-sha-256'
max_wal_senders = 100
max_replication_slots = 100
max_slot_wal_keep_size = '64MB'
`

/** Passwords, from this machine only. Replicas follow as superuser. */
const ACCESS = `
host all all 127.0.0.1/32 scram-sha-256
host replication ${SUPERUSER} 127.0.0.1/32 scram-sha-256
`

/** Files of a fresh cluster. */
export function writeCommonConfiguration(dataFolder: string): void {
  writeFileSync(join(dataFolder, 'postgresql.conf'), COMMON)
  writeFileSync(join(dataFolder, 'pg_hba.conf'), ACCESS)
  replaceFile(join(dataFolder, SIZE_FILE), '')
}

type SizeInput = Readonly<{
  cacheScale: number
  rules: Pick<Settings, 'connectionsBasis' | 'preset'>
  /** Current size. A reload applies what depends on it (S-67); the rest needs a start. */
  cu: number
  /** Override all others. */
  extraLines: readonly string[]
}>

/** `shared_buffers`, 128 MB at every size (S-99), is divided by `cacheScale`, the file cache not: its model scales pages. */
export function writeSizeConfiguration(dataFolder: string, config: ComputeConfig, input: SizeInput): void {
  const { cacheScale, rules, cu, extraLines } = input
  const { preset } = rules
  const lines = [
    // first, because the last line of a name counts
    ...Object.entries(config.pgSettings).map(([name, value]) => settingLine(name, value)),
    `shared_buffers = '${Math.max(128, Math.round((128 * 1024) / cacheScale))}kB'`,
    `max_connections = ${maxConnectionsOf(config, rules)}`,
    `effective_cache_size = '${fileCacheMiB(cu, preset)}MB'`,
    `neon.file_cache_size_limit = '${fileCacheMiB(cu, preset)}MB'`,
    `neon.max_file_cache_size = '${fileCacheMiB(config.maxCu, preset)}MB'`,
    ...extraLines,
  ]
  replaceFile(join(dataFolder, SIZE_FILE), `${lines.join('\n')}\n`)
}

export const settingLine = (name: string, value: string): string =>
  `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

/** The last `max_connections` of this data, or the next. */
export function maxConnectionsIn(dataFolder: string): number {
  const lines = readFileSync(join(dataFolder, SIZE_FILE), 'utf8')
  return Number([...lines.matchAll(/^max_connections = (\d+)$/gm)].at(-1)?.[1] ?? 0)
}
