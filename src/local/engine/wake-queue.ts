import type { Clock } from '../clock.ts'

/** Port that serves a client, or its refusal; `code` is an SQLSTATE. */
export type WakeAdmission =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Clients that wait for a compute to start. */
export type WakeQueue = {
  /**
   * Resolves when `settle` is called for this compute, or with a refusal when that takes too long or the client has
   * disconnected. Never rejects.
   */
  join(endpointId: string, disconnected: AbortSignal): Promise<WakeAdmission>
  settle(endpointId: string, admission: WakeAdmission): void
  settleAll(admission: WakeAdmission): void
}

/** Time a client waits, ms: a start takes seconds, so after 30 s it has failed. */
const PATIENCE = 30_000

/** Clients that may wait for one compute: their sockets cost a few MB. */
const MAX_PER_COMPUTE = 1000

export function createWakeQueue(
  clock: Clock,
  { patience = PATIENCE, perCompute = MAX_PER_COMPUTE } = {},
): WakeQueue {
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
    join: (endpointId, disconnected) => {
      const clients = waiting.get(endpointId) ?? new Set()
      if (clients.size >= perCompute)
        return Promise.resolve(
          refuseWake('53300', `too many clients wait for endpoint ${endpointId}, try again`),
        )
      waiting.set(endpointId, clients)
      const { promise, resolve } = Promise.withResolvers<WakeAdmission>()
      const settled = (admission: WakeAdmission): void => {
        cancel()
        disconnected.removeEventListener('abort', leave)
        clients.delete(settled)
        resolve(admission)
      }
      const leave = (): void =>
        settled(refuseWake('57P03', `endpoint ${endpointId} did not start in time, try again`))
      const cancel = clock.after(patience, leave)
      disconnected.addEventListener('abort', leave)
      clients.add(settled)
      return promise
    },
  }
}

export const refuseWake = (code: string, message: string): WakeAdmission => ({ ok: false, code, message })
