// The service with faults of its first mutations.
import { seconds } from '../../../src/model/units.ts'
import type { Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

export const FAULTS = [
  'none',
  'not sent',
  'lost before',
  'lost after',
  'late',
  'busy',
  'limited',
  'failed with effect',
] as const
export type Fault = (typeof FAULTS)[number]

/** A late request lands so many seconds after it was written: less than settle. */
export const LATE = 100
const NEVER = new AbortController().signal

/** Answers of the service with the faults of a life, and how many mutations took effect. */
export function createFaultyService(simulated: Simulated, clock: VirtualClock, faults: readonly Fault[]) {
  let [mutations, effects, overwrites, hasPersonSet] = [0, 0, 0, false]
  const land = async (request: Request, isOverwrite = hasPersonSet): Promise<Response> => {
    const response = await simulated.fetch(request)
    if (response.ok) effects += 1
    if (response.ok && isOverwrite) overwrites += 1
    return response
  }
  const byFault: Readonly<Record<Fault, (request: Request) => Promise<Response | undefined>>> = {
    none: land,
    'not sent': () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    'lost before': () => Promise.resolve(undefined),
    'lost after': async (request) => void (await land(request)),
    late: (request) => {
      const isOverwrite = hasPersonSet
      void clock.sleep(seconds(LATE), NEVER).then(() => land(request, isOverwrite))
      return Promise.resolve(undefined)
    },
    busy: () => Promise.resolve(new Response('{}', { status: 423 })),
    limited: () => Promise.resolve(new Response('{}', { status: 429, headers: { 'retry-after': '7' } })),
    'failed with effect': async (request) => {
      await land(request)
      return new Response('{}', { status: 500 })
    },
  }
  return {
    effects: () => effects,
    overwrites: () => overwrites,
    personSet: () => {
      hasPersonSet = true
    },
    fetch: (request: Request) => {
      if (request.method === 'GET') return simulated.fetch(request)
      const fault = faults[mutations] ?? 'none'
      mutations += 1
      return byFault[fault](request)
    },
  }
}
