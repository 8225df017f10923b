// What is to be delivered, and the way out for events.
import type { Delivery } from '../output/delivery.ts'
import type { Event } from '../output/event-kinds.ts'
import type { OutboxEvent } from '../output/outbox-event.ts'
import type { ArchivedReport, StoredReport } from '../output/report.ts'
import type { Write } from './store.ts'

type ReportsPage = Readonly<{ count: number; skip?: number }>

type EventNumbers = Readonly<{ after: number; before: number }>

export type Outbox = {
  /** Events with a larger number than `id`, oldest first, at most `count`. */
  eventsAfter(account: string, id: number, count: number): Promise<readonly OutboxEvent[]>
  /** Number of the newest event; 0 where there is none. */
  lastEventId(account: string): Promise<number>
  event(account: string, key: string): Promise<OutboxEvent | undefined>
  /** Last one queued for a receiver and not dropped. */
  lastQueued(account: string, sink: string, topic: string): Promise<OutboxEvent | undefined>
  /** Last one of the topic with a number between, ends excluded. */
  lastOfTopic(account: string, topic: string, between: EventNumbers): Promise<OutboxEvent | undefined>
  /** Receivers with stored deliveries or cursors. */
  receivers(account: string): Promise<readonly string[]>
  /** Waiting, the first due first. */
  dueDeliveries(account: string, sink: string, count: number): Promise<readonly Delivery[]>
  /** Waiting, beyond the newest `most`. */
  overdue(account: string, sink: string, most: number): Promise<readonly Delivery[]>
  /** @param item key made by `reportKey` */
  report(account: string, item: string): Promise<StoredReport | undefined>
  /** Reports about all teams, newest first, without the first `skip`, at most `count`. */
  reports(account: string, part: ReportsPage): Promise<readonly ArchivedReport[]>
  /** In order. */
  reportTeams(account: string, slot: string): Promise<readonly string[]>
  /** Undefined without a stored state that the job understands. */
  jobState<State>(account: string, kind: JobState<State>): Promise<State | undefined>
}

/** What one job remembers between runs, plain data. */
export type JobState<State> = Readonly<{
  job: string
  /** Undefined for what it does not understand: it then starts anew. */
  decode: (json: unknown) => State | undefined
}>

export const jobStateWrite = <State>({ job }: JobState<State>, state: State): Write => ({
  kind: 'job-state',
  job,
  state,
})

/** Never rejects: events that could not be sent are returned. */
export type Send = (events: readonly Event[]) => Promise<readonly Event[]>
