// What a scrape gets: families of the snapshot, rendered and compressed once per snapshot, and those of the process, per scrape.
import type { Config } from '../../config/load.ts'
import { assembleBody, bodyEndOf, filterFamilies } from '../../outputs/metrics/exposition/body.ts'
import type { FamilyFilter, RenderedFamily } from '../../outputs/metrics/exposition/body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from '../../outputs/metrics/catalogue.ts'
import { collectSamples, type DaemonInfo } from '../../outputs/metrics/collect/collect.ts'
import { compressPrefix, finishCompressed } from '../../outputs/metrics/exposition/compress.ts'
import type { CompressedPrefix } from '../../outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../outputs/metrics/exposition/format.ts'
import { createRenderer, type Renderer } from '../../outputs/metrics/exposition/renderer.ts'
import { createSampleMemory, type Samples } from '../../outputs/metrics/exposition/samples.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { inTurns } from '../turns.ts'

export const daemonInfoOf = ({ mode, metrics }: Config, version: string, hash: string): DaemonInfo => ({
  version,
  hash,
  nodeVersion: process.version,
  tzdata: process.versions['tz'] ?? '',
  mode,
  ...metrics,
})

export type ScrapeRequest = FamilyFilter & Readonly<{ format: ExpositionFormat; gzip: boolean }>

type FamilyFault = Readonly<{ family: string; err?: unknown; count?: number }>

type Environment = Readonly<{
  self: SelfMetrics
  clock: Clock
  log: Readonly<{
    error: (fields: FamilyFault, message: string) => void
    warn: (fields: { readonly families: readonly string[] }, message: string) => void
  }>
}>

export type Exposition = ReturnType<typeof createExposition>

/** @param info is asked when a snapshot is published */
export function createExposition(info: () => DaemonInfo, { self, clock, log }: Environment) {
  const renderer = createRenderer()
  const memory = createSampleMemory()
  const compressed = createCompressedExposition(compressPrefix)
  const loggedFaults = new Set<string>()
  let isCapped = false
  let reading: ReturnType<typeof processFamilies> | undefined
  /** Read once for scrapes that arrive together. */
  const ownFamilies = () => {
    reading ??= processFamilies(self, clock).finally(() => (reading = undefined))
    return reading
  }
  /** Once per family: it would come again with every snapshot. */
  const logFault = (fault: FamilyFault, message: string) => {
    if (!loggedFaults.has(fault.family)) log.error(fault, message)
    loggedFaults.add(fault.family)
  }
  return {
    /** Until it resolves, scrapes get the snapshot before. */
    publish: async (snapshot: Snapshot) => {
      const startedAt = clock.monotonic()
      const { samples, dropped } = collectSamples(snapshot, info(), memory)
      await clock.yield()
      const { failed, duplicates, ...rendered } = await renderSamples(renderer, samples, clock)
      await compressed.publish(rendered.families, clock.monotonic())
      const keys = failed.map(({ key }) => key)
      const took = clock.monotonic() - startedAt
      self.rendered({ ...rendered, duplicates, failed: keys, dropped, seconds: took })
      for (const { key, cause } of failed)
        logFault({ err: cause, family: key }, 'a metric cannot be rendered and is left out')
      for (const [key, count] of duplicates)
        logFault({ family: key, count }, 'series of a metric have the same labels')
      if (dropped.size > 0 && !isCapped)
        log.warn({ families: [...dropped.keys()] }, 'metrics.max_series is reached, some series are left out')
      isCapped = dropped.size > 0
    },
    /** Pieces in order. Scrapes of one snapshot share those of the snapshot: a slow client costs no copy. */
    body: async ({ format, gzip, ...filter }: ScrapeRequest): Promise<readonly Buffer[]> => {
      const own = await ownFamilies()
      const isWhole = filter.names.length === 0 && filter.projectId === undefined
      const last = Buffer.concat([...assembleBody(filterFamilies(own, filter), format), bodyEndOf(format)])
      if (gzip && isWhole) return finishCompressed(await compressed.prefix(format, clock.monotonic()), last)
      const families = compressed.families()
      const first = assembleBody(isWhole ? families : filterFamilies(families, filter), format)
      return gzip ? finishCompressed(await compressPrefix(first), last) : [...first, last]
    },
  }
}

/** How long after its last scrape a format is compressed in advance: covers scrape intervals of up to 5 min. */
const COMPRESSED_AHEAD_FOR = seconds(300)

type PublishedState = Readonly<{
  families: readonly RenderedFamily[]
  prefixes: Map<ExpositionFormat, Promise<CompressedPrefix>>
}>

/** Formats scraped lately are compressed before they are published, others on demand. */
export function createCompressedExposition(compress: typeof compressPrefix) {
  const requestedAt = new Map<ExpositionFormat, Seconds>()
  let published: PublishedState = { families: [], prefixes: new Map() }
  const prefixOf = ({ families, prefixes }: PublishedState, format: ExpositionFormat) => {
    const prefix = prefixes.get(format) ?? compress(assembleBody(families, format))
    prefixes.set(format, prefix)
    return prefix
  }
  return {
    families: () => published.families,
    /** `now` is monotonic. */
    prefix: (format: ExpositionFormat, now: Seconds) => {
      requestedAt.set(format, now)
      return prefixOf(published, format)
    },
    /** Resolves once published; publishes nothing when compressing fails. */
    publish: async (families: readonly RenderedFamily[], now: Seconds) => {
      const next: PublishedState = { families, prefixes: new Map() }
      const recent = [...requestedAt].filter(([, at]) => now - at <= COMPRESSED_AHEAD_FOR)
      await Promise.all(recent.map(([format]) => prefixOf(next, format)))
      published = next
    },
  }
}

/** Yields after each family; one that cannot be rendered does not hide the others. */
export async function renderSamples(renderer: Renderer, samples: Samples, clock: Pick<Clock, 'yield'>) {
  renderer.forgetExcept(samples)
  const families: RenderedFamily[] = []
  /** Series left out because a later one has the same labels. */
  const duplicates = new Map<FamilyKey, number>()
  /** Left out: they could not be rendered. */
  const failed: { key: FamilyKey; cause: unknown }[] = []
  let series = 0
  for await (const [key, columns] of inTurns(samples, clock)) {
    try {
      const rendered = renderer.render(key, columns)
      families.push(rendered.family)
      series += rendered.series
      if (rendered.duplicates > 0) duplicates.set(key, rendered.duplicates)
    } catch (cause) {
      failed.push({ key, cause })
    }
  }
  return { families, series, duplicates, failed }
}

/** For which a scrape waits: well below the usual scrape timeout of 10 s. */
const PROCESS_METRICS_DEADLINE = seconds(1)

/** And whether they could be read: a scrape without them is better than none. */
async function processFamilies(self: SelfMetrics, clock: Clock) {
  const done = new AbortController()
  const deadline = clock.sleep(PROCESS_METRICS_DEADLINE, done.signal).then(() => undefined)
  const families = await Promise.race([self.parts().catch(() => undefined), deadline])
  done.abort()
  const { help, type } = CATALOGUE.self_metrics_error
  const name = `${PREFIX}self_metrics_error`
  const blocks = [Buffer.from(`${name} ${families === undefined ? 1 : 0}\n`)]
  return [...(families ?? []), { name, help, type, blocks }]
}
