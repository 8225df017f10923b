// Records as the service sent them, for what decoding leaves out: which fields are there at all.
import type { FieldCounts } from './probe-result.ts'

const fieldOf = (record: unknown, name: string): unknown =>
  typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined

export const itemsAt = (body: unknown, name: string): readonly unknown[] => {
  const items = fieldOf(body, name)
  return Array.isArray(items) ? items : []
}

export const textAt = (record: unknown, name: string): string | undefined => {
  const value = fieldOf(record, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const countFields = (records: readonly unknown[], names: readonly string[]): FieldCounts => ({
  records: records.length,
  shown: Object.fromEntries(
    names.map((name) => [name, records.filter((record) => fieldOf(record, name) != null).length]),
  ),
})
