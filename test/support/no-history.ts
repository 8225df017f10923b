import type { History } from '../../src/model/ports/history.ts'

/** An empty history. */
export const NO_HISTORY: History = {
  statistics: () => Promise.resolve(new Map()),
  days: nothing,
  intervals: nothing,
  awakeTimes: nothing,
  rollups: nothing,
  gaps: nothing,
  settings: nothing,
  recommendations: nothing,
  advice: nothing,
}

async function* nothing(): AsyncGenerator<never> {}
