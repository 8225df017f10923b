// The outbox of the driver in memory.
import type { Delivery } from '../../src/model/output/delivery.ts'
import type { OutboxEvent } from '../../src/model/output/outbox-event.ts'
import type { ArchivedReport, StoredReport } from '../../src/model/output/report.ts'
import type { Outbox } from '../../src/model/ports/outbox.ts'
import type { RowsByAccount } from './memory-store.ts'

export const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

function headOf(report: StoredReport): ArchivedReport {
  const { json: _, ...head } = report
  return head
}

export function outboxOf(rows: RowsByAccount): Outbox {
  const events = (account: string): readonly OutboxEvent[] => [...rows(account).events.values()]
  const waiting = (account: string, sink: string): readonly Delivery[] =>
    [...rows(account).deliveries.values()].filter((one) => one.sink === sink && one.state === 'waiting')
  return {
    eventsAfter: (account, id, count) =>
      Promise.resolve(
        events(account)
          .filter((event) => event.id > id)
          .slice(0, count),
      ),
    lastEventId: (account) => Promise.resolve(events(account).at(-1)?.id ?? 0),
    event: (account, key) => Promise.resolve(rows(account).events.get(key)),
    lastQueued: (account, sink, topic) => {
      const queued = [...rows(account).deliveries.values()].filter(
        (one) => one.sink === sink && one.topic === topic && one.kind === 'event' && one.state !== 'dropped',
      )
      const keys = new Set(queued.map(({ item }) => item))
      return Promise.resolve(events(account).findLast(({ key }) => keys.has(key)))
    },
    lastOfTopic: (account, topic, { after, before }) =>
      Promise.resolve(
        events(account).findLast((one) => one.topic === topic && one.id > after && one.id < before),
      ),
    receivers: (account) => {
      const { deliveries, jobStates } = rows(account)
      const sinks = [...deliveries.values()]
        .filter(({ state }) => state === 'waiting')
        .map(({ sink }) => sink)
      const jobs = [...jobStates.keys()].filter((job) => /^(events|delivered)\//.test(job))
      const names = [...sinks, ...jobs.map((job) => job.slice(job.indexOf('/') + 1))]
      return Promise.resolve([...new Set(names)].toSorted(compare))
    },
    dueDeliveries: (account, sink, count) => {
      const due = waiting(account, sink).toSorted((a, b) => a.nextAt - b.nextAt || a.madeAt - b.madeAt)
      return Promise.resolve(due.slice(0, count))
    },
    overdue: (account, sink, most) =>
      Promise.resolve(
        waiting(account, sink)
          .toSorted((a, b) => b.madeAt - a.madeAt)
          .slice(most),
      ),
    report: (account, item) => Promise.resolve(rows(account).reports.get(item)),
    reports: (account, { count, skip = 0 }) => {
      const whole = [...rows(account).reports.values()].filter(({ team }) => team === undefined)
      const newest = whole.toSorted((a, b) => b.madeAt - a.madeAt || compare(b.slot.id, a.slot.id))
      return Promise.resolve(newest.slice(skip, skip + count).map(headOf))
    },
    reportTeams: (account, slot) => {
      const ofSlot = [...rows(account).reports.values()].filter((report) => report.slot.id === slot)
      return Promise.resolve(ofSlot.flatMap(({ team }) => team ?? []).toSorted(compare))
    },
    jobState: (account, { job, decode }) => {
      const json = rows(account).jobStates.get(job)
      return Promise.resolve(json === undefined ? undefined : decode(JSON.parse(json)))
    },
  }
}
