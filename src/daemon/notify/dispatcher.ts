// Delivery workers, one per receiver; a reload starts, replaces and retires workers.
/* oxlint-disable no-await-in-loop -- one account after the other */
import { once } from 'node:events'
import type { Delivery } from '../../model/output/delivery.ts'
import { commit, deliveryWrites, type Write } from '../../model/ports/store.ts'
import type { DeliveryPorts, DeliveryReceiver } from './delivery-worker.ts'
import { jobNamesOf, registerReceiver, runDeliveryWorker } from './delivery-worker.ts'

export type Dispatcher = ReturnType<typeof createDispatcher>

type RunningWorker = Readonly<{
  receiver: DeliveryReceiver
  retire: AbortController
  /** When the worker has stopped. */
  ended: Promise<void>
}>

/** @param receivers as configured now; an unchanged one is the same object */
export function createDispatcher(receivers: () => readonly DeliveryReceiver[], ports: DeliveryPorts) {
  const workers = new Map<string, RunningWorker>()
  let running: AbortSignal | undefined

  /** Resolves when registered. Waits for the earlier worker of the name, so that no message is sent twice. */
  const start = (receiver: DeliveryReceiver, signal: AbortSignal) => {
    const before = workers.get(receiver.name)
    const retire = new AbortController()
    const signals = { signal, retired: retire.signal }
    const registered = before ? Promise.resolve() : tryRegister(receiver, ports)
    const ended = (before?.ended ?? registered).then(() => runDeliveryWorker(receiver, ports, signals))
    workers.set(receiver.name, { receiver, retire, ended })
    return registered
  }

  const retire = (name: string, worker: RunningWorker) => {
    worker.retire.abort()
    const forget = async () => {
      await worker.ended
      await tryForget(name, ports)
      if (workers.get(name) === retired) workers.delete(name)
    }
    const retired = { ...worker, ended: forget() }
    workers.set(name, retired)
  }

  /** To be awaited before the first pass, whose events new receivers also get. @throws when the store fails */
  const begin = async () => {
    const configured = receivers()
    const names = new Set(configured.map(({ name }) => name))
    for (const account of ports.accounts)
      for (const sink of await ports.store.receivers(account))
        if (!names.has(sink)) await forgetReceiver(account, sink, ports)
    await Promise.all(configured.map((receiver) => registerReceiver(receiver, ports)))
  }

  /** Applies the current receivers; resolves when new ones are registered. Never rejects. */
  const follow = async () => {
    if (!running) return begin().catch((err: unknown) => ports.log.error({ err }, NOT_REGISTERED))
    const signal = running
    const configured = new Map(receivers().map((receiver) => [receiver.name, receiver]))
    for (const [name, worker] of workers) {
      if (worker.retire.signal.aborted) continue
      if (!configured.has(name)) retire(name, worker)
      else if (configured.get(name) !== worker.receiver) worker.retire.abort()
    }
    const withoutWorker = [...configured.values()].filter(
      ({ name }) => workers.get(name)?.retire.signal.aborted ?? true,
    )
    await Promise.all(withoutWorker.map((receiver) => start(receiver, signal)))
  }

  return {
    begin,
    follow,
    /** Resolves soon after `signal` aborts. Never rejects. */
    run: async (signal: AbortSignal) => {
      running = signal
      void follow()
      if (!signal.aborted) await once(signal, 'abort')
      running = undefined
      await Promise.all([...workers.values()].map(({ ended }) => ended))
    },
  }
}

const NOT_REGISTERED = 'new receivers cannot be registered yet'

/** When the store fails, the worker registers the receiver later. */
const tryRegister = (receiver: DeliveryReceiver, ports: DeliveryPorts) =>
  registerReceiver(receiver, ports).catch((err: unknown) =>
    ports.log.error({ err, sink: receiver.name }, NOT_REGISTERED),
  )

/** When the store fails, the next start of the daemon does it. */
async function tryForget(sink: string, ports: DeliveryPorts) {
  const failed = (err: unknown) => ports.log.error({ err, sink }, 'a removed receiver could not be forgotten')
  for (const account of ports.accounts) await forgetReceiver(account, sink, ports).catch(failed)
}

/** Drops deliveries and job states: a later receiver of that name is new. @throws when the store fails */
async function forgetReceiver(
  account: string,
  sink: string,
  { store, log, recordResult, recordRemoval }: DeliveryPorts,
): Promise<void> {
  const waiting = await store.overdue(account, sink, 0)
  const because = 'its receiver is not in the configuration any more'
  const dropped = { state: 'dropped', lastError: because } as const
  const deliveries = waiting.map((delivery): Delivery => ({ ...delivery, ...dropped }))
  const forgotten = jobNamesOf(sink).map((job): Write => ({ kind: 'job-state', job, state: undefined }))
  await commit(store.account(account), [...deliveryWrites(deliveries), ...forgotten])
  recordRemoval(account, sink)
  for (const { kind } of waiting) recordResult(kind, sink, 'dropped')
  if (waiting.length > 0)
    log.warn({ sink, dropped: waiting.length }, `waiting deliveries are dropped: ${because}`)
}
