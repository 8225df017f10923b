// Outbox in SQLite: events and reports to deliver, their deliveries, and job states.
import type { DatabaseSync } from 'node:sqlite'
import type { Delivery } from '../../model/output/delivery.ts'
import { isNotifiable, type NotifiableEvent } from '../../model/output/event-kinds.ts'
import { eventKey, type OutboxEvent } from '../../model/output/outbox-event.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import { reportKey, type ArchivedReport } from '../../model/output/report.ts'
import { decompress, type WithCompressedReports, type CompressedReport } from '../rows/compressed-reports.ts'

export type OutboxRow =
  | { readonly kind: 'event'; readonly event: NotifiableEvent }
  | { readonly kind: 'report'; readonly report: CompressedReport }
  | { readonly kind: 'delivery'; readonly delivery: Delivery }
  | { readonly kind: 'memory'; readonly account: string; readonly job: string; readonly memory: unknown }

export function* outboxRows({
  account,
  events,
  reports,
  deliveries,
  memories,
}: WithCompressedReports<
  Pick<Batch, 'account' | 'events' | 'reports' | 'deliveries' | 'memories'>
>): Generator<OutboxRow> {
  for (const event of events.filter(isNotifiable)) yield { kind: 'event', event }
  for (const report of reports) yield { kind: 'report', report }
  for (const delivery of deliveries) yield { kind: 'delivery', delivery }
  for (const [job, memory] of Object.entries(memories)) yield { kind: 'memory', account, job, memory }
}

export function createOutboxWriter(database: DatabaseSync): (row: OutboxRow) => void {
  const putEvent = database.prepare(
    'insert into event (account, at_ms, topic, key, body) values (?, ?, ?, ?, ?) on conflict do nothing',
  )
  const putReport = database.prepare(
    `insert into report (account, slot, made_ms, team, head, body) values (?, ?, ?, ?, ?, ?)
     on conflict do update set made_ms = excluded.made_ms, body = excluded.body, head = excluded.head`,
  )
  const putDelivery = database.prepare(
    `insert into delivery values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict do update set state = excluded.state, next_ms = excluded.next_ms, body = excluded.body`,
  )
  const putMemory = database.prepare(
    'insert into job_state values (?, ?, ?) on conflict do update set body = excluded.body',
  )
  const dropMemory = database.prepare('delete from job_state where account = ? and job = ?')
  return (row) => {
    switch (row.kind) {
      case 'event': {
        const { event } = row
        const { topic, key } = eventKey(event)
        putEvent.run(event.account, event.at, topic, key, JSON.stringify(event))
        return
      }
      case 'report': {
        const { body, ...head } = row.report
        const { account, madeAt, team } = head
        putReport.run(account, reportKey(head), madeAt, team ?? null, JSON.stringify(head), body)
        return
      }
      case 'delivery': {
        const { account, sink, kind, item, topic, madeAt, state, nextAt } = row.delivery
        const body = JSON.stringify(row.delivery)
        putDelivery.run(account, sink, kind, item, topic, madeAt, state, nextAt, body)
        return
      }
      case 'memory': {
        const { account, job, memory } = row
        if (memory === undefined) dropMemory.run(account, job)
        else putMemory.run(account, job, JSON.stringify(memory))
      }
    }
  }
}

const EVENTS = 'select id, topic, key, body from event'

export function createOutbox(database: DatabaseSync): Outbox {
  const after = database.prepare(`${EVENTS} where account = ? and id > ? order by id limit ?`)
  const last = database.prepare('select max(id) as id from event where account = ?')
  const byKey = database.prepare(`${EVENTS} where account = ? and key = ?`)
  const lastQueued = database.prepare(
    `select event.id, event.topic, event.key, event.body
     from delivery join event on event.account = delivery.account and event.key = delivery.item
     where delivery.account = ? and sink = ? and delivery.topic = ? and kind = 'event' and state <> 'dropped'
     order by event.id desc limit 1`,
  )
  const waiting = database.prepare(
    `select body from delivery
     where account = ? and sink = ? and state = 'waiting' order by next_ms, made_ms limit ?`,
  )
  const sinks = database.prepare(
    `select sink from delivery where account = ?1 and state = 'waiting'
     union select substr(job, instr(job, '/') + 1) from job_state
       where account = ?1 and (job like 'events/%' or job like 'delivered/%')
     order by sink`,
  )
  const overdue = database.prepare(
    `select body from delivery
     where account = ? and sink = ? and state = 'waiting' order by made_ms desc limit -1 offset ?`,
  )
  const report = database.prepare('select head, body from report where account = ? and slot = ?')
  const reports = database.prepare(
    'select head from report where account = ? and team is null order by made_ms desc, slot desc limit ? offset ?',
  )
  // prefix search for the slot and `/` by the primary key: `0` is the character after `/`
  const teams = database.prepare(
    "select team from report where account = ?1 and slot > ?2 || '/' and slot < ?2 || '0' order by team",
  )
  const memory = database.prepare('select body from job_state where account = ? and job = ?')
  return {
    eventsAfter: (account, id, count) => Promise.resolve(after.all(account, id, count).map(eventFromRow)),
    lastEventId: (account) => Promise.resolve(Number(last.get(account)?.['id'] ?? 0)),
    event: (account, key) => Promise.resolve(optionalEvent(byKey.get(account, key))),
    lastQueued: (account, sink, topic) =>
      Promise.resolve(optionalEvent(lastQueued.get(account, sink, topic))),
    receivers: (account) => Promise.resolve(sinks.all(account).map(({ sink }) => String(sink))),
    dueDeliveries: (account, sink, count) =>
      Promise.resolve(waiting.all(account, sink, count).map(deliveryOf)),
    overdue: (account, sink, most) => Promise.resolve(overdue.all(account, sink, most).map(deliveryOf)),
    report: async (account, item) => {
      const row = report.get(account, item)
      return row && { ...reportFromRow(row), json: await decompress(row['body'] as Uint8Array) }
    },
    reports: (account, { count, skip = 0 }) =>
      Promise.resolve(reports.all(account, count, skip).map(reportFromRow)),
    reportTeams: (account, slot) => Promise.resolve(teams.all(account, slot).map(({ team }) => String(team))),
    jobState: (account, job) => {
      const body = memory.get(account, job)?.['body']
      return Promise.resolve(body === undefined ? undefined : JSON.parse(String(body)))
    },
  }
}

type Row = Readonly<Record<string, unknown>>

const reportFromRow = ({ head }: Row): ArchivedReport => JSON.parse(String(head)) as ArchivedReport

const optionalEvent = (row: Row | undefined): OutboxEvent | undefined => row && eventFromRow(row)

const eventFromRow = ({ id, topic, key, body }: Row): OutboxEvent => ({
  id: Number(id),
  topic: String(topic),
  key: String(key),
  event: JSON.parse(String(body)) as NotifiableEvent,
})

const deliveryOf = ({ body }: Row): Delivery => JSON.parse(String(body)) as Delivery
