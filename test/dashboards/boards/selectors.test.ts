import { expect, test } from 'vitest'
import { selectorsOf } from './selectors.ts'

const one = { name: 'a_total', matchers: 'job=~"$job"', range: undefined, within: undefined }

test.each([
  ['a_total{job=~"$job"}', [one]],
  ['rate(a_total{job=~"$job"}[$__rate_interval])', [{ ...one, range: '$__rate_interval', within: 'rate' }]],
  ['increase(a_total{job=~"$job"}[$__range] @ end())', [{ ...one, range: '$__range', within: 'increase' }]],
  ['sum by (le, x) (rate(a_total{job=~"$job"}[5m])) > bool 0.5', [{ ...one, range: '5m', within: 'rate' }]],
  [
    'max(dormouse:x:rate5m)',
    [{ name: 'dormouse:x:rate5m', matchers: undefined, range: undefined, within: 'max' }],
  ],
  ['time() - a_total{job=~"$job"} and on (c) b{}', [one, { ...one, name: 'b', matchers: '' }]],
  [
    'label_replace(a_total{job=~"$job"}, "team", "nobody", "team", "")',
    [{ ...one, within: 'label_replace' }],
  ],
])('%s', (query, selectors) => {
  expect(selectorsOf(query)).toEqual(selectors)
})
