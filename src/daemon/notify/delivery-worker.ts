// Tells one receiver what is to be told, on a loop of its own, so that one that hangs holds up nobody.
import type { Logger } from 'pino'
import { EMPTY_BATCH } from '../../ledger/apply-sweep.ts'
import type { DeliveryResult } from '../../outputs/metrics/self.ts'
import type { Delivery } from '../../model/output/delivery.ts'
import type { Event } from '../../model/output/event.ts'
import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import type { Batch } from '../../model/ports/store.ts'
import type { Random } from '../../model/ports/clock.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'
import type { Subscription } from '../../model/output/subscription.ts'
import { recordAttempt } from '../../outputs/notify/retry-policy.ts'
import { registerSubscriber, cursorKey, enqueueEvents, type EventQueue } from './event-queue.ts'

export type DeliveryReceiver = {
  readonly name: string
  readonly sink: Sink
  /** Undefined: it is told of no events. */
  readonly wish: Subscription | undefined
  /** Undefined for what is not kept any more. */
  readonly messageOf: (delivery: Delivery) => Promise<Message | undefined>
}

export type DeliveryPorts = EventQueue & {
  readonly random: Random
  readonly accounts: readonly string[]
  /** Hears of every attempt, for the metrics. */
  readonly counted: (kind: Delivery['kind'], sink: string, result: DeliveryResult) => void
  /** A report arrived; before the first, since when one is to arrive. */
  readonly succeeded: (account: string, sink: string, at: Instant) => void
  /** There is no such receiver any more. */
  readonly left: (account: string, sink: string) => void
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/** Resolves soon after `signal` aborts; or after `retired` does, once the attempt that is under way has ended and is recorded. Never rejects. */
export type DeliveryWorker = (signal: AbortSignal, retired: AbortSignal) => Promise<void>

/** Doubled, people hear of an event five seconds later. */
const POLL = seconds(5)
/** Attempts between two looks at what is new. */
const AT_ONCE = 100

/** A receiver that is new hears of what comes from now on. @throws when the store fails */
export async function registerReceiver(
  { name, wish }: DeliveryReceiver,
  ports: DeliveryPorts,
): Promise<void> {
  await Promise.all(
    ports.accounts.map((account) =>
      wish ? registerSubscriber(ports, account, name) : beginReports(ports, account, name),
    ),
  )
}

/** What a receiver's memories are called. */
export const jobKeysOf = (sink: string): readonly string[] => [successOf(sink), cursorKey(sink)]

const successOf = (sink: string): string => `delivered/${sink}`

async function beginReports(
  { store, clock, succeeded }: DeliveryPorts,
  account: string,
  sink: string,
): Promise<void> {
  const job = successOf(sink)
  const known = await store.memory(account, job)
  const at = typeof known === 'number' ? instant(known) : clock.now()
  if (known === undefined) await store.commit({ ...EMPTY_BATCH, account, memories: { [job]: at } })
  succeeded(account, sink, at)
}

export function createDeliveryWorker(recipient: DeliveryReceiver, ports: DeliveryPorts): DeliveryWorker {
  const { clock, log } = ports
  const turn = createTurn(recipient, ports)
  let failing = false
  return async (signal, retired) => {
    const stop = AbortSignal.any([signal, retired])
    let isDone = false
    while (!signal.aborted && !isDone) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one turn after the other is the point
        await turn(signal, retired)
        failing = false
        isDone = retired.aborted
      } catch (err) {
        if (!failing)
          log.error({ err, sink: recipient.name }, 'what is to be told cannot be read or recorded')
        failing = true
      }
      // oxlint-disable-next-line no-await-in-loop -- likewise
      if (!isDone) await clock.sleep(POLL, retired.aborted ? signal : stop)
    }
  }
}

function createTurn(
  recipient: DeliveryReceiver,
  ports: DeliveryPorts,
): (signal: AbortSignal, retired: AbortSignal) => Promise<void> {
  const { clock, store, random, counted, log, accounts, succeeded } = ports
  const { name, sink, wish, messageOf } = recipient
  let isBegun = false
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
    const outcome: DeliveryOutcome = message
      ? await sink(message, signal)
      : { kind: 'failed', because: 'it is not kept any more' }
    // An attempt that was stopped is none.
    if (signal.aborted && outcome.kind !== 'delivered') return
    if (outcome.kind === 'retry' && outcome.after !== undefined)
      pausedUntil = seconds(clock.monotonic() + outcome.after)
    const now = clock.now()
    const next = recordAttempt(delivery, outcome, { now, chance: random.unit() })
    if (next.state === 'failed') log.warn({ sink: name, item: next.item, why: next.lastError }, 'given up')
    counted(next.kind, name, resultOf(next))
    const events = failureEvents(next, now)
    const { account } = next
    const arrived = next.kind === 'report' && next.state === 'delivered'
    const memories = arrived ? { [successOf(name)]: now } : {}
    await record({ ...EMPTY_BATCH, account, deliveries: [next], events, memories })
    if (arrived) succeeded(account, name, now)
  }

  const ofAccount = async (account: string, signal: AbortSignal, retired: AbortSignal): Promise<void> => {
    const dropped = wish ? await enqueueEvents(ports, account, { sink: name, wish }) : 0
    if (dropped > 0) log.warn({ sink: name, dropped }, 'too many events wait, the oldest are dropped')
    for (let left = dropped; left > 0; left -= 1) counted('event', name, 'dropped')
    for (const delivery of await store.waiting(account, name, AT_ONCE)) {
      const isNotNow = clock.monotonic() < pausedUntil || delivery.nextAt > clock.now()
      if (signal.aborted || retired.aborted || isNotNow) break
      // oxlint-disable-next-line no-await-in-loop -- one message after the other
      await attempt(delivery, signal)
    }
  }

  return async (signal, retired) => {
    if (unrecorded) await record(unrecorded)
    if (retired.aborted) return
    if (!isBegun) await registerReceiver(recipient, ports)
    isBegun = true
    // oxlint-disable-next-line no-await-in-loop -- one account after the other
    for (const account of accounts) await ofAccount(account, signal, retired)
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
