// What is to be delivered, and the way out for events.
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event.ts'
import type { OutboxEvent } from '../output/outbox-event.ts'
import type { ArchivedReport, StoredReport } from '../output/report.ts'

export type ReportsPage = { readonly count: number; readonly skip?: number }

/** What is to be told, and how far the telling is. */
export type Outbox = {
  /** Those with a larger number, oldest first, at most `count`. */
  eventsAfter(account: string, id: number, count: number): Promise<readonly OutboxEvent[]>
  /** The number of the newest; 0 where there was none. */
  lastEventId(account: string): Promise<number>
  event(account: string, key: string): Promise<OutboxEvent | undefined>
  /** The one of that topic that was last given to a sink, and not dropped. */
  lastGiven(account: string, sink: string, topic: string): Promise<OutboxEvent | undefined>
  /** Of which something is kept: what waits for them, or how far telling them is. */
  sinks(account: string): Promise<readonly string[]>
  /** What waits for a sink, what is due first before the others. */
  waiting(account: string, sink: string, count: number): Promise<readonly Delivery[]>
  /** What has waited longest, beyond the newest `most`. */
  overdue(account: string, sink: string, most: number): Promise<readonly Delivery[]>
  /** @param item as `reportItem` names it */
  report(account: string, item: string): Promise<StoredReport | undefined>
  /** Those about all teams, the newest first without the first `skip`, at most `count`. */
  reports(account: string, part: ReportsPage): Promise<readonly ArchivedReport[]>
  /** The teams that have a part of that slot, in order. */
  reportTeams(account: string, slot: string): Promise<readonly string[]>
  /** Undefined where the job never left anything. */
  memory(account: string, job: string): Promise<unknown>
}

/** Tells somebody of events. Never rejects: what could not be sent is returned. */
export type Send = (events: readonly Event[]) => Promise<readonly Event[]>
