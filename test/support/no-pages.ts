import type { PageSources } from '../../src/daemon/http/pages/page-sources.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { fakeClock } from './fake-clock.ts'

/** Sources of pages without any account. */
export const NO_PAGES: Omit<PageSources, 'snapshot' | 'history' | 'changes'> = {
  archive: {
    report: () => Promise.resolve(undefined),
    reports: () => Promise.resolve([]),
    reportTeams: () => Promise.resolve([]),
  },
  entryOf: () => undefined,
  pricesOf: () => undefined,
  baseUrlOf: () => 'https://service.example/api/v2',
  windows: () => new Map(),
  clock: fakeClock(),
  zone: createUtc(),
  mode: 'suggest',
  appliesChanges: () => false,
  nextReportAt: () => undefined,
}
