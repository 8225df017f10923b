// Tells receivers what is to be told, beside the passes: each on a loop of its own, so that one that hangs holds up nobody.
import type { Logger } from 'pino'
import { NOTHING } from '../account/account.ts'
import type { DeliveryResult } from '../metrics/self.ts'
import type { Delivery } from '../model/delivery.ts'
import type { Event } from '../model/event.ts'
import type { Message, Outcome, Sink } from '../model/message.ts'
import type { Batch, Random } from '../model/ports.ts'
import { instant, seconds, type Instant } from '../model/units.ts'
import type { Wish } from '../model/wish.ts'
import { attempted } from '../send/attempts.ts'
import { beginQueue, queueEvents, type Queue } from './outgoing.ts'

export type Recipient = {
  readonly name: string
  readonly sink: Sink
  /** Undefined: it is told of no events. */
  readonly wish: Wish | undefined
}

export type DeliverPorts = Queue & {
  readonly random: Random
  readonly accounts: readonly string[]
  /** Undefined for what is not kept any more. */
  readonly messageOf: (delivery: Delivery) => Promise<Message | undefined>
  /** Hears of every attempt, for the metrics. */
  readonly counted: (kind: Delivery['kind'], sink: string, result: DeliveryResult) => void
  /** A report arrived; before the first, since when one is to arrive. */
  readonly succeeded: (account: string, sink: string, at: Instant) => void
  readonly log: Pick<Logger, 'error' | 'warn'>
}

export type Deliverer = {
  /** To be awaited before the first pass: what it sees is told to receivers that are new, too. @throws when the store fails */
  readonly begin: () => Promise<void>
  /** Resolves soon after `signal` aborts. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Doubled, people hear of an event five seconds later. */
const POLL = seconds(5)
/** Attempts between two looks at what is new. */
const AT_ONCE = 100

export function createDeliverer(recipients: readonly Recipient[], ports: DeliverPorts): Deliverer {
  return {
    begin: async () => {
      await Promise.all(
        ports.accounts.flatMap((account) =>
          recipients.map(({ name, wish }) =>
            wish ? beginQueue(ports, account, name) : beginReports(ports, account, name),
          ),
        ),
      )
    },
    run: async (signal) => {
      await Promise.all(recipients.map((recipient) => createDesk(recipient, ports)(signal)))
    },
  }
}

const successOf = (sink: string): string => `delivered/${sink}`

async function beginReports(
  { store, clock, succeeded }: DeliverPorts,
  account: string,
  sink: string,
): Promise<void> {
  const job = successOf(sink)
  const known = await store.memory(account, job)
  const at = typeof known === 'number' ? instant(known) : clock.now()
  if (known === undefined) await store.commit({ ...NOTHING, account, memories: { [job]: at } })
  succeeded(account, sink, at)
}

/** The loop of one receiver. */
function createDesk(recipient: Recipient, ports: DeliverPorts): (signal: AbortSignal) => Promise<void> {
  const { clock, log } = ports
  const turn = createTurn(recipient, ports)
  let failing = false
  return async (signal) => {
    while (!signal.aborted) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one turn after the other is the point
        await turn(signal)
        failing = false
      } catch (err) {
        if (!failing)
          log.error({ err, sink: recipient.name }, 'what is to be told cannot be read or recorded')
        failing = true
      }
      // oxlint-disable-next-line no-await-in-loop -- likewise
      await clock.sleep(POLL, signal)
    }
  }
}

function createTurn(recipient: Recipient, ports: DeliverPorts): (signal: AbortSignal) => Promise<void> {
  const { clock, store, random, counted, log, accounts, messageOf, succeeded } = ports
  const { name, sink, wish } = recipient
  let pausedUntil = clock.monotonic()
  let unrecorded: Batch | undefined

  /** Nothing else is sent before what came of the last is in the store: a full disk repeats one message, not all. */
  const record = async (batch: Batch): Promise<void> => {
    unrecorded = batch
    await store.commit(batch)
    unrecorded = undefined
  }

  const attempt = async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
    const message = await messageOf(delivery)
    const outcome: Outcome = message
      ? await sink(message, signal)
      : { kind: 'failed', because: 'it is not kept any more' }
    // An attempt that was stopped is none.
    if (signal.aborted && outcome.kind !== 'delivered') return
    if (outcome.kind === 'retry' && outcome.after !== undefined)
      pausedUntil = seconds(clock.monotonic() + outcome.after)
    const now = clock.now()
    const next = attempted(delivery, outcome, { now, chance: random.unit() })
    if (next.state === 'failed') log.warn({ sink: name, item: next.item, why: next.lastError }, 'given up')
    counted(next.kind, name, resultOf(next))
    const events = failureEvents(next, now)
    const { account } = next
    const arrived = next.kind === 'report' && next.state === 'delivered'
    const memories = arrived ? { [successOf(name)]: now } : {}
    await record({ ...NOTHING, account, deliveries: [next], events, memories })
    if (arrived) succeeded(account, name, now)
  }

  return async (signal) => {
    if (unrecorded) await record(unrecorded)
    for (const account of accounts) {
      // oxlint-disable-next-line no-await-in-loop -- one account after the other
      const dropped = wish ? await queueEvents(ports, account, { sink: name, wish }) : 0
      if (dropped > 0) log.warn({ sink: name, dropped }, 'too many events wait, the oldest are dropped')
      for (let left = dropped; left > 0; left -= 1) counted('event', name, 'dropped')
      // oxlint-disable-next-line no-await-in-loop -- likewise
      for (const delivery of await store.waiting(account, name, AT_ONCE)) {
        if (signal.aborted || clock.monotonic() < pausedUntil || delivery.nextAt > clock.now()) break
        // oxlint-disable-next-line no-await-in-loop -- one message after the other
        await attempt(delivery, signal)
      }
    }
  }
}

const resultOf = ({ state }: Delivery): DeliveryResult => (state === 'waiting' ? 'retry' : state)

/** Where one is given up, others hear of it; that telling this failed is told to nobody. */
function failureEvents(
  { state, account, sink, kind, topic, lastError }: Delivery,
  at: Instant,
): readonly Event[] {
  if (state !== 'failed' || topic.startsWith('delivery/')) return []
  return [{ account, at, kind: 'delivery-failed', sink, what: kind, because: lastError ?? '' }]
}
