import { assembleBody, bodyEndOf, type RenderedFamily } from '../../src/outputs/metrics/exposition/body.ts'
import { collectSamples, type DaemonInfo } from '../../src/outputs/metrics/collect/collect.ts'
import type { ExpositionFormat } from '../../src/outputs/metrics/exposition/format.ts'
import { createRenderer, type Renderer } from '../../src/outputs/metrics/exposition/renderer.ts'
import type { Samples } from '../../src/outputs/metrics/exposition/samples.ts'
import type { Snapshot } from '../../src/model/output/snapshot.ts'

export const FACTS: DaemonInfo = {
  version: '0.0.0',
  nodeVersion: 'v24',
  tzdata: '2026a',
  mode: 'suggest',
  hash: '0123456789ab',
  detail: 'full',
  perCompute: 'all',
  maxSeries: 100_000,
}

export const bodyText = (parts: readonly RenderedFamily[], format: ExpositionFormat = 'text'): string =>
  Buffer.concat([...assembleBody(parts, format), bodyEndOf(format)]).toString()

/** All families of `samples`. */
export function renderAll(samples: Samples, renderer: Renderer = createRenderer()): RenderedFamily[] {
  renderer.forgetExcept(samples)
  return [...samples].map(([key, columns]) => renderer.render(key, columns).family)
}

/** The families of a snapshot. */
export const partsOf = (snapshot: Snapshot, info: DaemonInfo): readonly RenderedFamily[] =>
  renderAll(collectSamples(snapshot, info).samples)
