import { createHash } from 'node:crypto'
import type { Store } from './store.ts'

/** A key without its value: only a hash is stored. */
export type KeyRecord = Readonly<{
  id: number
  name: string
  createdAt: number
  lastUsedAt: number | undefined
  /** Empty before the first use. */
  lastUsedFrom: string
}>

export type KeyStore = ReturnType<typeof createKeyStore>

const hashOf = (value: string) => createHash('sha256').update(value).digest('hex')

/** Valid keys are also in memory: a request reads no disk. */
export function createKeyStore({ sql, commit }: Store) {
  const rows = sql.all`select * from keys where revoked = 0 order by id`
  // hash → valid key, oldest first
  const records = new Map(rows.map((row) => [String(row['hash']), recordOf(row)]))
  const unwritten = new Set<string>()
  /** A crash loses the uses since the last call. */
  const flush = () => {
    if (unwritten.size === 0) return
    commit(() => {
      for (const hash of unwritten) {
        const record = records.get(hash)
        if (!record) continue
        const { id, lastUsedAt = null, lastUsedFrom } = record
        void sql.run`update keys set last_used_at = ${lastUsedAt}, last_used_from = ${lastUsedFrom} where id = ${id}`
      }
    })
    unwritten.clear()
  }
  return {
    flush,
    create: (name: string, value: string, now: number) => {
      const hash = hashOf(value)
      const { lastInsertRowid } = commit(
        () => sql.run`insert into keys (name, hash, created_at) values (${name}, ${hash}, ${now})`,
      )
      const id = Number(lastInsertRowid)
      const record: KeyRecord = { id, name, createdAt: now, lastUsedAt: undefined, lastUsedFrom: '' }
      records.set(hash, record)
      return record
    },
    /** Oldest first. */
    list: () => [...records.values()],
    /** Oldest first. */
    revoked: () => sql.all`select * from keys where revoked = 1 order by id`.map(recordOf),
    /** Revokes for good; undefined when unknown or already revoked. */
    revoke: (id: number) => {
      flush()
      const [hash, record] = [...records].find(([, candidate]) => candidate.id === id) ?? []
      if (hash === undefined) return undefined
      commit(() => sql.run`update keys set revoked = 1 where id = ${id}`)
      records.delete(hash)
      return record
    },
    isValid: (value: string) => records.has(hashOf(value)),
    /** Records the use; undefined when there is no valid key. */
    use: (value: string, from: string, now: number) => {
      const hash = hashOf(value)
      const record = records.get(hash)
      if (!record) return undefined
      const used = { ...record, lastUsedAt: now, lastUsedFrom: from }
      records.set(hash, used)
      unwritten.add(hash)
      return used
    },
  }
}

const recordOf = (row: Record<string, unknown>): KeyRecord => ({
  id: Number(row['id']),
  name: String(row['name']),
  createdAt: Number(row['created_at']),
  lastUsedAt: row['last_used_at'] === null ? undefined : Number(row['last_used_at']),
  lastUsedFrom: String(row['last_used_from']),
})
