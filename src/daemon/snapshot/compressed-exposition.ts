// The published families, compressed. Formats that were scraped lately are compressed before a snapshot is published, others on demand.
import { assembleBody, type RenderedFamily } from '../../outputs/metrics/exposition/body.ts'
import type { CompressedPrefix } from '../../outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../outputs/metrics/exposition/format.ts'
import { seconds, type Seconds } from '../../model/units.ts'

/** How long after its last scrape a format is still compressed in advance: 5 min covers scrape intervals of up to 5 min. */
const COMPRESSED_AHEAD_FOR = seconds(300)

export type CompressedExposition = {
  /** The published families. */
  readonly families: () => readonly RenderedFamily[]
  /** All published families in one format; `now` is monotonic. */
  readonly prefix: (format: ExpositionFormat, now: Seconds) => Promise<CompressedPrefix>
  /** Resolves once the families are compressed and published; rejects, and publishes nothing, when compressing fails. */
  readonly publish: (families: readonly RenderedFamily[], now: Seconds) => Promise<void>
}

type PublishedState = {
  readonly families: readonly RenderedFamily[]
  readonly prefixes: Map<ExpositionFormat, Promise<CompressedPrefix>>
}

export function createCompressedExposition(
  compress: (parts: readonly Buffer[]) => Promise<CompressedPrefix>,
): CompressedExposition {
  const requestedAt = new Map<ExpositionFormat, Seconds>()
  let published: PublishedState = { families: [], prefixes: new Map() }
  const prefixOf = (
    { families, prefixes }: PublishedState,
    format: ExpositionFormat,
  ): Promise<CompressedPrefix> => {
    const prefix = prefixes.get(format) ?? compress(assembleBody(families, format))
    prefixes.set(format, prefix)
    return prefix
  }
  return {
    families: () => published.families,
    prefix: (format, now) => {
      requestedAt.set(format, now)
      return prefixOf(published, format)
    },
    publish: async (families, now) => {
      const next: PublishedState = { families, prefixes: new Map() }
      const recent = [...requestedAt].filter(([, at]) => now - at <= COMPRESSED_AHEAD_FOR)
      await Promise.all(recent.map(([format]) => prefixOf(next, format)))
      published = next
    },
  }
}
