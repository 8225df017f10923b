import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/std/redactor.ts'
import { ENCODINGS, ESCAPES } from '../support/encodings.ts'
import { check } from '../support/property.ts'

const SECRET = 'napi_k3y/with+odd"chars\\and%41é'

function redactorOf(...secrets: readonly string[]) {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.learn(secret)
  return redactor.redact
}

describe('a known secret', () => {
  test.each(Object.entries(ENCODINGS))('as %s is left out, the text around it stays', (_, encode) => {
    const shown = redactorOf(SECRET)(`refused: ${encode(SECRET)} (401)`)
    expect(shown).toMatch(/^refused: .*\[redacted\].* \(401\)$/)
    expect(shown).not.toContain(encode(SECRET))
  })

  test('of any letters is in no text that repeats it, however it is encoded', () => {
    const secret = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => /^\S*[^\d\s]\S*$/.test(text))
    const encoding = fc.constantFrom(...Object.values(ENCODINGS))
    const escape = fc.constantFrom<(text: string) => string>((text) => text, ...Object.values(ESCAPES))
    check(
      fc.property(secret, encoding, escape, (text, encode, escaped) => {
        const repeated = escaped(encode(text))
        const shown = redactorOf(text)(`a ${repeated} b`)
        expect(shown).toContain('[redacted]')
        expect(shown.includes(repeated)).toBe(false)
      }),
    )
  })

  test('that was cut is known by its beginning', () => {
    const redact = redactorOf(SECRET)
    expect(redact(`refused: ${SECRET.slice(0, 12)}… (401)`)).toBe('refused: [redacted]… (401)')
    expect(redact(`refused: ${encodeURIComponent(SECRET).slice(0, 12)}…`)).toBe('refused: [redacted]…')
    const escaped = ENCODINGS['JSON with every letter escaped'](SECRET)
    const percent = ENCODINGS['percent-encoded bytes'](SECRET)
    for (let cut = 0; cut < 7; cut += 1)
      for (const text of [escaped, percent])
        expect(redact(`refused: ${text.slice(0, 80 + cut)}… (401)`)).toMatch(
          /^refused: \[redacted\].{0,6}… \(401\)$/,
        )
    expect(redact(`refused: ${SECRET.slice(0, 5)}… (401)`)).toContain('napi_')
  })

  test('stays one when another is learned', () => {
    const redactor = createRedactor()
    for (const secret of ['first-key', 'second-key']) redactor.learn(secret)
    expect(redactor.redact('first-key second-key')).toBe('[redacted] [redacted]')
  })

  test('that is an address is known by its path and its password, too', () => {
    const redact = redactorOf('https://me:pass%20word@hooks.example.com/services/T0/B0/abcdef?x=1')
    expect(redact('POST /services/T0/B0/abcdef?x=1 404')).toBe('POST [redacted] 404')
    expect(redact('password pass word')).toBe('password [redacted]')
    expect(redact('hooks.example.com')).toBe('hooks.example.com')
  })
})

test.each(['admin', '20261123', '1234567890123456'])('%s is too common to be looked for', (secret) => {
  expect(redactorOf(secret)(`a ${secret} b`)).toBe(`a ${secret} b`)
})

test.each([
  ['postgresql://u:pw@h/db', 'postgresql://u:[redacted]@h/db'],
  ['postgresql://u:${PGPASSWORD}@{host}/db', 'postgresql://u:[redacted]@{host}/db'],
  [String.raw`{"uri":"postgresql:\/\/u:p\u0077@h"}`, String.raw`{"uri":"postgresql:\/\/u:[redacted]@h"}`],
  ['http://127.0.0.1:9477/metrics', 'http://127.0.0.1:9477/metrics'],
  ['{"url":"http://h:80","mail":"a@b"}', '{"url":"http://h:80","mail":"a@b"}'],
])('of addresses in %s the password is left out, known or not', (text, shown) => {
  expect(redactorOf()(text)).toBe(shown)
})

test('JSON stays JSON', () => {
  const value = { line: '\napi_key-1 api_key-1', path: 'C:\\api_key-1\\', n: 1 }
  const redact = redactorOf('napi_key-1', 'api_key-1\\')
  expect(Object.keys(JSON.parse(redact(JSON.stringify(value))) as object)).toEqual(Object.keys(value))
})

test.each([
  ['nested escapes', '%25'.repeat(50_000)],
  ['escapes', String.raw`\u0041`.repeat(50_000)],
  ['addresses', 'a://b:'.repeat(20_000)],
])('long text of %s takes few steps', (_, text) => {
  expect(redactorOf(SECRET)(text)).toBe(text)
})

test('of a connection string that a service gave away the password is known, of so many that memory stays small', () => {
  const redactor = createRedactor()
  for (let at = 0; at < 20_100; at += 1)
    redactor.learnIssued(`postgresql://app:pass%2F${at}-word@host-${at}/app`)
  redactor.learnIssued('no address')
  expect(redactor.redact('was pass/7-word on host-7, base64 cGFzcy83LXdvcmQ=')).toBe(
    'was [redacted] on host-7, base64 [redacted]Q=',
  )
  expect(redactor.redact('was pass/20099-word')).toBe('was pass/20099-word')
  redactor.learn('configured')
  expect(redactor.redact('configured')).toBe('[redacted]')
})

test('a secret whose own escapes mean less than a secret is known as it is', () => {
  expect(redactorOf('%41%42%43')('ABC %41%42%43')).toBe('ABC [redacted]')
})
