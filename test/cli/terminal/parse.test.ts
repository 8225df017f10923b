import { InvalidArgumentError } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  parseCu,
  parseDelay,
  parseEndpointId,
  parseKeyId,
  parseSizing,
} from '../../../src/cli/terminal/parse.ts'
import { cu } from '../../../src/model/units.ts'

describe('an argument', () => {
  test.each([
    [parseCu, '0.25', 0.25],
    [parseCu, '8', 8],
    [parseDelay, '300s', 300],
    [parseDelay, '5m', 300],
    [parseDelay, '7d', 604_800],
    [parseDelay, 'never', 'never'],
    [parseDelay, 'default', 0],
    [parseEndpointId, 'ep-cool-1', 'ep-cool-1'],
    [parseKeyId, '12', 12],
  ])('for %o, %s is %s', (parse, text, value) => {
    expect(parse(text)).toBe(value)
  })

  test.each([
    [parseCu, '0'],
    [parseCu, '-1'],
    [parseCu, 'big'],
    [parseDelay, '300'],
    [parseDelay, '0s'],
    [parseDelay, '500ms'],
    [parseDelay, '8d'],
    [parseDelay, 'off'],
    [parseEndpointId, '..'],
    [parseEndpointId, 'a/b'],
    [parseEndpointId, ''],
    [parseKeyId, 'one'],
  ])('for %o, %s is refused', (parse, text) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError)
  })
})

test.each([
  [{}, { ok: true, value: undefined }],
  [{ cu: cu(2) }, { ok: true, value: { fixed: 2 } }],
  [
    { minCu: cu(1), maxCu: cu(2) },
    { ok: true, value: { min: 1, max: 2 } },
  ],
  [
    { minCu: cu(2), maxCu: cu(2) },
    { ok: true, value: { fixed: 2 } },
  ],
  [
    { cu: cu(2), maxCu: cu(2) },
    { ok: false, error: 'give either --cu or --min-cu and --max-cu' },
  ],
  [{ minCu: cu(2) }, { ok: false, error: '--min-cu and --max-cu go together' }],
  [
    { minCu: cu(2), maxCu: cu(1) },
    { ok: false, error: '--min-cu 2 is above --max-cu 1' },
  ],
])('the size that %j ask for', (options, sizing) => {
  expect(parseSizing(options)).toEqual(sizing)
})
