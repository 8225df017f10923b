// Rows of what people decided about changes, and of brakes that they release.
import type { StoredBrake } from '../../model/policy/brakes.ts'
import type { ForcedChange, PlacedHold } from '../../model/policy/placed-hold.ts'
import type { Row, RowCodec } from './codec.ts'
import { bodyOf } from './entry-rows.ts'

export const PLACED_HOLD_ROWS: RowCodec<PlacedHold> = {
  table: 'placed_hold',
  key: ['id'],
  columns: ['placed_ms', 'ended_ms', 'body'],
  toRow: (hold) => [hold.id, hold.placedAt, hold.ended?.at ?? null, JSON.stringify(hold)],
}

export const placedHoldFromRow = (row: Row): PlacedHold =>
  bodyOf(row, 'placed_hold', String(row['id'])) as PlacedHold

export const FORCED_CHANGE_ROWS: RowCodec<ForcedChange> = {
  table: 'forced_change',
  key: ['change_id'],
  columns: ['body'],
  toRow: (forced) => [forced.changeId, JSON.stringify(forced)],
}

export const forcedChangeFromRow = (row: Row): ForcedChange =>
  bodyOf(row, 'forced_change', String(row['change_id'])) as ForcedChange

export const BRAKE_ROWS: RowCodec<StoredBrake> = {
  table: 'brake',
  key: ['name', 'subject'],
  columns: ['body'],
  toRow: (brake) => [brake.name, brake.subject, JSON.stringify(brake)],
}

export const brakeFromRow = (row: Row): StoredBrake =>
  bodyOf(row, 'brake', String(row['name'])) as StoredBrake
