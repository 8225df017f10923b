// The check of a mutation at a real socket.
import { describe, expect, onTestFinished, test } from 'vitest'
import { Agent } from 'undici'
import { answers, faultyServer } from '../faulty-server.ts'
import { change, clientOf, running } from '../client-of.ts'
import { createClient, type ClientOptions } from '../../../src/service/http/client.ts'
import { eagerClock } from '../eager-clock.ts'
import { ok } from '../../../src/std/result.ts'

const clientsOf = (baseUrl: string, more: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl,
    readKey: () => ok('secret-key'),
    clock: eagerClock(),
    random: { unit: () => 0.5, uuid: () => '' },
    requestsPerMinute: 60_000,
    ...more,
  })

const WITHDRAWN = { ok: false, error: { kind: 'unavailable', message: 'withdrawn before it was sent' } }

describe('the guard of a mutation', () => {
  test('withdraws it: the server never sees it', async () => {
    const seen: string[] = []
    await using server = await faultyServer((response, { body }) => {
      seen.push(body)
      answers(200, {})(response)
    })
    const clients = clientsOf(server.baseUrl)
    expect(await clients.at('apply', () => false).mutate(change, running)).toMatchObject(WITHDRAWN)
    expect(seen).toEqual([])
    expect(await clients.at('apply', () => true).mutate(change, running)).toMatchObject({ ok: true })
    expect(seen).toEqual(['{}'])
  })

  test('is asked when the request is written, not when it waits behind a busy connection', async () => {
    const gate = Promise.withResolvers<undefined>()
    const seen: string[] = []
    await using server = await faultyServer((response, { body }) => {
      seen.push(body)
      const before = seen.length === 1 ? gate.promise : Promise.resolve()
      void before.then(() => answers(200, {})(response))
    })
    const dispatcher = new Agent({ connections: 1, pipelining: 1 })
    onTestFinished(() => dispatcher.close())
    let isKilled = false
    const clients = clientsOf(server.baseUrl, { dispatcher })
    const first = clients.at('poll').mutate({ ...change, body: { first: true } }, running)
    const asked: boolean[] = []
    const second = clients
      .at('apply', () => {
        asked.push(isKilled)
        return !isKilled
      })
      .mutate(change, running)
    await expect.poll(() => seen).toHaveLength(1)
    expect(asked).toEqual([])
    isKilled = true
    gate.resolve(undefined)
    expect(await first).toMatchObject({ ok: true })
    expect(await second).toMatchObject(WITHDRAWN)
    expect(asked).toEqual([true])
    expect(seen).toEqual(['{"first":true}'])
  })

  test('leaves the connection usable', async () => {
    await using server = await faultyServer(answers(200, {}))
    const clients = clientsOf(server.baseUrl)
    await clients.at('apply', () => false).mutate(change, running)
    expect(await clients.at('poll').mutate(change, running)).toMatchObject({ ok: true })
    expect(await clientOf(server.baseUrl).mutate(change, running)).toMatchObject({ ok: true })
  })
})
