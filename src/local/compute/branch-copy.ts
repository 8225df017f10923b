// A branch's data folder out of its parent's: a copy of the files when nothing runs on it, a base backup when it is awake.
import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectSuperuser } from './connect.ts'
import { type Cluster, copyFolder, partialOf } from './template.ts'

export type BranchCopy = {
  readonly from: string
  readonly to: string
  /** The server that runs on `from`; undefined when none does. */
  readonly port: number | undefined
  /** What else belongs into the copy. */
  readonly complete?: (folder: string) => void
}

/** The first Postgres that names the functions of a base backup as below. */
const RENAMED = 15

const run = promisify(execFile)

/** The new folder appears under its name only when it is complete. A parent that never ran has nothing to copy. */
export async function copyBranch({ from, to, port, complete }: BranchCopy, cluster: Cluster): Promise<void> {
  if (existsSync(to) || !existsSync(from)) return
  const partial = partialOf(to)
  rmSync(partial, { recursive: true, force: true })
  if (port === undefined) await copyFolder(from, partial)
  else await backUp(from, partial, { ...cluster, port })
  rmSync(join(partial, 'postmaster.pid'), { force: true })
  for (const slot of readdirSync(join(partial, 'pg_replslot')))
    rmSync(join(partial, 'pg_replslot', slot), { recursive: true }) // nobody follows the copy
  complete?.(partial)
  renameSync(partial, to)
}

/**
 * A base backup by the low-level functions: files as they change, then the log that makes them consistent. The slot
 * keeps that log from being recycled meanwhile; slot and backup end with the session.
 */
async function backUp(from: string, to: string, server: Cluster & { readonly port: number }): Promise<void> {
  const { binaries, owner, password, port } = server
  const renamed = binaries.major >= RENAMED
  const client = await connectSuperuser({ port, password, database: 'postgres' })
  try {
    await client.query(
      `select pg_create_physical_replication_slot('branch_copy_' || pg_backend_pid(), true, true)`,
    )
    await client.query(
      renamed ? `select pg_backup_start('branch', true)` : `select pg_start_backup('branch', true, false)`,
    )
    await copyChanging(from, to)
    const { rows } = await client.query<{ readonly label: string }>(
      `select labelfile as label from ${renamed ? 'pg_backup_stop(false)' : 'pg_stop_backup(false, false)'}`,
    )
    rmSync(join(to, 'pg_wal'), { recursive: true, force: true })
    await copyChanging(join(from, 'pg_wal'), join(to, 'pg_wal'))
    const label = join(to, 'backup_label')
    writeFileSync(label, rows[0]?.label ?? '', { mode: 0o600 })
    if (owner) chownSync(label, owner.uid, owner.gid)
  } finally {
    await client.end()
  }
}

/** Copies a folder whose files come and go; that a file went meanwhile is no failure. */
async function copyChanging(from: string, to: string): Promise<void> {
  try {
    await copyFolder(from, to)
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const isHarmless =
      words !== '' && words.split('\n').every((line) => line.endsWith('No such file or directory'))
    if (!isHarmless) throw error
  }
}

/** Removes the data of a branch that nothing runs on. */
export const removeFolder = (folder: string): Promise<unknown> => run('rm', ['-rf', folder])
