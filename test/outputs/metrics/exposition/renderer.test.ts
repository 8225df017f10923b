import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FamilyKey } from '../../../../src/outputs/metrics/catalogue.ts'
import type { RenderedFamily } from '../../../../src/outputs/metrics/exposition/body.ts'
import type { Samples, SeriesColumns } from '../../../../src/outputs/metrics/exposition/samples.ts'
import { createRenderer } from '../../../../src/outputs/metrics/exposition/renderer.ts'
import { bodyText, renderAll } from '../../../support/exposed.ts'
import { check } from '../../../support/property.ts'

type Sample = { readonly labels: readonly string[]; readonly value: number }

const seriesOf = (all: readonly Sample[]): SeriesColumns => ({
  labels: all.map(({ labels }) => labels),
  values: all.map(({ value }) => value),
})
const spend = (project: string, value: number): Sample => ({ labels: [project, 'ep-a', 'USD'], value })
const samples = (...series: readonly Sample[]): Samples =>
  new Map([['compute_spend_total', seriesOf(series)]])
const linesOf = (families: readonly RenderedFamily[]): string[] =>
  bodyText(families)
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
const families = fc.constantFrom<FamilyKey[]>('compute_spend_total', 'compute_spend_rate_per_hour')
const state = fc.uniqueArray(fc.tuple(families, series), { selector: ([key]) => key })

test('reusing earlier renderings changes no byte', () => {
  check(
    fc.property(fc.array(state, { maxLength: 5 }), (states) => {
      const renderer = createRenderer()
      for (const one of states) {
        const all: Samples = new Map(one.map(([key, added]) => [key, seriesOf(added)]))
        expect(renderAll(all, renderer)).toEqual(renderAll(all))
      }
    }),
    50,
  )
})

test('a repeated label set is exported once, with its last value, and is counted', () => {
  const renderer = createRenderer()
  const twice = seriesOf([spend('a', 1), spend('b', 2), spend('a', 3)])
  const { family, ...counts } = renderer.render('compute_spend_total', twice)
  expect(linesOf([family])).toEqual([
    'dormouse_compute_spend_total{project_id="b",endpoint_id="ep-a",currency="USD"} 2',
    'dormouse_compute_spend_total{project_id="a",endpoint_id="ep-a",currency="USD"} 3',
  ])
  expect(counts).toEqual({ series: 2, duplicates: 1 })
  const once = renderer.render('compute_spend_total', seriesOf([spend('a', 1), spend('b', 2)]))
  expect(once).toMatchObject({ series: 2, duplicates: 0 })
  expect(linesOf([once.family])).toHaveLength(2)
})

test('labels that do not fit the family are refused, and the next rendering is whole', () => {
  const renderer = createRenderer()
  const broken = seriesOf([spend('a', 1), { labels: ['b'], value: 1 }])
  expect(() => renderer.render('compute_spend_total', broken)).toThrow('1 labels for 3')
  const whole = seriesOf([spend('a', 1)])
  expect(renderer.render('compute_spend_total', whole)).toEqual(
    createRenderer().render('compute_spend_total', whole),
  )
})

test('values that JavaScript writes otherwise', () => {
  const values = [Number.NaN, Infinity, -Infinity, 1e21, 1e-7, -0].map((value, index) =>
    spend(String(index), value),
  )
  expect(linesOf(renderAll(samples(...values))).map((line) => line.split(' ')[1])).toEqual([
    'NaN',
    '+Inf',
    '-Inf',
    '1e+21',
    '1e-7',
    '0',
  ])
})

test('an earlier rendering stays unchanged', () => {
  const renderer = createRenderer()
  const first = renderAll(samples(spend('a', 1)), renderer)
  const before = linesOf(first)
  renderAll(samples(spend('b', 2)), renderer)
  expect(linesOf(first)).toEqual(before)
})
