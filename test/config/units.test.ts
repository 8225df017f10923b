import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seconds } from '../../src/model/units.ts'
import {
  addressText,
  durationText,
  isLoopback,
  parseAddress,
  parseDay,
  parseDuration,
  parseMoney,
} from '../../src/config/units.ts'

describe('a length of time', () => {
  test.each([
    ['500ms', 0.5],
    ['60s', 60],
    ['1.5m', 90],
    ['1h', 3600],
    ['7d', 604_800],
    ['0s', 0],
    ['60', undefined],
    ['-1s', undefined],
    ['1 s', undefined],
    ['1w', undefined],
    ['s', undefined],
    ['', undefined],
  ])('written %j is %s s', (text, span) => {
    expect(parseDuration(text)).toBe(span)
  })

  test.each([
    [0.25, '250ms'],
    [0, '0s'],
    [45, '45s'],
    [300, '5m'],
    [3600, '1h'],
    [172_800, '2d'],
  ])('of %s s is written %s', (span, text) => {
    expect(durationText(seconds(span))).toBe(text)
  })

  test('in whole milliseconds comes back from its text', () => {
    fc.assert(
      fc.property(fc.nat(999), fc.nat(10_000_000), (milliseconds, whole) => {
        for (const span of [seconds(milliseconds / 1000), seconds(whole)])
          expect(parseDuration(durationText(span))).toBeCloseTo(span, 9)
      }),
    )
  })
})

describe('an amount', () => {
  test.each([
    ['0.106', 106_000],
    ['0', 0],
    ['1.1', 1_100_000],
    ['0.000001', 1],
    ['123456789.123456', 123_456_789_123_456],
    ['0.0000001', undefined],
    ['-1', undefined],
    ['1e-7', undefined],
    ['1,5', undefined],
    ['', undefined],
  ])('written %j is %s micros', (text, amount) => {
    expect(parseMoney(text)).toBe(amount)
  })

  test('is exact to the last digit, as text and as a number', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.nat(999_999), (whole, fraction) => {
        const text = `${whole}.${String(fraction).padStart(6, '0')}`
        expect(parseMoney(text)).toBe(whole * 1_000_000 + fraction)
      }),
    )
  })
})

describe('an address', () => {
  test.each([
    ['0.0.0.0:9477', { host: '0.0.0.0', port: 9477 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['::1:80', undefined],
    ['host', undefined],
    ['host:65536', undefined],
    [':80', undefined],
    ['a b:1', undefined],
  ])('written %j', (text, value) => {
    expect(parseAddress(text)).toEqual(value)
    expect(value && addressText(value)).toBe(value && text)
  })

  test.each([
    ['127.0.0.1:1', true],
    ['127.9.9.9:1', true],
    ['localhost:1', true],
    ['[::1]:1', true],
    ['0.0.0.0:1', false],
    ['[::]:1', false],
    ['127.example.com:1', false],
  ])('%s is loopback: %s', (text, loopback) => {
    const address = parseAddress(text)
    expect(address && isLoopback(address)).toBe(loopback)
  })
})

test.each([
  ['2026-03-01', Date.parse('2026-03-01T00:00:00Z')],
  ['2026-13-01', undefined],
  ['1.3.2026', undefined],
])('the day %s', (text, at) => {
  expect(parseDay(text)).toBe(at)
})
