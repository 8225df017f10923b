import { type ConnectionOptions, connect } from 'node:tls'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readClientHello } from '../../../src/local/proxy/client-hello.ts'
import { check } from '../../support/property.ts'

/** First message of a TLS client of this machine. */
function helloOf(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk)
        done()
      },
    })
    connect({ socket, rejectUnauthorized: false, ...options })
  })
}

const NAMED: ConnectionOptions = { servername: 'EP-a.Local.localhost', ALPNProtocols: ['postgresql', 'h2'] }
const named = await helloOf(NAMED)

const hello = { kind: 'hello', serverName: 'ep-a.local.localhost', protocols: ['postgresql', 'h2'] }

test.each([
  ['names a host and protocols', NAMED, hello],
  ['names nothing', {}, { kind: 'hello', serverName: undefined, protocols: [] }],
  ['is of TLS 1.2', { ...NAMED, maxVersion: 'TLSv1.2' as const }, hello],
])('the greeting of a client that %s', async (_, options, read) => {
  expect(readClientHello(await helloOf(options))).toEqual(read)
})

/** A message cut into records of these lengths, with the rest in one more record. */
function inRecords(greeting: Buffer, lengths: readonly number[]): Buffer {
  let left = greeting.subarray(5)
  const records: Buffer[] = []
  for (const length of [...lengths, left.length]) {
    const part = left.subarray(0, length)
    left = left.subarray(length)
    if (part.length > 0) records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

test('a greeting cut into records gives the same result, and bytes after it change nothing', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 })
  check(
    fc.property(lengths, fc.uint8Array({ maxLength: 50 }), (cuts, after) => {
      expect(readClientHello(Buffer.concat([inRecords(named, cuts), after]))).toEqual(hello)
    }),
  )
})

test('every incomplete greeting asks for more', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 })
  check(
    fc.property(lengths, fc.nat(), (cuts, at) => {
      const whole = inRecords(named, cuts)
      expect(readClientHello(whole.subarray(0, at % whole.length))).toEqual({ kind: 'more' })
    }),
  )
})

const KINDS = ['more', 'hello', 'garbage']

test('random bytes never throw', () => {
  const records = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([22, 3, 1, 0, 200, ...bytes]))
  check(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), records), (bytes) => {
      expect(KINDS).toContain(readClientHello(Buffer.from(bytes)).kind)
    }),
    1000,
  )
})

test('a greeting with random changes never throws', () => {
  const changes = fc.array(fc.tuple(fc.nat(named.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
  check(
    fc.property(changes, (changed) => {
      const bytes = Buffer.from(named)
      for (const [at, value] of changed) bytes[at] = value
      const read = readClientHello(bytes)
      expect(KINDS).toContain(read.kind)
      expect((read.kind === 'hello' && read.serverName) || 'none').toMatch(/^[a-z0-9._-]+$/)
    }),
    2000,
  )
})

/** An incomplete message of `length` bytes in records of `size`. */
const endless = (length: number, size: number): Buffer => {
  const body = Buffer.alloc(length)
  body.set([1, 255, 255, 255])
  return inRecords(
    Buffer.concat([Buffer.alloc(5), body]),
    Array.from({ length: 10_000 }, () => size),
  )
}

/** The length of the extension stands seven bytes before the name in it. */
const longExtension = Buffer.from(named).fill(255, named.indexOf('EP-a') - 7, named.indexOf('EP-a') - 5)

test.each([
  ['a record of another kind', Buffer.from([23, 3, 3, 0, 1, 0])],
  ['another message', Buffer.from([22, 3, 3, 0, 4, 2, 0, 0, 0])],
  ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['more than anybody says', endless(20_000, 10_000)],
  ['one byte at a time', endless(200, 1)],
  ['empty records', Buffer.concat(Array.from({ length: 40 }, () => Buffer.from([22, 3, 1, 0, 0])))],
  ['an extension longer than the message', longExtension],
])('%s is garbage', (_, bytes) => {
  expect(readClientHello(bytes).kind).toBe('garbage')
})
