// How values lie in tables: the same for every driver.
import type { ComputeRef, TargetRef } from '../../model/service/compute.ts'

export type SqlValue = string | number | bigint | Uint8Array | null

/** By column. */
export type Row = Readonly<Record<string, SqlValue>>

/** A row belongs to an account, one of history to a compute. The driver adds the column of the owner. */
export type RowCodec<Value> = Readonly<{
  table: string
  /** Columns that identify a row of the owner. */
  key: readonly string[]
  columns: readonly string[]
  /** Values of `key`, then of `columns`. */
  toRow: (value: Value) => readonly SqlValue[]
}>

/** `fromRow` takes rows with all columns. */
export type HistoryCodec<Value, Stored = Value> = RowCodec<Stored> & {
  readonly fromRow: (ref: ComputeRef, row: Row) => Value
}

/** Endpoint id of what is about a whole project: no compute has it. */
export const NO_ENDPOINT = ''

export const targetFromRef = ({ endpointId, ...project }: ComputeRef): TargetRef =>
  endpointId === NO_ENDPOINT ? project : { ...project, endpointId }
