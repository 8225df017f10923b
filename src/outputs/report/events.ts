// What happened in a week, as Dormouse told it when it happened.
import { toIso, type Interval } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import type { Report } from './schema.ts'

type Told = NonNullable<Report['events']>

/** Events that are told one by one. Doubled, a week in which everything failed takes twice as much. */
const MOST = 200

export type EventCollector = {
  /** Only what happened in the week is told. They come in order of time. */
  readonly add: (event: { readonly at: Instant; readonly kind: string }, what: string) => void
  readonly done: () => Told
}

export function createEventCollector({ from, to }: Interval): EventCollector {
  const told: Told['told'] = []
  let left = 0
  return {
    add({ at, kind }, what) {
      if (at < from || at >= to) return
      if (told.length < MOST) told.push({ at: toIso(at), kind, what })
      else left += 1
    },
    done: () => ({ told, left }),
  }
}
