// Turns events into deliveries of one receiver, each once.
/* oxlint-disable no-await-in-loop -- one page and event after the other: each may depend on the one before */
import type { Delivery } from '../../model/output/delivery.ts'
import type { NotifiableEvent } from '../../model/output/event-kinds.ts'
import type { OutboxEvent } from '../../model/output/outbox-event.ts'
import type { Owner } from '../../model/policy/owner.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { jobStateWrite, type JobState, type Outbox } from '../../model/ports/outbox.ts'
import { commit, deliveryWrites, type Store } from '../../model/ports/store.ts'
import type { Subscription } from '../../model/output/subscription.ts'
import type { Instant } from '../../model/units.ts'
import { isRepeat, matchesSubscription } from '../../outputs/notify/messages.ts'

export type EventQueue = Readonly<{
  clock: Clock
  store: Pick<Store, 'account'> & Outbox
  ownerOf: (event: NotifiableEvent) => Owner
}>

type Subscriber = Readonly<{ sink: string; subscription: Subscription }>

/** Deliveries that wait for one receiver: days of an outage, little for the store. */
export const MAX_QUEUED = 1000
/** Events enqueued in one transaction. */
const EVENTS_PER_COMMIT = 200

/** Number of the last event queued for a receiver. */
export const cursorOf = (sink: string): JobState<number> => ({
  job: `events/${sink}`,
  decode: (json) => (typeof json === 'number' ? json : undefined),
})

/** A new receiver gets the events from now on. @throws when the store fails */
export async function registerSubscriber({ store }: EventQueue, account: string, sink: string) {
  const cursor = cursorOf(sink)
  if ((await store.jobState(account, cursor)) !== undefined) return
  await commit(store.account(account), [jobStateWrite(cursor, await store.lastEventId(account))])
}

/** @returns how many of the oldest were dropped because too many wait @throws when the store fails */
export async function enqueueEvents(
  queue: EventQueue,
  account: string,
  subscriber: Subscriber,
): Promise<number> {
  const { store } = queue
  const cursor = cursorOf(subscriber.sink)
  let upTo = (await store.jobState(account, cursor)) ?? 0
  for (;;) {
    const events = await store.eventsAfter(account, upTo, EVENTS_PER_COMMIT)
    const last = events.at(-1)
    if (!last) break
    upTo = last.id
    const deliveries = await deliveriesOf(queue, events, subscriber)
    await commit(store.account(account), [...deliveryWrites(deliveries), jobStateWrite(cursor, upTo)])
  }
  const excess = await store.overdue(account, subscriber.sink, MAX_QUEUED)
  const dropped = excess.map((delivery): Delivery => ({ ...delivery, state: 'dropped' }))
  if (dropped.length > 0) await commit(store.account(account), deliveryWrites(dropped))
  return dropped.length
}

async function deliveriesOf(
  { clock, store, ownerOf }: EventQueue,
  events: readonly OutboxEvent[],
  { sink, subscription }: Subscriber,
): Promise<readonly Delivery[]> {
  const queued = new Map<string, OutboxEvent>()
  const deliveries: Delivery[] = []
  for (const one of events) {
    const { key, topic, event } = one
    if (!matchesSubscription(event, ownerOf(event), { sink, subscription })) continue
    const last = queued.get(topic) ?? (await store.lastQueued(event.account, sink, topic))
    const isSoon = isRepeat(event, last?.event, subscription.repeatAfter)
    if (last && isSoon && !(await hasChangedSince(last, one, store))) continue
    queued.set(topic, one)
    deliveries.push(
      newDelivery({ account: event.account, sink, kind: 'event', item: key, topic }, clock.now()),
    )
  }
  return deliveries
}

/** Whether the topic had another kind in between, which the receiver may not have been sent: the kind it had before is news again. */
async function hasChangedSince(last: OutboxEvent, { id, topic, event }: OutboxEvent, store: Outbox) {
  const between = await store.lastOfTopic(event.account, topic, { after: last.id, before: id })
  return between !== undefined && between.event.kind !== event.kind
}

/** Due at once. */
export const newDelivery = (
  item: Pick<Delivery, 'account' | 'sink' | 'kind' | 'item' | 'topic'>,
  now: Instant,
): Delivery => ({
  ...item,
  madeAt: now,
  attempts: 0,
  nextAt: now,
  state: 'waiting',
  lastError: undefined,
  deliveredAt: undefined,
})
