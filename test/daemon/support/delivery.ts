// Receivers on the tables of the store, and what they heard.
import { createDispatcher, type Dispatcher } from '../../../src/daemon/notify/dispatcher.ts'
import type { DeliveryPorts, DeliveryReceiver } from '../../../src/daemon/notify/delivery-worker.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Message, DeliveryOutcome, Sink } from '../../../src/model/output/message.ts'
import { NO_OWNER } from '../../../src/model/policy/owner.ts'
import { seconds } from '../../../src/model/units.ts'
import type { Subscription } from '../../../src/model/output/subscription.ts'
import { eventMessage } from '../../../src/outputs/notify/messages.ts'
import { seeded } from '../../simulation/seeded.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { put, withCommit } from '../../support/writes.ts'

export const ALL: Subscription = {
  events: undefined,
  minSeverity: 'info',
  team: undefined,
  channel: undefined,
  repeatAfter: seconds(0),
}

export const problem = (clock: { now(): Event['at'] }, where: string): Event => ({
  account: 'main',
  at: clock.now(),
  kind: 'problem',
  where,
  message: 'broken',
})

type Kept = ReturnType<typeof memoryStore>
type Around = Parameters<typeof withCommit>[1]

type Hearing = Omit<DeliveryReceiver, 'messageOf'>

export type Desk = {
  readonly store: Kept
  readonly clock: ReturnType<typeof fakeClock>
  readonly counts: Record<string, number>
  readonly process: (recipients: readonly Hearing[], around?: Around) => Dispatcher
  /** A process whose receivers may become others. */
  readonly changing: (recipients: () => readonly DeliveryReceiver[], around?: Around) => Dispatcher
  readonly recipient: (hearing: Hearing) => DeliveryReceiver
  readonly happened: (...events: readonly Event[]) => Promise<void>
}

export function desk(seed = 1): Desk {
  const [store, clock, random] = [memoryStore(), fakeClock(), seeded(seed)]
  const counts: Record<string, number> = {}
  const ports: DeliveryPorts = {
    clock,
    random,
    store,
    accounts: ['main'],
    ownerOf: () => NO_OWNER,
    recordResult: (_, sink, result) => {
      counts[`${sink} ${result}`] = (counts[`${sink} ${result}`] ?? 0) + 1
    },
    recordReportSuccess: () => undefined,
    recordRemoval: (_, sink) => {
      counts[`${sink} left`] = (counts[`${sink} left`] ?? 0) + 1
    },
    log: { error: () => undefined, warn: () => undefined },
  }
  const recipient = (one: Hearing): DeliveryReceiver => ({
    ...one,
    messageOf: async ({ account, item, sink }) => {
      const kept = await store.event(account, item)
      return kept && eventMessage(kept, sink)
    },
  })
  const changing: Desk['changing'] = (recipients, around = (_, commit) => commit()) =>
    createDispatcher(recipients, { ...ports, store: withCommit(store, around) })
  return {
    store,
    clock,
    counts,
    recipient,
    process: (recipients, around) => {
      const all = recipients.map(recipient)
      return changing(() => all, around)
    },
    changing,
    happened: (...events) => put(store, { events }),
  }
}

export const hearing =
  (heard: Message[], outcome: () => DeliveryOutcome = () => ({ kind: 'delivered' })): Sink =>
  (message) => {
    heard.push(message)
    return Promise.resolve(outcome())
  }

export const subjects = (heard: readonly Message[]) => heard.map(({ text }) => /seen: (\w)/.exec(text)?.[1])
