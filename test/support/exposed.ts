import { bodyOf, endOf, type Part } from '../../src/outputs/metrics/exposition/body.ts'
import { collect, type Facts } from '../../src/outputs/metrics/collect/collect.ts'
import type { Format } from '../../src/outputs/metrics/exposition/format.ts'
import { createRenderer } from '../../src/outputs/metrics/exposition/renderer.ts'
import type { Snapshot } from '../../src/model/output/snapshot.ts'
import { atOnce } from '../../src/std/cooperative.ts'

export const FACTS: Facts = {
  version: '0.0.0',
  nodeVersion: 'v24',
  tzdata: '2026a',
  mode: 'suggest',
  hash: '0123456789ab',
  detail: 'full',
  perCompute: 'all',
  maxSeries: 100_000,
}

export const bodyText = (parts: readonly Part[], format: Format = 'text'): string =>
  Buffer.concat([...bodyOf(parts, format), endOf(format)]).toString()

/** The families of a snapshot. */
export const partsOf = (snapshot: Snapshot, facts: Facts): readonly Part[] =>
  atOnce(createRenderer()(atOnce(collect(snapshot, facts)).samples)).parts
