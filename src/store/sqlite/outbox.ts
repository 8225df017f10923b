// Readers of the outbox: events and reports to deliver, deliveries, job states.
import type { DatabaseSync } from 'node:sqlite'
import type { Delivery } from '../../model/output/delivery.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Row } from '../rows/codec.ts'
import { bodyOf } from '../rows/entry-rows.ts'
import { decompressReport, eventFromRow, reportFromRow } from '../rows/outbox-rows.ts'

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
  const lastOfTopic = database.prepare(
    `${EVENTS} where account = ? and topic = ? and id > ? and id < ? order by id desc limit 1`,
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
  // slot and `/` by the primary key: `0` is the character after `/`
  const teams = database.prepare(
    "select team from report where account = ?1 and slot > ?2 || '/' and slot < ?2 || '0' order by team",
  )
  const jobState = database.prepare('select body from job_state where account = ? and job = ?')
  return {
    eventsAfter: async (account, id, count) => after.all(account, id, count).map(eventFromRow),
    lastEventId: async (account) => Number(last.get(account)?.['id'] ?? 0),
    event: async (account, key) => byKey.all(account, key).map(eventFromRow)[0],
    lastQueued: async (account, sink, topic) => lastQueued.all(account, sink, topic).map(eventFromRow)[0],
    lastOfTopic: async (account, topic, { after: low, before: high }) =>
      lastOfTopic.all(account, topic, low, high).map(eventFromRow)[0],
    receivers: async (account) => sinks.all(account).map(({ sink }) => String(sink)),
    dueDeliveries: async (account, sink, count) => waiting.all(account, sink, count).map(deliveryOf),
    overdue: async (account, sink, most) => overdue.all(account, sink, most).map(deliveryOf),
    report: async (account, item) => {
      const row = report.get(account, item)
      return row && decompressReport(row)
    },
    reports: async (account, { count, skip = 0 }) => reports.all(account, count, skip).map(reportFromRow),
    reportTeams: async (account, slot) => teams.all(account, slot).map(({ team }) => String(team)),
    jobState: async (account, { job, decode }) =>
      jobState.all(account, job).map((row) => decode(bodyOf(row, job)))[0],
  }
}

const deliveryOf = (row: Row) => bodyOf(row, 'delivery') as Delivery
