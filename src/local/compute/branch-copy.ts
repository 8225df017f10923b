// Copies a branch's data: the files when no server runs on it, a base backup when one does.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withSession } from './connect.ts'
import { copyFolder, makeWhole, removeEntries, writeSecret } from './files.ts'
import type { Cluster } from './server.ts'

type BranchCopy = Readonly<{
  from: string
  to: string
  /** Port of the server on `from`; undefined when none runs. */
  port: number | undefined
  /** Adds files before the copy gets its name. */
  complete?: (folder: string) => void
}>

/** The first Postgres with these names of the backup functions. */
const BACKUP_RENAMED = 15

/** Does nothing when `to` exists, or when the parent never ran and has no data. */
export async function copyBranch({ from, to, port, complete }: BranchCopy, cluster: Cluster): Promise<void> {
  if (!existsSync(from)) return
  await makeWhole(to, async (partial) => {
    if (port === undefined) await copyFolder(from, partial)
    else await backUp(from, partial, { ...cluster, port })
    rmSync(join(partial, 'postmaster.pid'), { force: true })
    removeEntries(join(partial, 'pg_replslot')) // no replica follows the copy
    complete?.(partial)
  })
}

/** Base backup: files as they change, then the log that makes them consistent, kept by a slot until the session ends. */
function backUp(from: string, to: string, server: Cluster & { readonly port: number }): Promise<void> {
  const [start, stop] =
    server.binaries.major >= BACKUP_RENAMED
      ? [`pg_backup_start('branch', true)`, 'pg_backup_stop(false)']
      : [`pg_start_backup('branch', true, false)`, 'pg_stop_backup(false, false)']
  return withSession(server, async (client) => {
    const slot = `'branch_copy_' || pg_backend_pid()`
    await client.query(`select pg_create_physical_replication_slot(${slot}, true, true)`)
    await client.query(`select ${start}`)
    await copyChangingFolder(from, to)
    const { rows } = await client.query<{ readonly label: string }>(`select labelfile as label from ${stop}`)
    rmSync(join(to, 'pg_wal'), { recursive: true, force: true })
    await copyChangingFolder(join(from, 'pg_wal'), join(to, 'pg_wal'))
    writeSecret(join(to, 'backup_label'), rows[0]?.label ?? '', server.owner)
  })
}

/** Files that vanish meanwhile are no failure. */
async function copyChangingFolder(from: string, to: string): Promise<void> {
  try {
    await copyFolder(from, to)
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    if (!output.split('\n').every((line) => line.endsWith('No such file or directory'))) throw error
  }
}
