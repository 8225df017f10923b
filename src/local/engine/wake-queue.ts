import type { Clock } from '../clock.ts'

/** Whether a client may pass, and where to; else what to tell it. `code` is an SQLSTATE. */
export type WakeAdmission =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** The clients that wait for a compute to answer. */
export type WakeQueue = {
  /**
   * Resolves when `settle` is called for this compute, or with a refusal when that takes too long or the client has
   * `left`, which makes room for others. Never rejects.
   */
  join(endpointId: string, left: AbortSignal): Promise<WakeAdmission>
  settle(endpointId: string, admission: WakeAdmission): void
  settleAll(admission: WakeAdmission): void
}

export type WakeQueueLimits = {
  /** How long a client waits, ms. */
  readonly patience: number
  /** How many clients may wait for one compute. */
  readonly perCompute: number
}

/** A start takes seconds; a client that waits longer than 30 s waits in vain. 1,000 waiting sockets cost a few MB. */
export const WAKE_QUEUE_LIMITS: WakeQueueLimits = { patience: 30_000, perCompute: 1000 }

export function createWakeQueue(clock: Clock, limits: WakeQueueLimits): WakeQueue {
  const waiting = new Map<string, Set<(admission: WakeAdmission) => void>>()
  const settle = (endpointId: string, admission: WakeAdmission): void => {
    const clients = waiting.get(endpointId)
    waiting.delete(endpointId)
    for (const client of clients ?? []) client(admission)
  }
  return {
    settle,
    settleAll: (admission) => {
      for (const endpointId of waiting.keys()) settle(endpointId, admission)
    },
    join: (endpointId, left) => {
      const clients = waiting.get(endpointId) ?? new Set()
      if (clients.size >= limits.perCompute) return Promise.resolve(tooMany(endpointId))
      waiting.set(endpointId, clients)
      const { promise, resolve } = Promise.withResolvers<WakeAdmission>()
      const settled = (admission: WakeAdmission): void => {
        cancel()
        left.removeEventListener('abort', leave)
        clients.delete(settled)
        resolve(admission)
      }
      const leave = (): void => settled(tooLate(endpointId))
      const cancel = clock.after(limits.patience, leave)
      left.addEventListener('abort', leave)
      clients.add(settled)
      return promise
    },
  }
}

const tooLate = (endpointId: string): WakeAdmission => ({
  ok: false,
  code: '57P03',
  message: `endpoint ${endpointId} did not start in time, try again`,
})

const tooMany = (endpointId: string): WakeAdmission => ({
  ok: false,
  code: '53300',
  message: `too many clients wait for endpoint ${endpointId}, try again`,
})
