// The client against a service on loopback that misbehaves: what is repeated, what is not, and what it comes to.
import { describe, expect, test } from 'vitest'
import { eagerClock } from '../eager-clock.ts'
import { freePort } from '../../../src/local/proxy/listen.ts'
import { answers, cuts, faultyServer, inTurn, resets, type Fault } from '../faulty-server.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import type { RequestReport } from '../../../src/service/http/request.ts'
import { change, clientOf, list, running } from '../client-of.ts'

const LARGE = `"${'x'.repeat(8 * 2 ** 20)}"`
const MANY = `[${'0,'.repeat(500_000)}0]`
const DEEP = '['.repeat(33) + ']'.repeat(33)

const inHalfAMinute = Date.parse('2026-01-05T00:00:30Z')

// fault, times a GET is sent, its outcome, outcome of a mutation
const TABLE: [string, Fault, number, unknown, unknown][] = [
  ['resets', resets, 4, { kind: 'unavailable' }, { kind: 'uncertain' }],
  ['cuts the body', cuts, 4, { kind: 'unavailable' }, { kind: 'uncertain' }],
  [
    'answers 200 and HTML',
    answers(200, '<html>'),
    4,
    { kind: 'malformed', problems: ['body: not JSON but a web page: check the base address'] },
    { kind: 'uncertain', message: 'body: not JSON' },
  ],
  [
    'answers 200 and more than a list may have',
    answers(200, LARGE),
    1,
    { kind: 'malformed', problems: ['body: larger than this answer may be'] },
    { kind: 'uncertain', message: 'body: larger than this answer may be' },
  ],
  [
    'answers 200 and more values than memory is for',
    answers(200, MANY),
    1,
    { kind: 'malformed', problems: ['body: more than 500000 values'] },
    { kind: 'uncertain', message: 'body: more than 500000 values' },
  ],
  [
    'answers 200 and values in values in values',
    answers(200, DEEP),
    1,
    { kind: 'malformed', problems: ['body: nested deeper than 32'] },
    { kind: 'uncertain', message: 'body: nested deeper than 32' },
  ],
  [
    'answers 422 and over 64 KiB',
    answers(422, { message: 'x'.repeat(65_536) }),
    1,
    { kind: 'refused', status: 422, message: '' },
    { kind: 'refused', status: 422, message: '' },
  ],
  ...[500, 502, 503, 504, 524].map((status): [string, Fault, number, unknown, unknown] => [
    `answers ${status}`,
    answers(status, { code: '', message: 'try\n later' }),
    4,
    { kind: 'unavailable', message: `${status} try later` },
    { kind: 'uncertain', message: `${status} try later` },
  ]),
  [
    'answers 505',
    answers(505, ''),
    1,
    { kind: 'unavailable', message: '505' },
    { kind: 'uncertain', message: '505' },
  ],
  ['answers 501', answers(501), 1, { kind: 'refused', status: 501 }, { kind: 'refused', status: 501 }],
  ...[302, 400, 403, 405, 409, 422].map((status): [string, Fault, number, unknown, unknown] => [
    `answers ${status}`,
    answers(status, { message: 'no' }, { location: '/elsewhere' }),
    1,
    { kind: 'refused', status, message: 'no' },
    { kind: 'refused', status, message: 'no' },
  ]),
  ['answers 401', answers(401), 1, { kind: 'unauthorized' }, { kind: 'unauthorized' }],
  [
    'answers 404',
    answers(404, { message: 'no such compute' }),
    1,
    { kind: 'gone', message: 'no such compute' },
    { kind: 'gone', message: 'no such compute' },
  ],
  ['answers 423', answers(423), 1, { kind: 'busy' }, { kind: 'busy' }],
  [
    'answers 429, retry after 30 s',
    answers(429, {}, { 'retry-after': '30' }),
    4,
    { kind: 'limited', until: expect.closeTo(inHalfAMinute + 90_000, -2) }, // and the rate that is left
    { kind: 'limited', until: inHalfAMinute },
  ],
  [
    'answers 429, retry after a date by its own clock',
    answers(
      429,
      {},
      { 'retry-after': 'Tue, 06 Jan 2026 07:00:30 GMT', date: 'Tue, 06 Jan 2026 07:00:00 GMT' },
    ),
    4,
    { kind: 'limited' },
    { kind: 'limited', until: inHalfAMinute },
  ],
  [
    'answers 429, retry after three years',
    answers(429, {}, { 'retry-after': '99999999' }),
    1,
    { kind: 'limited', until: Date.parse('2026-01-05T01:00:00Z') },
    { kind: 'limited', until: Date.parse('2026-01-05T01:00:00Z') },
  ],
  [
    'answers 429, retry after 30.5 s',
    answers(429, {}, { 'retry-after': '30.5' }),
    4,
    { kind: 'limited' },
    { kind: 'limited', until: inHalfAMinute + 500 },
  ],
  [
    'answers 429, retry after what is neither seconds nor a date',
    answers(429, {}, { 'retry-after': '-5' }),
    4,
    { kind: 'limited' },
    { kind: 'limited', until: Date.parse('2026-01-05T00:00:02Z') },
  ],
  [
    'answers 429 and names no time',
    answers(429),
    4,
    { kind: 'limited' },
    { kind: 'limited', until: Date.parse('2026-01-05T00:00:02Z') },
  ],
  [
    'answers 429, retry after 61 s',
    answers(429, {}, { 'retry-after': '61' }),
    1,
    { kind: 'limited', until: inHalfAMinute + 31_000 },
    { kind: 'limited', until: inHalfAMinute + 31_000 },
  ],
]

describe('a service that', () => {
  test.each(TABLE)('%s: a GET', async (_, fault, times, outcome) => {
    await using server = await faultyServer(fault)
    expect(await clientOf(server.baseUrl).read(list, running)).toMatchObject({ ok: false, error: outcome })
    expect(server.requests).toEqual(Array<string>(times).fill('GET /api/v2/projects/p/endpoints'))
  })

  test.each(TABLE)('%s: a mutation is sent once', async (_, fault, _times, _outcome, outcome) => {
    await using server = await faultyServer(fault)
    expect(await clientOf(server.baseUrl).mutate(change, running)).toMatchObject({
      ok: false,
      error: outcome,
    })
    expect(server.requests).toEqual(['PATCH /api/v2/projects/p/endpoints/ep-x'])
  })

  test.each([
    ['refuses connections', async () => `http://127.0.0.1:${await freePort()}/api/v2`],
    ['has no address', () => Promise.resolve('http://nowhere.invalid/api/v2')],
  ])('%s: a mutation was not sent', async (_, urlOf) => {
    const answer = await clientOf(await urlOf()).mutate(change, running)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'unavailable' } })
  })

  test('never answers: three attempts fill the 30 s, and a mutation is sent once', async () => {
    const clock = eagerClock()
    await using server = await faultyServer(() => void clock.advance(seconds(10)))
    const client = clientOf(server.baseUrl, { clock })
    const error = { kind: 'unavailable', message: expect.stringMatching(/^no answer within/) }
    expect(await client.read(list, running)).toEqual({ ok: false, error })
    expect(server.requests).toHaveLength(3)
    expect(clock.monotonic()).toBeLessThanOrEqual(30.001)
    expect(await client.mutate(change, running)).toEqual({
      ok: false,
      error: { kind: 'uncertain', message: 'no answer within 10 s' },
    })
    expect(server.requests).toHaveLength(4)
  })

  test('sends an empty body: a GET finds it malformed, a mutation has no value', async () => {
    await using server = await faultyServer(answers(200, ''))
    const client = clientOf(server.baseUrl)
    expect(await client.read(list, running)).toMatchObject({ ok: false, error: { kind: 'malformed' } })
    expect(await client.mutate(change, running)).toEqual(ok(undefined))
  })

  test('cannot be connected to is told by its address', async () => {
    const server = await faultyServer(resets)
    await server[Symbol.asyncDispose]()
    const answer = await clientOf(server.baseUrl).read(list, running)
    expect(answer).toMatchObject({
      error: { kind: 'unavailable', message: expect.stringContaining('ECONNREFUSED') },
    })
  })

  test('recovers is asked again after 125 and 250 ms at half jitter, and every request is reported', async () => {
    const clock = eagerClock()
    const reports: RequestReport[] = []
    await using server = await faultyServer(inTurn(answers(503), resets, answers(200, { endpoints: [] })))
    const client = clientOf(server.baseUrl, { clock, onRequest: (report) => reports.push(report) })
    expect(await client.read(list, running)).toEqual(ok({ endpoints: [] }))
    expect(clock.waits).toEqual([0.125, 0.25])
    expect(reports.map(({ operation, code, retry, tokens }) => [operation, code, retry, tokens])).toEqual([
      ['list_computes', '503', false, 9],
      ['list_computes', 'network', true, 9],
      ['list_computes', '200', true, 9],
    ])
  })

  test('answers 429 once is asked again when it said', async () => {
    const clock = eagerClock()
    await using server = await faultyServer(
      inTurn(answers(429, {}, { 'retry-after': '3' }), answers(200, [])),
    )
    expect(await clientOf(server.baseUrl, { clock }).read(list, running)).toEqual(ok([]))
    expect(clock.monotonic()).toBeCloseTo(3, 2)
  })

  test('asks for a long pause on two routes is left alone until it is over', async () => {
    const clock = eagerClock()
    await using server = await faultyServer(
      inTurn(
        answers(429, {}, { 'retry-after': '120' }),
        answers(429, {}, { 'retry-after': '5' }),
        answers(200, []),
      ),
    )
    const client = clientOf(server.baseUrl, { clock })
    const until = Date.parse('2026-01-05T00:02:00Z')
    const limited = failed({ kind: 'limited', until })
    expect(await client.read(list, running)).toEqual(limited)
    expect(await client.read(list, running)).toEqual(limited)
    const soon = failed({ kind: 'limited', until: until - 115_000 })
    expect(await client.mutate(change, running)).toEqual(soon) // it might have been the limit of the list alone
    expect(await client.mutate(change, running)).toEqual(limited)
    expect(await client.read({ ...list, operation: 'get_compute' }, running)).toEqual(limited)
    expect(server.requests).toHaveLength(2)
    await clock.advance(seconds(120))
    expect(await client.mutate(change, running)).toEqual(ok([]))
  })
})

test('every attempt takes its place in the request budget', async () => {
  const clock = eagerClock()
  await using server = await faultyServer(answers(503))
  const client = clientOf(server.baseUrl, { clock, requestsPerMinute: 60 })
  for (let count = 0; count < 4; count += 1) await client.read(list, running)
  expect(server.requests).toHaveLength(16)
  expect(clock.monotonic()).toBeGreaterThanOrEqual(16 - 10)
})

test('every MiB of an answer counts as a request', async () => {
  const clock = eagerClock()
  await using server = await faultyServer(answers(200, `"${'x'.repeat(3 * 2 ** 20)}"`))
  const client = clientOf(server.baseUrl, { clock, requestsPerMinute: 60 })
  for (let count = 0; count < 4; count += 1) await client.read(list, running)
  expect(clock.monotonic()).toBeCloseTo(13 - 10, 1)
})

describe('a signal', () => {
  test('that aborts ends a read and leaves a mutation uncertain', async () => {
    const stop = new AbortController()
    await using server = await faultyServer((_response, _request, count) => {
      if (count === 2) stop.abort()
    })
    const client = clientOf(server.baseUrl)
    const answer = await Promise.all([client.read(list, stop.signal), client.mutate(change, stop.signal)])
    expect(answer).toEqual([
      failed({ kind: 'unavailable', message: 'stopped' }),
      failed({ kind: 'uncertain', message: 'stopped before the answer came' }),
    ])
  })

  test('that has aborted lets nothing be sent', async () => {
    await using server = await faultyServer(answers(200))
    const client = clientOf(server.baseUrl)
    const stopped = failed({ kind: 'unavailable', message: 'stopped' })
    expect(await client.read(list, AbortSignal.abort())).toEqual(stopped)
    expect(await client.mutate(change, AbortSignal.abort())).toEqual(stopped)
    expect(server.requests).toEqual([])
  })
})
