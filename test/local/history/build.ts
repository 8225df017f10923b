import type { Catalogue } from '../../../src/local/control/project.ts'
import type { HistoryOptions } from '../../../src/local/history/project-life.ts'

export const DAY = 86_400_000

/** 2026-03-02T12:00:00Z, a Monday. */
export const NOW = Date.UTC(2026, 2, 2, 12)

const CATALOGUE: Catalogue = {
  roles: [],
  databases: [],
  dropped: { roles: [], databases: [] },
  revision: 1,
}

/** Fourteen projects in a month: each kind of use about twice. */
export const past = (changes: Partial<HistoryOptions> = {}): HistoryOptions => ({
  seed: 7,
  projects: 14,
  from: NOW - 30 * DAY,
  to: NOW,
  plan: 'scale',
  preset: 'interface',
  catalogueOf: () => CATALOGUE,
  ...changes,
})
