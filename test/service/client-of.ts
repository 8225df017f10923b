// A client of a service on loopback, and a read and a mutation to send with it.
import { eagerClock } from './eager-clock.ts'
import { ok } from '../../src/std/result.ts'
import { createClient, type ClientOptions } from '../../src/service/http/client.ts'

export const running = new AbortController().signal

export const clientOf = (baseUrl: string, more: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl,
    readKey: () => ok('secret-key'),
    clock: eagerClock(),
    random: { unit: () => 0.5, uuid: () => '' },
    requestsPerMinute: 60_000,
    ...more,
  }).at('poll')

export const list = { operation: 'list_computes', path: 'projects/p/endpoints' }
export const change = {
  operation: 'update_compute',
  method: 'PATCH',
  path: 'projects/p/endpoints/ep-x',
  body: {},
} as const
