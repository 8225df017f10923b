import { notificationOf, type NotifiableEvent } from './event-kinds.ts'
import { HOUR } from '../units.ts'

type EventKey = Readonly<{
  /** The last event of a topic is its current state. */
  topic: string
  /** An event with a stored key is not stored again. */
  key: string
}>

/** Stored event; a later one has a larger id. */
export type OutboxEvent = EventKey & Readonly<{ id: number; event: NotifiableEvent }>

/** Part of the key behind the topic. */
const KEY_SUFFIX = {
  once: () => '',
  hourly: ({ at }) => `/${Math.floor(at / HOUR)}`,
  'each-time': ({ kind, at }) => `/${kind}/${at}`,
} as const satisfies Readonly<
  Record<NonNullable<ReturnType<typeof notificationOf>['stored']>, (event: NotifiableEvent) => string>
>

export function eventKey(event: NotifiableEvent): EventKey {
  const row = notificationOf(event)
  const topic = row.topic(event)
  return { topic, key: topic + KEY_SUFFIX[row.stored ?? 'each-time'](event) }
}
