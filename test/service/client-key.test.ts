// What a request carries: the API key, which is read anew, never told, and not sent again once refused.
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../support/fake-clock.ts'
import { change, clientOf, list, running } from './client-of.ts'
import { answers, faultyServer } from './faulty-server.ts'
import { failed, ok } from '../../src/std/result.ts'
import { seconds } from '../../src/model/units.ts'

describe('an API key', () => {
  test('that is refused is sent again after minutes, or when its text changes', async () => {
    let key = 'old-key'
    const clock = fakeClock()
    await using server = await faultyServer((response, request) => {
      const valid = request.headers.authorization === 'Bearer new-key'
      answers(valid ? 200 : 401)(response)
    })
    const client = clientOf(server.baseUrl, { readKey: () => ok(key), clock })
    const unauthorized = failed({ kind: 'unauthorized' })

    const all = await Promise.all(Array.from({ length: 200 }, () => client.read(list, running)))
    expect(all).toEqual(Array(200).fill(unauthorized))
    expect(server.requests).toHaveLength(10) // the burst that was on its way

    expect(await client.read(list, running)).toEqual(unauthorized)
    expect(await client.mutate(change, running)).toEqual(unauthorized)
    expect(server.requests).toHaveLength(10)

    await clock.advance(seconds(301))
    expect(await client.read(list, running)).toEqual(unauthorized)
    expect(server.requests).toHaveLength(11) // it may have been refused by mistake
    expect(await client.read(list, running)).toEqual(unauthorized)
    expect(server.requests).toHaveLength(11)

    key = 'new-key'
    await clock.advance(seconds(1))
    expect(await client.read(list, running)).toEqual(ok({}))
    expect(server.requests).toHaveLength(12)
  })

  test('that cannot be read is the reason why nothing is sent', async () => {
    await using server = await faultyServer(answers(200))
    const client = clientOf(server.baseUrl, { readKey: () => failed('/run/key: no such file') })
    expect(await client.read(list, running)).toEqual(
      failed({ kind: 'unavailable', message: 'the API key cannot be read: /run/key: no such file' }),
    )
    expect(server.requests).toEqual([])
  })

  test('that is no header value is told without it', async () => {
    const client = clientOf('http://127.0.0.1:9', { readKey: () => ok('secret\nkey') })
    const answer = await client.mutate(change, running)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'unavailable' } })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})

test('requests carry the headers of the interface', async () => {
  const seen: unknown[] = []
  await using server = await faultyServer((response, request) => {
    const { headers } = request
    seen.push([headers.authorization, headers.accept, headers['content-type']])
    answers(200)(response)
  })
  const client = clientOf(`${server.baseUrl}/`)
  await client.read(list, running)
  await client.mutate(change, running)
  expect(seen).toEqual([
    ['Bearer secret-key', 'application/json', undefined],
    ['Bearer secret-key', 'application/json', 'application/json'],
  ])
  expect(server.requests[0]).toBe('GET /api/v2/projects/p/endpoints')
})
