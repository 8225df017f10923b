import { createHash, timingSafeEqual } from 'node:crypto'
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

type Entry = { record: KeyRecord; readonly hash: Buffer }

const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest()

/** Valid keys are also in memory, so that a request costs no read of the disk. */
export function createKeyStore(store: Store): KeyStore {
  const { database } = store
  const insert = database.prepare('insert into keys (name, hash, created_at) values (?, ?, ?)')
  const markRevoked = database.prepare('update keys set revoked = 1 where id = ?')
  const markUsed = database.prepare('update keys set last_used_at = ?, last_used_from = ? where id = ?')
  const revokedKeys = database.prepare('select * from keys where revoked = 1 order by id')
  const entries = loadEntries(database)
  const unwritten = new Set<string>()
  const flush = (): void => {
    if (unwritten.size === 0) return
    store.commit(() => {
      for (const hex of unwritten) {
        const record = entries.get(hex)?.record
        if (record) markUsed.run(record.lastUsedAt ?? null, record.lastUsedFrom, record.id)
      }
    })
    unwritten.clear()
  }
  const entryOf = (value: string): Entry | undefined => {
    const hash = hashOf(value)
    const entry = entries.get(hash.toString('hex'))
    return entry && timingSafeEqual(entry.hash, hash) ? entry : undefined
  }
  return {
    flush,
    create: (name, value, now) => {
      const hash = hashOf(value)
      let id = 0
      store.commit(() => {
        id = Number(insert.run(name, hash.toString('hex'), now).lastInsertRowid)
      })
      const record: KeyRecord = { id, name, createdAt: now, lastUsedAt: undefined, lastUsedFrom: '' }
      entries.set(hash.toString('hex'), { record, hash })
      return record
    },
    list: () => [...entries.values()].map(({ record }) => record).toSorted((a, b) => a.id - b.id),
    revoked: () => revokedKeys.all().map(recordOf),
    revoke: (id) => {
      const entry = [...entries.values()].find(({ record }) => record.id === id)
      if (!entry) return undefined
      flush()
      store.commit(() => void markRevoked.run(id))
      entries.delete(entry.hash.toString('hex'))
      return entry.record
    },
    isValid: (value) => entryOf(value) !== undefined,
    use: (value, from, now) => {
      const entry = entryOf(value)
      if (!entry) return undefined
      entry.record = { ...entry.record, lastUsedAt: now, lastUsedFrom: from }
      unwritten.add(entry.hash.toString('hex'))
      return entry.record
    },
  }
}

function loadEntries(database: Store['database']): Map<string, Entry> {
  const rows = database.prepare('select * from keys where revoked = 0 order by id').all()
  return new Map(
    rows.map((row) => {
      const hex = String(row['hash'])
      return [hex, { record: recordOf(row), hash: Buffer.from(hex, 'hex') }]
    }),
  )
}

const recordOf = (row: Record<string, unknown>): KeyRecord => ({
  id: Number(row['id']),
  name: String(row['name']),
  createdAt: Number(row['created_at']),
  lastUsedAt: row['last_used_at'] === null ? undefined : Number(row['last_used_at']),
  lastUsedFrom: String(row['last_used_from']),
})
