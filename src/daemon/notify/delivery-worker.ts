// Delivers to one receiver on a loop of its own: one that hangs delays no other.
/* oxlint-disable no-await-in-loop -- one turn, account and message after the other */
import type { Logger } from 'pino'
import type { DeliveryResult } from '../../outputs/metrics/self.ts'
import type { Delivery } from '../../model/output/delivery.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import { jobStateWrite, type JobState } from '../../model/ports/outbox.ts'
import { commit, eventWrites, type Write } from '../../model/ports/store.ts'
import type { Random } from '../../model/ports/clock.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'
import type { Subscription } from '../../model/output/subscription.ts'
import { recordAttempt } from '../../outputs/notify/retry-policy.ts'
import { registerSubscriber, cursorOf, enqueueEvents, type EventQueue } from './event-queue.ts'

export type DeliveryReceiver = Readonly<{
  name: string
  sink: Sink
  /** Undefined: it gets reports, not events. */
  subscription: Subscription | undefined
  /** Undefined when no longer stored. */
  messageOf: (delivery: Delivery) => Promise<Message | undefined>
}>

export type DeliveryPorts = EventQueue & {
  readonly random: Random
  readonly accounts: readonly string[]
  /** Counts every attempt. */
  readonly recordResult: (kind: Delivery['kind'], sink: string, result: DeliveryResult) => void
  /** Exports the time of the last delivered report, at first that of adding the receiver. */
  readonly recordReportSuccess: (account: string, sink: string, at: Instant) => void
  /** Removes the metrics of a receiver no longer configured. */
  readonly recordRemoval: (account: string, sink: string) => void
  readonly log: Pick<Logger, 'error' | 'warn'>
}

/** Between two checks for events and due deliveries: people notice no delay, the store hardly any load. */
const POLL_INTERVAL = seconds(5)
/** Between two checks for new events. */
const MAX_ATTEMPTS_PER_TURN = 100

/** A new receiver gets nothing from before. @throws when the store fails */
export async function registerReceiver({ name, subscription }: DeliveryReceiver, ports: DeliveryPorts) {
  const register = subscription ? registerSubscriber : beginReports
  await Promise.all(ports.accounts.map((account) => register(ports, account, name)))
}

export const jobNamesOf = (sink: string): readonly string[] => [successOf(sink).job, cursorOf(sink).job]

/** When the last report was delivered, at first when the receiver was added. */
const successOf = (sink: string): JobState<Instant> => ({
  job: `delivered/${sink}`,
  decode: (json) => (typeof json === 'number' ? instant(json) : undefined),
})

async function beginReports(
  { store, clock, recordReportSuccess }: DeliveryPorts,
  account: string,
  sink: string,
): Promise<void> {
  const success = successOf(sink)
  const stored = await store.jobState(account, success)
  const at = stored ?? clock.now()
  if (stored === undefined) await commit(store.account(account), [jobStateWrite(success, at)])
  recordReportSuccess(account, sink, at)
}

/** `retired`: the receiver is no longer configured, or replaced. */
type WorkerSignals = Readonly<{ signal: AbortSignal; retired: AbortSignal }>

/** Until `signal` aborts, or `retired` has and the current attempt is recorded. Never rejects. */
export async function runDeliveryWorker(
  receiver: DeliveryReceiver,
  ports: DeliveryPorts,
  { signal, retired }: WorkerSignals,
): Promise<void> {
  const { clock, log } = ports
  const turn = createTurn(receiver, ports, { signal, retired })
  const stop = AbortSignal.any([signal, retired])
  let isFailing = false
  while (!signal.aborted) {
    try {
      await turn()
      if (retired.aborted) return
      isFailing = false
    } catch (err) {
      if (!isFailing) log.error({ err, sink: receiver.name }, 'deliveries cannot be read or recorded')
      isFailing = true
    }
    await clock.sleep(POLL_INTERVAL, retired.aborted ? signal : stop)
  }
}

function createTurn(receiver: DeliveryReceiver, ports: DeliveryPorts, { signal, retired }: WorkerSignals) {
  const { clock, store, random, recordResult, log, accounts, recordReportSuccess } = ports
  const { name, sink, subscription, messageOf } = receiver
  let isRegistered = false
  let pausedUntil = clock.monotonic()
  let unrecorded: Readonly<{ account: string; writes: readonly Write[] }> | undefined

  /** Nothing else is sent before the last outcome is stored: a full disk then repeats one message, not all. */
  const record = async (outcome: NonNullable<typeof unrecorded>) => {
    unrecorded = outcome
    await commit(store.account(outcome.account), outcome.writes)
    unrecorded = undefined
  }

  /** What cannot be made into a message does not hold up the others: it is tried again, and given up in time. */
  const outcomeOf = async (delivery: Delivery): Promise<DeliveryOutcome> => {
    try {
      const message = await messageOf(delivery)
      return message ? await sink(message, signal) : { kind: 'failed', because: 'it is no longer stored' }
    } catch (err) {
      log.error({ err, sink: name, item: delivery.item }, 'a message cannot be made')
      return { kind: 'retry', because: 'its message cannot be made; the log of the daemon has the reason' }
    }
  }

  const attempt = async (delivery: Delivery) => {
    const outcome = await outcomeOf(delivery)
    // an attempt that was stopped does not count
    if (signal.aborted && outcome.kind !== 'delivered') return
    const pause = outcome.kind === 'retry' ? outcome.after : undefined
    if (pause !== undefined) pausedUntil = seconds(clock.monotonic() + pause)
    const now = clock.now()
    const next = recordAttempt(delivery, outcome, { now, chance: random.unit() })
    const { account, kind, state } = next
    if (state === 'failed') log.warn({ sink: name, item: next.item, why: next.lastError }, 'given up')
    recordResult(kind, name, resultOf(next))
    const isReportDelivered = kind === 'report' && state === 'delivered'
    const writes: readonly Write[] = [
      { kind: 'delivery', delivery: next },
      ...eventWrites(failureEvents(next, now)),
      ...(isReportDelivered ? [jobStateWrite(successOf(name), now)] : []),
    ]
    await record({ account, writes })
    if (isReportDelivered) recordReportSuccess(account, name, now)
  }

  const deliverAccount = async (account: string) => {
    const dropped = subscription ? await enqueueEvents(ports, account, { sink: name, subscription }) : 0
    if (dropped > 0) log.warn({ sink: name, dropped }, 'too many events wait, the oldest are dropped')
    for (let count = 0; count < dropped; count += 1) recordResult('event', name, 'dropped')
    for (const delivery of await store.dueDeliveries(account, name, MAX_ATTEMPTS_PER_TURN)) {
      const mustWait = clock.monotonic() < pausedUntil || delivery.nextAt > clock.now()
      if (signal.aborted || retired.aborted || mustWait) break
      await attempt(delivery)
    }
  }

  return async () => {
    if (unrecorded) await record(unrecorded)
    if (retired.aborted) return
    if (!isRegistered) await registerReceiver(receiver, ports)
    isRegistered = true
    for (const account of accounts) await deliverAccount(account)
  }
}

const resultOf = ({ state }: Delivery): DeliveryResult => (state === 'waiting' ? 'retry' : state)

/** None about a delivery that was itself about a failed one. */
function failureEvents(delivery: Delivery, at: Instant): readonly Event[] {
  const { state, account, sink, kind, topic, lastError } = delivery
  if (state !== 'failed' || topic.startsWith('delivery/')) return []
  return [{ account, at, kind: 'delivery-failed', sink, what: kind, because: lastError ?? '' }]
}
