// What scrapes are given of a state, compressed: ready before it is shown in the formats that are asked for, else when it is asked for.
import { bodyOf, type Part } from '../../outputs/metrics/exposition/body.ts'
import type { Begun } from '../../outputs/metrics/exposition/compress.ts'
import type { Format } from '../../outputs/metrics/exposition/format.ts'
import { seconds, type Seconds } from '../../model/units.ts'

/**
 * How long a format is made ready for that nobody asks for. Doubled, somebody who looked once costs twice as many compressions;
 * halved, those who scrape every three minutes wait each time.
 */
const LATELY = seconds(300)

export type Shown = {
  /** Of the state that is shown. */
  readonly parts: () => readonly Part[]
  /** All of it, in a format that is asked for `now`, monotonic. */
  readonly compressed: (format: Format, now: Seconds) => Promise<Begun>
  /** Resolves when it is shown. */
  readonly show: (parts: readonly Part[], now: Seconds) => Promise<void>
}

type State = { readonly parts: readonly Part[]; readonly begun: Map<Format, Promise<Begun>> }

export function createShown(compress: (parts: readonly Buffer[]) => Promise<Begun>): Shown {
  const askedAt = new Map<Format, Seconds>()
  let shown: State = { parts: [], begun: new Map() }
  const begunOf = ({ parts, begun }: State, format: Format): Promise<Begun> => {
    const known = begun.get(format) ?? compress(bodyOf(parts, format))
    begun.set(format, known)
    return known
  }
  return {
    parts: () => shown.parts,
    compressed: (format, now) => {
      askedAt.set(format, now)
      return begunOf(shown, format)
    },
    show: async (parts, now) => {
      const next: State = { parts, begun: new Map() }
      const lately = [...askedAt].filter(([, at]) => now - at <= LATELY)
      await Promise.all(lately.map(([format]) => begunOf(next, format)))
      shown = next
    },
  }
}
