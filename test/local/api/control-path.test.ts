// /_control, which shows and sets the switches: access and refusals.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createRequestCounter } from '../../../src/local/api/request-counter.ts'
import { type Simulated, startSimulated } from '../../support/simulated-service.ts'
import { set } from '../conformance/service.ts'

let service: Simulated

beforeAll(async () => {
  service = await startSimulated({ projects: [] })
})

afterAll(() => service.stop())

const path = (): string => `${new URL(service.baseUrl).origin}/_control`

describe('/_control', () => {
  test('GET shows the switches, PATCH sets the switches that are sent', async () => {
    const before: unknown = await (await fetch(path())).json()
    expect(before).toMatchObject({ patchWakesIdle: true, errors: { invalid: 400 }, faults: { lockTime: 0 } })
    await set(service, { errors: { invalid: 422 } })
    expect(await (await fetch(path())).json()).toMatchObject({
      patchWakesIdle: true,
      errors: { invalid: 422, restartIdle: 422 },
    })
  })

  test.each([
    ['an unknown switch', { patchWakesDile: true }, 'patchWakesDile'],
    ['a position there is not', { delayBelowMinimum: 'maybe' }, 'delayBelowMinimum'],
    ['a negative lag', { lastActiveLag: -1 }, 'lastActiveLag'],
    ['a fault with another field', { faults: { lockTmie: 1 } }, 'faults'],
    ['latencies in the wrong order', { wakeLatency: { min: 2, max: 1 } }, 'wakeLatency'],
  ])('refuses %s and changes nothing', async (_, change, field) => {
    const before: unknown = await (await fetch(path())).json()
    const response = await set(service, change as never)
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining(field) }),
    ])
    expect(await (await fetch(path())).json()).toEqual(before)
  })

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', ''])(
    'refuses the name %o of a page that was led here',
    async (host) => {
      expect(await statusFor(host, '/_control')).toBe(host === '' ? 400 : 403)
      expect(await statusFor(host, '/_truth')).toBe(host === '' ? 400 : 403)
    },
  )

  test.each(['localhost', 'LOCALHOST:1234', '127.0.0.1:80', '[::1]:80'])('serves %s', async (host) => {
    expect(await statusFor(host, '/_control')).toBe(200)
  })
})

test('/_requests counts answers by route and status, whatever ids the paths hold', async () => {
  const counted = await startSimulated({ projects: [{ name: 'shop' }] })
  onTestFinished(() => counted.stop())
  const ask = (route: string, key = counted.apiKey): Promise<unknown> =>
    fetch(`${counted.baseUrl}${route}`, { headers: { authorization: `Bearer ${key}` } })
  const id = '00000000-0000-4000-8000-000000000000'
  for (const route of [
    '/projects',
    '/projects?limit=5',
    '/projects/local-000000',
    `/projects/local-9/operations/${id}`,
  ])
    await ask(route)
  await ask('/projects', 'wrong')
  expect(await (await fetch(`${new URL(counted.baseUrl).origin}/_requests`)).json()).toEqual({
    'GET /api/v2/projects': { 200: 2, 401: 1 },
    'GET /api/v2/projects/:id': { 200: 1 },
    'GET /api/v2/projects/:id/operations/:id': { 404: 1 },
  })
})

test('made-up paths are counted together, so that they do not fill the memory', () => {
  const counter = createRequestCounter()
  for (let n = 0; n < 1000; n += 1) counter.count(`GET /made-up-${n.toString(36)}`, 404)
  expect(Object.keys(counter.tally())).toHaveLength(201)
  expect(counter.tally()['other']).toEqual({ 404: 800 })
})

/** Sends a request with a Host header of our choice, which fetch does not allow. */
async function statusFor(host: string, target: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const name = host === '' ? '' : `Host: ${host}\r\n`
  let said = ''
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () =>
    socket.write(`GET ${target} HTTP/1.1\r\n${name}Connection: close\r\n\r\n`),
  )
  socket.on('data', (chunk) => (said += String(chunk))).once('close', () => resolve(said))
  return Number((await promise).split(' ')[1])
}
