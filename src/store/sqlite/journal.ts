// The journal: reading, and the two writes that refuse a whole commit.
import type { DatabaseSync } from 'node:sqlite'
import type { Journal } from '../../model/ports/journal.ts'
import type { WriteOf } from '../../model/ports/store.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import type { ChangeEvent, ChangeTally } from '../../model/policy/change.ts'
import type { SavedPart } from '../../model/policy/saved.ts'
import {
  CHANGE_EVENT_ROWS,
  CHANGE_ROWS,
  CHANGE_TALLY_ROWS,
  changeEventFromRow,
  changeFromRow,
  changeTallyFromRow,
  SAVED_PART_ROWS,
  SAVED_TALLY_ROWS,
  savedPartFromRow,
  savedTallyFromRow,
} from '../rows/change-rows.ts'
import { NO_ENDPOINT, type RowCodec } from '../rows/codec.ts'
import { brakeFromRow, forcedChangeFromRow, placedHoldFromRow } from '../rows/hold-rows.ts'

const CHANGES = `
select id, body from change
where account = ?1 and (ended_ms is null or ended_ms >= ?2)
  and (?3 is null or project_id = ?3) and (?4 is null or endpoint_id = ?4)
order by created_ms desc, id desc limit ?5
`

const SAVED_PARTS = `
select * from saved_part
where account = ?1 and to_ms >= ?2
  and (?3 is null or project_id = ?3) and (?4 is null or endpoint_id = ?4)
order by change_id, from_ms
`

export function createJournal(database: DatabaseSync): Journal {
  const open = database.prepare(
    'select id, body from change where account = ? and ended_ms is null order by created_ms, id',
  )
  const one = database.prepare('select id, body from change where account = ? and id = ?')
  const some = database.prepare(CHANGES)
  const events = database.prepare(
    'select change_id, body from change_event where account = ? and change_id = ? order by version',
  )
  const tallies = database.prepare(
    'select * from change_tally where account = ? order by project_id, endpoint_id, kind, outcome',
  )
  const savedParts = database.prepare(SAVED_PARTS)
  const savedOfChange = database.prepare(
    'select * from saved_part where account = ? and change_id = ? order by from_ms',
  )
  const savedTallies = database.prepare(
    'select * from saved_tally where account = ? order by project_id, endpoint_id, team',
  )
  const holds = database.prepare(
    'select id, body from placed_hold where account = ? and (ended_ms is null or ended_ms >= ?) order by placed_ms, id',
  )
  const forced = database.prepare(
    'select change_id, body from forced_change where account = ? order by change_id',
  )
  const brakes = database.prepare('select name, body from brake where account = ? order by name, subject')
  return {
    openChanges: async (account) => open.all(account).map(changeFromRow),
    change: async (account, id) => one.all(account, id).map(changeFromRow)[0],
    changes: async (account, { target, project = target?.projectId, since = -Infinity, count }) =>
      some.all(account, since, project ?? null, endpointOf(target), count).map(changeFromRow),
    changeEvents: async (account, id) => events.all(account, id).map(changeEventFromRow),
    changeTallies: async (account) => tallies.all(account).map((row) => changeTallyFromRow(account, row)),
    savedParts: async (account, part) => {
      const rows =
        'changeId' in part
          ? savedOfChange.all(account, part.changeId)
          : savedParts.all(account, part.since, part.target?.projectId ?? null, endpointOf(part.target))
      return rows.map((row) => savedPartFromRow(account, row))
    },
    savedTallies: async (account) => savedTallies.all(account).map((row) => savedTallyFromRow(account, row)),
    placedHolds: async (account, since) => holds.all(account, since ?? Infinity).map(placedHoldFromRow),
    forcedChanges: async (account) => forced.all(account).map(forcedChangeFromRow),
    storedBrakes: async (account) => brakes.all(account).map(brakeFromRow),
  }
}

/** Null: any. */
const endpointOf = (target: TargetRef | undefined) => (target ? (target.endpointId ?? NO_ENDPOINT) : null)

/** The stored change is not the one that a write replaces. */
class ChangeConflict extends Error {}

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY. Source: SQLite, "Result and Error Codes". */
const UNIQUE: ReadonlySet<unknown> = new Set([2067, 1555])

/** Only writes of the journal can break a unique index: all others replace the row in their way. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ChangeConflict || (error instanceof Error && UNIQUE.has(Reflect.get(error, 'errcode')))

export function createChangePut(database: DatabaseSync) {
  const insert = database.prepare(insertOf(CHANGE_ROWS))
  const { key, columns } = CHANGE_ROWS
  const update = database.prepare(
    `update change set ${columns.map((column, index) => `${column} = ?${index + key.length + 1}`).join(', ')}
     where id = ?1 and account = ?${key.length + columns.length + 1} and version = ?${key.length + columns.length + 2}`,
  )
  const append = database.prepare(insertOf(CHANGE_EVENT_ROWS))
  const tally = database.prepare(
    `${insertOf(CHANGE_TALLY_ROWS)} on conflict do update set count = count + excluded.count,
     interrupted = interrupted + excluded.interrupted, avoided = avoided + excluded.avoided, last_ms = max(last_ms, excluded.last_ms)`,
  )
  const part = database.prepare(insertOf(SAVED_PART_ROWS))
  const savedTally = database.prepare(
    `${insertOf(SAVED_TALLY_ROWS)} on conflict do update set saved = saved + excluded.saved, extra = extra + excluded.extra`,
  )
  return {
    savedPart: (account: string, added: SavedPart): undefined => {
      part.run(account, ...SAVED_PART_ROWS.toRow(added))
      savedTally.run(account, ...SAVED_TALLY_ROWS.toRow(added))
    },
    change: (account: string, { change, replaces }: WriteOf<'change'>): undefined => {
      const row = CHANGE_ROWS.toRow(change)
      if (replaces === undefined) insert.run(account, ...row)
      else if (update.run(...row, account, replaces).changes !== 1) throw new ChangeConflict()
    },
    changeEvent: (account: string, event: ChangeEvent): undefined => {
      append.run(account, ...CHANGE_EVENT_ROWS.toRow(event))
    },
    changeTally: (account: string, added: ChangeTally): undefined => {
      tally.run(account, ...CHANGE_TALLY_ROWS.toRow(added))
    },
  }
}

function insertOf({ table, key, columns }: Pick<RowCodec<never>, 'table' | 'key' | 'columns'>): string {
  const names = ['account', ...key, ...columns]
  return `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
}
