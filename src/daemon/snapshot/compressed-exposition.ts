// What scrapes are given of a state, compressed: ready before it is shown in the formats that are asked for, else when it is asked for.
import { assembleBody, type RenderedFamily } from '../../outputs/metrics/exposition/body.ts'
import type { CompressedPrefix } from '../../outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../outputs/metrics/exposition/format.ts'
import { seconds, type Seconds } from '../../model/units.ts'

/**
 * How long a format is made ready for that nobody asks for. Doubled, somebody who looked once costs twice as many compressions;
 * halved, those who scrape every three minutes wait each time.
 */
const LATELY = seconds(300)

export type CompressedExposition = {
  /** Of the state that is shown. */
  readonly parts: () => readonly RenderedFamily[]
  /** All of it, in a format that is asked for `now`, monotonic. */
  readonly compressed: (format: ExpositionFormat, now: Seconds) => Promise<CompressedPrefix>
  /** Resolves when it is shown. */
  readonly show: (parts: readonly RenderedFamily[], now: Seconds) => Promise<void>
}

type State = {
  readonly parts: readonly RenderedFamily[]
  readonly begun: Map<ExpositionFormat, Promise<CompressedPrefix>>
}

export function createCompressedExposition(
  compress: (parts: readonly Buffer[]) => Promise<CompressedPrefix>,
): CompressedExposition {
  const askedAt = new Map<ExpositionFormat, Seconds>()
  let shown: State = { parts: [], begun: new Map() }
  const begunOf = ({ parts, begun }: State, format: ExpositionFormat): Promise<CompressedPrefix> => {
    const known = begun.get(format) ?? compress(assembleBody(parts, format))
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
