// An API that has nothing to report on.
import type { ReportSources } from '../../src/daemon/http/api/report-routes.ts'
import { fakeClock } from './fake-clock.ts'

export const NO_REPORTS: Omit<ReportSources, 'archive'> = { clock: fakeClock(), reports: () => new Map() }
