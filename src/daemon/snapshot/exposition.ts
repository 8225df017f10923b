// What a scrape gets: the part of the snapshot is rendered and compressed once per snapshot, the part of this process per scrape.
import type { Config } from '../../config/load.ts'
import {
  assembleBody,
  bodyEndOf,
  filterFamilies,
  type FamilyFilter,
  type RenderedFamily,
} from '../../outputs/metrics/exposition/body.ts'
import { CATALOGUE, PREFIX } from '../../outputs/metrics/catalogue.ts'
import { collectSamples, type DaemonInfo } from '../../outputs/metrics/collect/collect.ts'
import { compressPrefix, finishCompressed } from '../../outputs/metrics/exposition/compress.ts'
import type { ExpositionFormat } from '../../outputs/metrics/exposition/format.ts'
import { createRenderer, type Rendered } from '../../outputs/metrics/exposition/renderer.ts'
import { createSampleMemory } from '../../outputs/metrics/exposition/samples.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { runYielding } from '../../std/cooperative.ts'
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
  /** Until it resolves, a scrape gets the state before. */
  publish(snapshot: Snapshot): Promise<void>
  body(scrape: ScrapeRequest): Promise<Buffer<ArrayBuffer>>
}

/** What the log is told of one. */
type Fault = { readonly family: string; readonly err?: unknown; readonly count?: number }

type Surroundings = {
  readonly self: SelfMetrics
  readonly clock: Clock
  readonly log: {
    readonly error: (fields: Fault, message: string) => void
    readonly warn: (fields: { readonly families: readonly string[] }, message: string) => void
  }
  /** Gives up a turn of the event loop. */
  readonly pause: () => Promise<void>
}

/** How long a scrape waits for the metrics of the process. Doubled, one that hangs costs a scrape with a short timeout. */
const SELF_PATIENCE = seconds(1)

/** @param facts as they are when a snapshot is published */
export function createExposition(
  facts: () => DaemonInfo,
  { self, clock, log, pause }: Surroundings,
): Exposition {
  const render = createRenderer()
  const memory = createSampleMemory()
  const told = new Set<string>()
  const shown = createCompressedExposition(compressPrefix)
  let capped = false
  const ownParts = (): Promise<readonly RenderedFamily[]> => selfParts(self, clock)
  return {
    publish: async (snapshot) => {
      const begun = clock.monotonic()
      const { samples, dropped } = await runYielding(collectSamples(snapshot, facts(), memory), pause)
      const rendered = await runYielding(render(samples), pause)
      await shown.show(rendered.parts, clock.monotonic())
      const failed = rendered.failed.map(({ key }) => key)
      self.rendered({ ...rendered, failed, dropped, seconds: clock.monotonic() - begun })
      tellFaults(rendered, log, told)
      if (dropped.size > 0 && !capped)
        log.warn({ families: [...dropped.keys()] }, 'metrics.max_series is reached, some series are left out')
      capped = dropped.size > 0
    },
    body: async ({ format, gzip, ...filter }) => {
      const own = await ownParts()
      const all = filter.names.length === 0 && filter.projectId === undefined
      const last = Buffer.concat([...assembleBody(filterFamilies(own, filter), format), bodyEndOf(format)])
      if (gzip && all) return finishCompressed(await shown.compressed(format, clock.monotonic()), last)
      const first = assembleBody(all ? shown.parts() : filterFamilies(shown.parts(), filter), format)
      return gzip ? finishCompressed(await compressPrefix(first), last) : Buffer.concat([...first, last])
    },
  }
}

/** The metrics of the process, and whether they could be read: a scrape does without them rather than fail. */
async function selfParts(self: SelfMetrics, clock: Clock): Promise<readonly RenderedFamily[]> {
  const over = new AbortController()
  const patience = clock.sleep(SELF_PATIENCE, over.signal).then(() => undefined)
  const parts = await Promise.race([self.parts().catch(() => undefined), patience])
  over.abort()
  return [...(parts ?? []), errorPart(parts === undefined)]
}

function errorPart(failed: boolean): RenderedFamily {
  const { name, help, type } = CATALOGUE.selfMetricsError
  const full = PREFIX + name
  return { name: full, help, type, blocks: [Buffer.from(`${full} ${failed ? 1 : 0}\n`)] }
}

/** Each fault once: it comes again with every snapshot. */
function tellFaults({ duplicates, failed }: Rendered, log: Surroundings['log'], told: Set<string>): void {
  for (const { key, cause } of failed) {
    if (!told.has(key)) log.error({ err: cause, family: key }, 'a metric cannot be rendered and is left out')
    told.add(key)
  }
  for (const [key, count] of duplicates) {
    if (!told.has(key)) log.error({ family: key, count }, 'series of a metric have the same labels')
    told.add(key)
  }
}
