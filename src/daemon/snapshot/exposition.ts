// What a scrape gets. The families of the snapshot are rendered and compressed once per snapshot, those of the process per scrape.
import type { Config } from '../../config/load.ts'
import {
  assembleBody,
  bodyEndOf,
  filterFamilies,
  type FamilyFilter,
  type RenderedFamily,
} from '../../outputs/metrics/exposition/body.ts'
import { CATALOGUE, PREFIX, type FamilyKey } from '../../outputs/metrics/catalogue.ts'
import { collectSamples, type DaemonInfo } from '../../outputs/metrics/collect/collect.ts'
import { compressPrefix, finishCompressed } from '../../outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../outputs/metrics/exposition/format.ts'
import { createRenderer, type Renderer } from '../../outputs/metrics/exposition/renderer.ts'
import { createSampleMemory, type Samples } from '../../outputs/metrics/exposition/samples.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { seconds } from '../../model/units.ts'
import { createCompressedExposition } from './compressed-exposition.ts'

export const daemonInfoOf = ({ mode, metrics }: Config, version: string, hash: string): DaemonInfo => ({
  version,
  hash,
  nodeVersion: process.version,
  tzdata: process.versions['tz'] ?? '',
  mode,
  ...metrics,
})

export type ScrapeRequest = FamilyFilter & { readonly format: ExpositionFormat; readonly gzip: boolean }

export type Exposition = {
  /** Until it resolves, scrapes get the snapshot before. */
  publish(snapshot: Snapshot): Promise<void>
  body(scrape: ScrapeRequest): Promise<Buffer<ArrayBuffer>>
}

/** Fields of a log line about a family. */
type FamilyFault = { readonly family: string; readonly err?: unknown; readonly count?: number }

type ExpositionEnvironment = {
  readonly self: SelfMetrics
  readonly clock: Clock
  readonly log: {
    readonly error: (fields: FamilyFault, message: string) => void
    readonly warn: (fields: { readonly families: readonly string[] }, message: string) => void
  }
}

/** @param info is asked when a snapshot is published */
export function createExposition(
  info: () => DaemonInfo,
  { self, clock, log }: ExpositionEnvironment,
): Exposition {
  const renderer = createRenderer()
  const memory = createSampleMemory()
  const loggedFaults = new Set<string>()
  const compressed = createCompressedExposition(compressPrefix)
  let isCapped = false
  return {
    publish: async (snapshot) => {
      const startedAt = clock.monotonic()
      const { samples, dropped } = collectSamples(snapshot, info(), memory)
      await clock.yield()
      const rendered = await renderSamples(renderer, samples, clock)
      await compressed.publish(rendered.families, clock.monotonic())
      const failed = rendered.failed.map(({ key }) => key)
      self.rendered({ ...rendered, failed, dropped, seconds: clock.monotonic() - startedAt })
      logFaults(rendered, log, loggedFaults)
      if (dropped.size > 0 && !isCapped)
        log.warn({ families: [...dropped.keys()] }, 'metrics.max_series is reached, some series are left out')
      isCapped = dropped.size > 0
    },
    body: async ({ format, gzip, ...filter }) => {
      const own = await processFamilies(self, clock)
      const isWhole = filter.names.length === 0 && filter.projectId === undefined
      const last = Buffer.concat([...assembleBody(filterFamilies(own, filter), format), bodyEndOf(format)])
      if (gzip && isWhole) return finishCompressed(await compressed.prefix(format, clock.monotonic()), last)
      const families = compressed.families()
      const first = assembleBody(isWhole ? families : filterFamilies(families, filter), format)
      return gzip ? finishCompressed(await compressPrefix(first), last) : Buffer.concat([...first, last])
    },
  }
}

export type RenderedSamples = {
  /** In the order of the samples. */
  readonly families: readonly RenderedFamily[]
  readonly series: number
  /** Family → series left out because a later one has the same labels. */
  readonly duplicates: ReadonlyMap<FamilyKey, number>
  /** Families that could not be rendered and are left out. */
  readonly failed: readonly { readonly key: FamilyKey; readonly cause: unknown }[]
}

/** Renders family by family and yields after each; a family that cannot be rendered does not hide the others. */
export async function renderSamples(
  renderer: Renderer,
  samples: Samples,
  clock: Pick<Clock, 'yield'>,
): Promise<RenderedSamples> {
  renderer.forgetExcept(samples)
  const families: RenderedFamily[] = []
  const duplicates = new Map<FamilyKey, number>()
  const failed: { key: FamilyKey; cause: unknown }[] = []
  let series = 0
  for (const [key, columns] of samples) {
    try {
      const rendered = renderer.render(key, columns)
      families.push(rendered.family)
      series += rendered.series
      if (rendered.duplicates > 0) duplicates.set(key, rendered.duplicates)
    } catch (cause) {
      failed.push({ key, cause })
    }
    // oxlint-disable-next-line no-await-in-loop -- waiting work runs between two families
    await clock.yield()
  }
  return { families, series, duplicates, failed }
}

/** How long a scrape waits for the metrics of the process, 1 s: well below the usual scrape timeout of 10 s. */
const PROCESS_METRICS_DEADLINE = seconds(1)

/** Metrics of the process, and whether they could be read: a scrape without them is better than none. */
async function processFamilies(self: SelfMetrics, clock: Clock): Promise<readonly RenderedFamily[]> {
  const done = new AbortController()
  const deadline = clock.sleep(PROCESS_METRICS_DEADLINE, done.signal).then(() => undefined)
  const families = await Promise.race([self.parts().catch(() => undefined), deadline])
  done.abort()
  const { help, type } = CATALOGUE.self_metrics_error
  const name = `${PREFIX}self_metrics_error`
  const blocks = [Buffer.from(`${name} ${families === undefined ? 1 : 0}\n`)]
  return [...(families ?? []), { name, help, type, blocks }]
}

/** Logs each fault once: it would come again with every snapshot. */
function logFaults(
  { duplicates, failed }: RenderedSamples,
  log: ExpositionEnvironment['log'],
  logged: Set<string>,
): void {
  for (const { key, cause } of failed) {
    if (!logged.has(key))
      log.error({ err: cause, family: key }, 'a metric cannot be rendered and is left out')
    logged.add(key)
  }
  for (const [key, count] of duplicates) {
    if (!logged.has(key)) log.error({ family: key, count }, 'series of a metric have the same labels')
    logged.add(key)
  }
}
