// Receivers on the tables of the store, and what they heard.
import { createDeliverer, type Deliverer } from '../../../src/daemon/notify/dispatcher.ts'
import type { DeliverPorts, Recipient } from '../../../src/daemon/notify/delivery-worker.ts'
import type { Event } from '../../../src/model/output/event.ts'
import type { Message, Outcome, Sink } from '../../../src/model/output/message.ts'
import { NOBODY } from '../../../src/model/policy/owner.ts'
import { seconds } from '../../../src/model/units.ts'
import type { Wish } from '../../../src/model/output/subscription.ts'
import { messageOf } from '../../../src/outputs/notify/messages.ts'
import { seeded } from '../../simulation/seeded.ts'
import { batch } from '../../store/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { keptInMemory, type Kept } from './stored.ts'

export const ALL: Wish = {
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

type Hearing = Omit<Recipient, 'messageOf'>

export type Desk = {
  readonly store: Kept
  readonly clock: ReturnType<typeof fakeClock>
  readonly counts: Record<string, number>
  readonly process: (recipients: readonly Hearing[], commit?: Kept['commit']) => Deliverer
  /** A process whose receivers may become others. */
  readonly changing: (recipients: () => readonly Recipient[], commit?: Kept['commit']) => Deliverer
  readonly recipient: (hearing: Hearing) => Recipient
  readonly happened: (...events: readonly Event[]) => Promise<void>
}

export function desk(seed = 1): Desk {
  const [store, clock, random] = [keptInMemory(), fakeClock(), seeded(seed)]
  const counts: Record<string, number> = {}
  const ports: DeliverPorts = {
    clock,
    random,
    store,
    accounts: ['main'],
    ownerOf: () => NOBODY,
    counted: (_, sink, result) => {
      counts[`${sink} ${result}`] = (counts[`${sink} ${result}`] ?? 0) + 1
    },
    succeeded: () => undefined,
    left: (_, sink) => {
      counts[`${sink} left`] = (counts[`${sink} left`] ?? 0) + 1
    },
    log: { error: () => undefined, warn: () => undefined },
  }
  const recipient = (one: Hearing): Recipient => ({
    ...one,
    messageOf: async ({ account, item, sink }) => {
      const kept = await store.event(account, item)
      return kept && messageOf(kept, sink)
    },
  })
  const changing: Desk['changing'] = (recipients, commit = store.commit) =>
    createDeliverer(recipients, { ...ports, store: { ...store, commit } })
  return {
    store,
    clock,
    counts,
    recipient,
    process: (recipients, commit) => {
      const all = recipients.map(recipient)
      return changing(() => all, commit)
    },
    changing,
    happened: (...events) => store.commit({ ...batch(), events }),
  }
}

export const hearing =
  (heard: Message[], outcome: () => Outcome = () => ({ kind: 'delivered' })): Sink =>
  (message) => {
    heard.push(message)
    return Promise.resolve(outcome())
  }

export const subjects = (heard: readonly Message[]) => heard.map(({ text }) => /seen: (\w)/.exec(text)?.[1])
