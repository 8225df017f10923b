// The service port against a service on loopback.
import { eagerClock } from './eager-clock.ts'
import { ok } from '../../src/std/result.ts'
import { createService, type ServiceOptions } from '../../src/service/service.ts'

export const serviceOf = (baseUrl: string, more: Partial<ServiceOptions> = {}) =>
  createService({
    baseUrl,
    readKey: () => ok('secret-key'),
    clock: eagerClock(),
    random: { unit: () => 0.5, uuid: () => '' },
    requestsPerMinute: 60_000,
    projects: 'discover',
    ...more,
  })
