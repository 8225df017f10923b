import fc from 'fast-check'
import { expect, test } from 'vitest'
import { routeOf } from '../../../src/local/proxy/target.ts'
import { readStartup, writeError, writeStartup } from '../../../src/local/proxy/startup.ts'
import { targetOf, targetOfHost } from '../../../src/local/proxy/target.ts'
import { check } from '../../support/property.ts'

const VERSION = 196_608
const text = fc.string({ maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
const parameters = fc
  .uniqueArray(
    fc.tuple(
      text.filter((name) => name !== ''),
      text,
    ),
    { selector: ([name]) => name, maxLength: 10 },
  )
  .map((entries) => new Map(entries))

test('a written packet is read again, with the bytes after it', () => {
  check(
    fc.property(parameters, fc.uint8Array({ maxLength: 20 }), (given, rest) => {
      const bytes = Buffer.concat([writeStartup(VERSION, given), rest])
      expect(readStartup(bytes)).toEqual({
        kind: 'startup',
        version: VERSION,
        parameters: given,
        rest: Buffer.from(rest),
      })
    }),
  )
})

test('every incomplete packet asks for more', () => {
  check(
    fc.property(parameters, fc.nat(), (given, length) => {
      const packet = writeStartup(VERSION, given)
      expect(readStartup(packet.subarray(0, length % packet.length))).toEqual({ kind: 'more' })
    }),
  )
})

test('random bytes never throw', () => {
  check(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(['more', 'encryption', 'direct-tls', 'cancel', 'startup', 'garbage']).toContain(
        readStartup(Buffer.from(bytes)).kind,
      )
    }),
  )
})

const packet = (...words: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(words.length * 4)
  for (const [at, word] of words.entries()) bytes.writeInt32BE(word, at * 4)
  return bytes
}

test.each([
  ['a request for TLS', packet(8, 80_877_103), 'encryption'],
  ['a request for GSS', packet(8, 80_877_104), 'encryption'],
  ['TLS at once', Buffer.from([22, 3, 1, 2, 0]), 'direct-tls'],
  ['a cancel request', packet(16, 80_877_102, 7, 8), 'cancel'],
  ['a length below 8', packet(7, 0), 'garbage'],
  ['a length above the bound', packet(10_001, VERSION), 'garbage'],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'garbage'],
  ['protocol 2', packet(12, 131_072, 0), 'garbage'],
  ['parameters without an end', Buffer.concat([packet(12, VERSION), Buffer.from('user')]), 'garbage'],
])('%s', (_, bytes, kind) => {
  expect(readStartup(bytes).kind).toBe(kind)
})

test.each([
  ['endpoint=ep-a', 'ep-a', undefined],
  ['endpoint%3Dep-a', 'ep-a', undefined],
  ['-c geqo=off endpoint=ep-a  -c search_path=a\\ b', 'ep-a', '-c geqo=off -c search_path=a\\ b'],
  ['endpoint=ep-a endpoint=ep-b', 'ep-b', undefined],
  ['-c geqo=off', undefined, '-c geqo=off'],
  ['endpoint=../etc', undefined, 'endpoint=../etc'],
  ['', undefined, ''],
])('options %o name %o; the rest is %o', (options, endpointId, left) => {
  const route = routeOf(
    new Map([
      ['user', 'me'],
      ['options', options],
    ]),
  )
  expect(route.endpointId).toBe(endpointId)
  expect(route.parameters.get('options')).toBe(left)
  expect(route.parameters.get('user')).toBe('me')
})

test('an error with any text is one message of the protocol', () => {
  check(
    fc.property(fc.string(), (message) => {
      const bytes = writeError('57P03', message)
      expect(bytes.toString('latin1', 0, 1)).toBe('E')
      expect(bytes.readInt32BE(1)).toBe(bytes.length - 1)
      expect(bytes.subarray(5).toString().split('\0')).toEqual([
        'SFATAL',
        'VFATAL',
        'C57P03',
        `M${Buffer.from(message.replaceAll('\0', ' ')).toString()}`,
        '',
        '',
      ])
    }),
  )
})

test.each([
  ['ep-a.local.localhost', { endpointId: 'ep-a', pooled: false }],
  ['ep-a-pooler.local.localhost', { endpointId: 'ep-a', pooled: true }],
  ['localhost', undefined],
  ['ep-a.localhost', undefined],
  ['x.ep-a.local.localhost', undefined],
  ['other.local.localhost', undefined],
  [undefined, undefined],
])('the host name %s means %o', (host, target) => {
  expect(targetOfHost(host, 'local.localhost')).toEqual(target)
})

test('a name that ends in -pooler is the pooler', () => {
  expect(targetOf('ep-a-pooler')).toEqual({ endpointId: 'ep-a', pooled: true })
})
