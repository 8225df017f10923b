import { createHash } from 'node:crypto'
import type { Store } from './store.ts'

/** An API key as the API shows it. Its value is not stored, only a hash. */
export type KeyRecord = {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  /** Empty before the first use. */
  readonly lastUsedFrom: string
}

export type KeyStore = {
  /** Stores the hash of `value` under a new id. */
  create(name: string, value: string, now: number): KeyRecord
  /** Valid keys, oldest first. */
  list(): KeyRecord[]
  /** Revoked keys, oldest first. */
  revoked(): KeyRecord[]
  /** Revokes at once and for good; undefined when the id is unknown or already revoked. */
  revoke(id: number): KeyRecord | undefined
  isValid(value: string): boolean
  /** The valid key of this value, with its use recorded; undefined when there is none. */
  use(value: string, from: string, now: number): KeyRecord | undefined
  /** Writes the uses since the last call. A crash loses only those. */
  flush(): void
}

const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex')

/** Valid keys are also in memory, so that a request costs no read of the disk. */
export function createKeyStore({ sql, commit }: Store): KeyStore {
  const rows = sql.all`select * from keys where revoked = 0 order by id`
  const records = new Map(rows.map((row) => [String(row['hash']), recordOf(row)]))
  const unwritten = new Set<string>()
  const flush = (): void => {
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
    create: (name, value, now) => {
      const hash = hashOf(value)
      const { lastInsertRowid } = commit(
        () => sql.run`insert into keys (name, hash, created_at) values (${name}, ${hash}, ${now})`,
      )
      const id = Number(lastInsertRowid)
      const record: KeyRecord = { id, name, createdAt: now, lastUsedAt: undefined, lastUsedFrom: '' }
      records.set(hash, record)
      return record
    },
    list: () => [...records.values()].toSorted((a, b) => a.id - b.id),
    revoked: () => sql.all`select * from keys where revoked = 1 order by id`.map(recordOf),
    revoke: (id) => {
      flush()
      const [hash, record] = [...records].find(([, candidate]) => candidate.id === id) ?? []
      if (hash === undefined) return undefined
      commit(() => sql.run`update keys set revoked = 1 where id = ${id}`)
      records.delete(hash)
      return record
    },
    isValid: (value) => records.has(hashOf(value)),
    use: (value, from, now) => {
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
