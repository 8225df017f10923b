// What is to be delivered, and the way out for events.
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event-kinds.ts'
import type { OutboxEvent } from '../output/outbox-event.ts'
import type { ArchivedReport, StoredReport } from '../output/report.ts'
import type { Write } from './store.ts'

type ReportsPage = Readonly<{ count: number; skip?: number }>

/** Events and reports to deliver, their deliveries, and job states. */
export type Outbox = {
  /** Events with a larger number than `id`, oldest first, at most `count`. */
  eventsAfter(account: string, id: number, count: number): Promise<readonly OutboxEvent[]>
  /** Number of the newest event; 0 where there is none. */
  lastEventId(account: string): Promise<number>
  event(account: string, key: string): Promise<OutboxEvent | undefined>
  /** Last event of that topic that was queued for a receiver and not dropped. */
  lastQueued(account: string, sink: string, topic: string): Promise<OutboxEvent | undefined>
  /** Receivers with stored deliveries or cursors. */
  receivers(account: string): Promise<readonly string[]>
  /** Waiting deliveries of a receiver, the first due first. */
  dueDeliveries(account: string, sink: string, count: number): Promise<readonly Delivery[]>
  /** Waiting deliveries beyond the newest `most`. */
  overdue(account: string, sink: string, most: number): Promise<readonly Delivery[]>
  /** @param item key made by `reportKey` */
  report(account: string, item: string): Promise<StoredReport | undefined>
  /** Reports about all teams, newest first, without the first `skip`, at most `count`. */
  reports(account: string, part: ReportsPage): Promise<readonly ArchivedReport[]>
  /** Teams with a report of that slot, in order. */
  reportTeams(account: string, slot: string): Promise<readonly string[]>
  /** Undefined for a job without a stored state that it understands. */
  jobState<State>(account: string, kind: JobState<State>): Promise<State | undefined>
}

/** What one job remembers between runs, plain data. */
export type JobState<State> = Readonly<{
  job: string
  /** Undefined for what it does not understand: the job then starts anew. */
  decode: (json: unknown) => State | undefined
}>

export const jobStateWrite = <State>({ job }: JobState<State>, state: State): Write => ({
  kind: 'job-state',
  job,
  state,
})

/** Sends events. Never rejects: events that could not be sent are returned. */
export type Send = (events: readonly Event[]) => Promise<readonly Event[]>
