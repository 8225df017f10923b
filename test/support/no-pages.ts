import type { PageSources } from '../../src/daemon/http/pages/page-routes.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { fakeClock } from './fake-clock.ts'

/** What pages ask of accounts and configuration: of no account. */
export const NO_PAGES: Omit<PageSources, 'snapshot' | 'history'> = {
  kept: {
    report: () => Promise.resolve(undefined),
    reports: () => Promise.resolve([]),
    reportTeams: () => Promise.resolve([]),
  },
  accountOf: () => undefined,
  pricesOf: () => undefined,
  clock: fakeClock(),
  zone: createUtc(),
  mode: 'suggest',
  nextReportAt: () => undefined,
}
