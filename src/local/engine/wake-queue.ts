import type { Clock } from '../clock.ts'

/** The port, or a refusal with an SQLSTATE. */
export type WakeAdmission =
  | Readonly<{ ok: true; port: number }>
  | Readonly<{ ok: false; code: string; message: string }>

export type WakeQueue = ReturnType<typeof createWakeQueue>

/** ms: starts take seconds; after 30 s one has failed. */
const PATIENCE = 30_000

/** Their sockets cost a few MB. */
const MAX_PER_COMPUTE = 1000

export function createWakeQueue(clock: Clock, { patience = PATIENCE, perCompute = MAX_PER_COMPUTE } = {}) {
  const waiting = new Map<string, Set<(admission: WakeAdmission) => void>>()
  const settle = (endpointId: string, admission: WakeAdmission) => {
    const clients = waiting.get(endpointId)
    waiting.delete(endpointId)
    for (const client of clients ?? []) client(admission)
  }
  return {
    settle,
    settleAll: (admission: WakeAdmission) => {
      for (const endpointId of waiting.keys()) settle(endpointId, admission)
    },
    /** Resolves by `settle`, or with a refusal after too long or a disconnect. Never rejects. */
    join: (endpointId: string, disconnected: AbortSignal): Promise<WakeAdmission> => {
      const endpoint = `endpoint ${endpointId}`
      const clients = waiting.get(endpointId) ?? new Set()
      if (clients.size >= perCompute)
        return Promise.resolve(refuseWake('53300', `too many clients wait for ${endpoint}, try again`))
      waiting.set(endpointId, clients)
      const { promise, resolve } = Promise.withResolvers<WakeAdmission>()
      const settled = (admission: WakeAdmission) => {
        cancel()
        disconnected.removeEventListener('abort', leave)
        clients.delete(settled)
        resolve(admission)
      }
      const leave = () => settled(refuseWake('57P03', `${endpoint} did not start in time, try again`))
      const cancel = clock.after(patience, leave)
      disconnected.addEventListener('abort', leave)
      clients.add(settled)
      return promise
    },
  }
}

export const refuseWake = (code: string, message: string): WakeAdmission => ({ ok: false, code, message })
