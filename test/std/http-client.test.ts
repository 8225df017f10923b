// The part of undici that is loaded does what its index does.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { request as requestOfIndex } from 'undici'
import { Agent, request } from '../../src/std/http-client.ts'

const server = createServer(({ method, url, headers }, answer) => {
  answer.setHeader('x-asked', `${method} ${url} ${String(headers['x-name'])}`)
  answer.end('the body')
})
let baseUrl = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => void server.close(resolve))
})

test.each([
  ['/', {}],
  ['/a%20path?with=a%2Fquery&empty#fragment', {}],
  ['/post', { method: 'POST', body: '{}', headers: { 'x-name': 'somebody' } }],
] as const)('%s is asked for as by the index of undici', async (path, options) => {
  const answers = await Promise.all(
    [request, requestOfIndex].map(async (each) => {
      const { statusCode, headers, body } = await each(baseUrl + path, options)
      return { statusCode, asked: headers['x-asked'], body: await body.text() }
    }),
  )
  expect(answers[0]).toMatchObject({ statusCode: 200, body: 'the body' })
  expect(answers[0]).toEqual(answers[1])
})

test('a dispatcher of its own is used and can be closed', async () => {
  const agent = new Agent({ connections: 1 })
  const { body } = await request(new URL(baseUrl), { dispatcher: agent })
  expect(await body.text()).toBe('the body')
  await agent.close()
  await expect(request(baseUrl, { dispatcher: agent })).rejects.toThrow('destroyed')
})

test.each(['no address', 'ftp://127.0.0.1/'])('a request to %s is rejected', async (url) => {
  await expect(request(url)).rejects.toThrow(/Invalid URL|protocol/)
})
