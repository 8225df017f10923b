// Events that are kept to be told outside, and by which key each is kept once.
import type { Event } from './event.ts'
import type { Instant } from '../units.ts'

/** How a compute lives is in the history; all else is told. */
export const NOTIFIABLE_KINDS = [
  'budget-rung',
  'wake-caused',
  'key-refused',
  'key-accepted',
  'service-unavailable',
  'service-available',
  'count-off',
  'count-agrees',
  'problem',
  'delivery-failed',
] as const satisfies readonly Event['kind'][]

export type NotifiableEvent = Extract<Event, { readonly kind: (typeof NOTIFIABLE_KINDS)[number] }>

export type EventKey = {
  /** What it is about: the last event of a topic says how that stands. */
  readonly topic: string
  /** One event for good. */
  readonly key: string
}

/** An event as it is kept; a later one has a larger number. */
export type OutboxEvent = EventKey & { readonly id: number; readonly event: NotifiableEvent }

const KINDS: ReadonlySet<string> = new Set(NOTIFIABLE_KINDS)

export const isNotifiable = (event: Event): event is NotifiableEvent => KINDS.has(event.kind)

const HOUR = 3_600_000

export function eventKey(event: NotifiableEvent): EventKey {
  switch (event.kind) {
    case 'budget-rung': {
      const topic = `budget/${event.budget}/${event.period.from}/${event.rung}`
      return { topic, key: topic }
    }
    case 'wake-caused': {
      const topic = `wake-caused/${event.ref.projectId}/${event.ref.endpointId}`
      return { topic, key: `${topic}/${Math.floor(event.at / HOUR)}` }
    }
    case 'key-refused':
    case 'key-accepted':
      return turnOf('key', event)
    case 'service-unavailable':
    case 'service-available':
      return turnOf('service', event)
    case 'count-off':
    case 'count-agrees':
      return turnOf(`count/${event.projectId}`, event)
    case 'problem':
      return turnOf(`problem/${event.where}/${event.message}`, event)
    case 'delivery-failed':
      return turnOf(`delivery/${event.sink}`, event)
  }
}

const turnOf = (topic: string, { kind, at }: { readonly kind: string; readonly at: Instant }): EventKey => ({
  topic,
  key: `${topic}/${kind}/${at}`,
})
