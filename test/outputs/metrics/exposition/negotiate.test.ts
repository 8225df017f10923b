import { expect, test } from 'vitest'
import { negotiateFormat, acceptsGzip } from '../../../../src/outputs/metrics/exposition/negotiate.ts'

test.each([
  [undefined, 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'openmetrics'],
  // as Prometheus 2.42 asks
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  ['application/openmetrics-text; version="1.0.0"; charset=utf-8', 'openmetrics'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
  ['application/openmetrics-text;version=1.0.0;q=0', 'text'],
  ['application/openmetrics-text;version=1.0.0;q=0.3,text/plain;q=0.5', 'text'],
  ['application/openmetrics-text;version=1.0.0;q=0.3,text/plain;q=0.2,*/*;q=0.9', 'openmetrics'],
  ['application/openmetrics-text;q=much', 'text'],
])('to Accept: %s the answer is %s', (accept, format) => {
  expect(negotiateFormat(accept)).toBe(format)
})

test.each([
  [undefined, false],
  ['gzip', true],
  ['gzip, deflate, br', true],
  ['GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['br', false],
  ['*', true],
  ['identity;q=0.9, gzip;q=0.5', false],
  ['identity;q=0, gzip;q=0.5', true],
])('Accept-Encoding: %s takes gzip: %s', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes)
})
