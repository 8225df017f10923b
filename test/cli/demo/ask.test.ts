import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAsk } from '../../../src/cli/demo/ask.ts'

const BODY = '{"projects":[]}'
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\nconnection: keep-alive\r\n\r\n${BODY}`

let server: Server
let connections = 0
beforeAll(async () => {
  // ends a connection the moment a second request arrives on it, as a server does that closes idle connections
  server = createServer((socket) => {
    connections += 1
    let requests = 0
    socket.on('error', () => undefined)
    socket.on('data', () => {
      requests += 1
      if (requests === 1) socket.write(ANSWER)
      else socket.resetAndDestroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.close()
})

test('a person asks again after a pause in which the service ended the connection', async () => {
  const { port } = server.address() as AddressInfo
  const ask = createAsk({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'a key' })
  const answers = [
    await ask('projects'),
    await ask('projects'),
    await ask('projects/a', { method: 'PATCH', body: {} }),
  ]
  expect(answers).toEqual([{ projects: [] }, { projects: [] }, { projects: [] }])
  expect(connections).toBe(3)
})
