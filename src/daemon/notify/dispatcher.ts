// Everybody who is to be told, beside the passes: who comes while the daemon runs, who is another now, and who is no more.
import { once } from 'node:events'
import { EMPTY_BATCH } from '../../ledger/apply-sweep.ts'
import type { Delivery } from '../../model/output/delivery.ts'
import {
  registerReceiver,
  createDeliveryWorker,
  jobKeysOf,
  type DeliveryPorts,
  type DeliveryReceiver,
} from './delivery-worker.ts'

export type Dispatcher = {
  /** To be awaited before the first pass: what it sees is told to receivers that are new, too. @throws when the store fails */
  readonly begin: () => Promise<void>
  /** Goes by the receivers as they are now; resolves when new ones hear of what comes. Never rejects. */
  readonly follow: () => Promise<void>
  /** Resolves soon after `signal` aborts. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

type Place = {
  readonly recipient: DeliveryReceiver
  readonly retire: AbortController
  /** Resolves when nobody tells this receiver anything any more. */
  readonly ended: Promise<void>
}

/** @param recipients as the configuration has them now; one that did not change is the same object */
export function createDispatcher(
  recipients: () => readonly DeliveryReceiver[],
  ports: DeliveryPorts,
): Dispatcher {
  const places = new Map<string, Place>()
  let running: AbortSignal | undefined

  /** The one before of that name ends first: no message is sent by two. */
  const open = (recipient: DeliveryReceiver, signal: AbortSignal): Promise<void> => {
    const before = places.get(recipient.name)
    const retire = new AbortController()
    const desk = createDeliveryWorker(recipient, ports)
    const begun = before ? Promise.resolve() : beginNow(recipient, ports)
    const ended = (before?.ended ?? begun).then(() => desk(signal, retire.signal))
    places.set(recipient.name, { recipient, retire, ended })
    return begun
  }

  const close = (name: string, { recipient, retire, ended }: Place): void => {
    retire.abort()
    const place = { recipient, retire, ended: ended.then(() => forgetNow(name, ports)).then(() => leave()) }
    const leave = (): void => {
      if (places.get(name) === place) places.delete(name)
    }
    places.set(name, place)
  }

  const begin = async (): Promise<void> => {
    const wanted = recipients()
    const names = new Set(wanted.map(({ name }) => name))
    for (const account of ports.accounts)
      // oxlint-disable-next-line no-await-in-loop -- one account after the other
      for (const sink of await ports.store.sinks(account))
        // oxlint-disable-next-line no-await-in-loop -- likewise
        if (!names.has(sink)) await forget(account, sink, ports)
    await Promise.all(wanted.map((recipient) => registerReceiver(recipient, ports)))
  }

  const follow = async (): Promise<void> => {
    if (!running) return begin().catch((err: unknown) => ports.log.error({ err }, NOT_YET))
    const signal = running
    const wanted = new Map(recipients().map((recipient) => [recipient.name, recipient]))
    for (const [name, place] of places) {
      if (place.retire.signal.aborted) continue
      if (!wanted.has(name)) close(name, place)
      else if (wanted.get(name) !== place.recipient) place.retire.abort()
    }
    const fresh = [...wanted.values()].filter(({ name }) => places.get(name)?.retire.signal.aborted ?? true)
    await Promise.all(fresh.map((recipient) => open(recipient, signal)))
  }

  return {
    begin,
    follow,
    run: async (signal) => {
      running = signal
      void follow()
      await aborted(signal)
      running = undefined
      await Promise.all([...places.values()].map(({ ended }) => ended))
    },
  }
}

const NOT_YET = 'receivers that are new hear of nothing yet'

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Where the store fails, its desk begins it again. */
async function beginNow(recipient: DeliveryReceiver, ports: DeliveryPorts): Promise<void> {
  try {
    await registerReceiver(recipient, ports)
  } catch (err) {
    ports.log.error({ err, sink: recipient.name }, NOT_YET)
  }
}

/** The next start does it where the store fails. */
async function forgetNow(sink: string, ports: DeliveryPorts): Promise<void> {
  for (const account of ports.accounts)
    try {
      // oxlint-disable-next-line no-await-in-loop -- one account after the other
      await forget(account, sink, ports)
    } catch (err) {
      ports.log.error({ err, sink }, 'a receiver that is no more could not be forgotten')
    }
}

/** What waits for a receiver that is no more is dropped; one of that name that comes later is new. @throws when the store fails */
async function forget(
  account: string,
  sink: string,
  { store, log, counted, left }: DeliveryPorts,
): Promise<void> {
  const waiting = await store.overdue(account, sink, 0)
  const because = 'its receiver is not in the configuration any more'
  const deliveries = waiting.map((one): Delivery => ({ ...one, state: 'dropped', lastError: because }))
  const memories = Object.fromEntries(jobKeysOf(sink).map((job) => [job, undefined]))
  await store.commit({ ...EMPTY_BATCH, account, deliveries, memories })
  left(account, sink)
  for (const { kind } of waiting) counted(kind, sink, 'dropped')
  if (waiting.length > 0) log.warn({ sink, dropped: waiting.length }, `what waited is dropped: ${because}`)
}
