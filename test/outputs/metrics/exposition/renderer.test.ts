import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FamilyKey } from '../../../../src/outputs/metrics/catalogue.ts'
import type { Samples, SeriesColumns } from '../../../../src/outputs/metrics/exposition/samples.ts'
import { createRenderer, type Rendered } from '../../../../src/outputs/metrics/exposition/renderer.ts'
import { runSync } from '../../../../src/std/cooperative.ts'
import { bodyText } from '../../../support/exposed.ts'
import { check } from '../../../support/property.ts'

type Sample = { readonly labels: readonly string[]; readonly value: number }

const seriesOf = (all: readonly Sample[]): SeriesColumns => ({
  labels: all.map(({ labels }) => labels),
  values: all.map(({ value }) => value),
})
const spend = (project: string, value: number): Sample => ({ labels: [project, 'ep-a', 'USD'], value })
const samples = (...series: readonly Sample[]): Samples => new Map([['computeSpend', seriesOf(series)]])
const linesOf = ({ parts }: Rendered): string[] =>
  bodyText(parts)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** Few labels and values, so that they come again, move and vanish; blocks are 200 series long. */
const series = fc.array(
  fc.record({
    labels: fc.tuple(fc.constantFrom('a', 'ü', '"\n'), fc.nat(99).map(String), fc.constant('USD')),
    value: fc.oneof(fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY), fc.double()),
  }),
  { maxLength: 450, size: 'max' },
)
const families = fc.constantFrom<FamilyKey[]>('computeSpend', 'cacheHits')
const state = fc.uniqueArray(fc.tuple(families, series), { selector: ([key]) => key })

test('what is kept from the states before shows in no byte', () => {
  check(
    fc.property(fc.array(state, { maxLength: 5 }), (states) => {
      const render = createRenderer()
      for (const one of states) {
        const known: Samples = new Map(one.map(([key, all]) => [key, seriesOf(all)]))
        expect(runSync(render(known))).toEqual(runSync(createRenderer()(known)))
      }
    }),
    50,
  )
})

test('a label set that comes twice is there once, with its last value, and is counted', () => {
  const render = createRenderer()
  const twice = samples(spend('a', 1), spend('b', 2), spend('a', 3))
  expect(linesOf(runSync(render(twice)))).toEqual([
    'dormouse_compute_spend_total{project_id="b",endpoint_id="ep-a",currency="USD"} 2',
    'dormouse_compute_spend_total{project_id="a",endpoint_id="ep-a",currency="USD"} 3',
  ])
  expect(runSync(render(twice))).toMatchObject({ duplicates: new Map([['computeSpend', 1]]), series: 2 })
  const once = runSync(render(samples(spend('a', 1), spend('b', 2))))
  expect(once).toMatchObject({ duplicates: new Map(), series: 2 })
  expect(linesOf(once)).toHaveLength(2)
})

test('a family that cannot be rendered is left out, the others are there', () => {
  const broken: Sample = { labels: ['a'], value: 1 }
  const { parts, failed } = runSync(
    createRenderer()(
      new Map([...samples(broken), ['cacheHits', seriesOf([{ labels: ['a', 'ep-a'], value: 1 }])]]),
    ),
  )
  expect(parts.map(({ name }) => name)).toEqual(['dormouse_compute_file_cache_hits_total'])
  expect(failed.map(({ key }) => key)).toEqual(['computeSpend'])
})

test('values that JavaScript writes otherwise', () => {
  const render = createRenderer()
  const values = [Number.NaN, Infinity, -Infinity, 1e21, 1e-7, -0].map((value, index) =>
    spend(String(index), value),
  )
  expect(linesOf(runSync(render(samples(...values)))).map((line) => line.split(' ')[1])).toEqual([
    'NaN',
    '+Inf',
    '-Inf',
    '1e+21',
    '1e-7',
    '0',
  ])
})

test('a state that was rendered before stays as it was', () => {
  const render = createRenderer()
  const first = runSync(render(samples(spend('a', 1))))
  const before = linesOf(first)
  runSync(render(samples(spend('b', 2))))
  expect(linesOf(first)).toEqual(before)
})
