// The two sides of the benchmark say the same: otherwise it would compare apples with pears.
import { expect, test } from 'vitest'
import { collectSamples } from '../../../src/outputs/metrics/collect/collect.ts'
import { createRenderer } from '../../../src/outputs/metrics/exposition/renderer.ts'
import { bodyText, FACTS, renderAll } from '../../support/exposed.ts'
import { busySnapshot } from '../../support/fleet-snapshot.ts'
import { changed } from './changed.ts'
import { comparable, createLibrary } from './library.ts'

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .toSorted()

const rounded = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/ \S+$/, (value) => ` ${Number(value).toFixed(6)}`))

const samples = comparable(collectSamples(busySnapshot(20), FACTS).samples)

test.each([
  ['all', 0.99, 1],
  ['awake', 0.03, 0.1],
] as const)('the library and the renderer tell the same lines of %s changed', async (change, least, most) => {
  const library = createLibrary(samples)
  const renderer = createRenderer()
  library.take(samples, undefined)
  renderAll(samples, renderer)
  const next = changed(samples, change, 3)
  library.take(next, samples)
  const ours = linesOf(bodyText(renderAll(next, renderer)))
  expect(rounded(linesOf(await library.text()))).toEqual(rounded(ours))
  const before = linesOf(bodyText(renderAll(samples)))
  const moved = ours.filter((line) => !before.includes(line)).length
  expect(moved / ours.length).toBeGreaterThanOrEqual(least)
  expect(moved / ours.length).toBeLessThanOrEqual(most)
})
