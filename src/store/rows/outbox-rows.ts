// Rows of the outbox. Reports are compressed to a fifth, so that years of them fit.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Delivery } from '../../model/output/delivery.ts'
import type { NotifiableEvent } from '../../model/output/event-kinds.ts'
import { eventKey, type OutboxEvent } from '../../model/output/outbox-event.ts'
import { reportKey, type ArchivedReport, type StoredReport } from '../../model/output/report.ts'
import type { Row, RowCodec } from './codec.ts'
import { bodyOf } from './entry-rows.ts'

export const EVENT_ROWS: RowCodec<NotifiableEvent> = {
  table: 'event',
  key: ['key'],
  columns: ['at_ms', 'topic', 'body'],
  toRow: (event) => {
    const { topic, key } = eventKey(event)
    return [key, event.at, topic, JSON.stringify(event)]
  },
}

export const eventFromRow = (row: Row): OutboxEvent => ({
  id: Number(row['id']),
  topic: String(row['topic']),
  key: String(row['key']),
  event: bodyOf(row, 'event', String(row['key'])) as NotifiableEvent,
})

export const DELIVERY_ROWS: RowCodec<Delivery> = {
  table: 'delivery',
  key: ['sink', 'kind', 'item'],
  columns: ['topic', 'made_ms', 'state', 'next_ms', 'body'],
  toRow: (delivery) => {
    const { sink, kind, item, topic, madeAt, state, nextAt } = delivery
    return [sink, kind, item, topic, madeAt, state, nextAt, JSON.stringify(delivery)]
  },
}

export type CompressedReport = ArchivedReport & { readonly compressed: Uint8Array }

export const REPORT_ROWS: RowCodec<CompressedReport> = {
  table: 'report',
  key: ['slot'],
  columns: ['made_ms', 'team', 'head', 'body'],
  toRow: ({ compressed, ...head }) => [
    reportKey(head),
    head.madeAt,
    head.team ?? null,
    JSON.stringify(head),
    compressed,
  ],
}

export const reportFromRow = ({ head }: Row): ArchivedReport => JSON.parse(String(head)) as ArchivedReport

// asynchronous: the report of a large fleet takes some tenths of a second
const [gzipBeside, gunzipBeside] = [promisify(gzip), promisify(gunzip)]

export const compressReport = async ({ json, ...head }: StoredReport): Promise<CompressedReport> => ({
  ...head,
  compressed: await gzipBeside(json),
})

/** @param row with its body */
export const decompressReport = async (row: Row): Promise<StoredReport> => ({
  ...reportFromRow(row),
  json: String(await gunzipBeside(row['body'] as Uint8Array)),
})
