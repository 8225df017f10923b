// TLS of clients: it passes through to the server, or ends at the proxy.
import { X509Certificate } from 'node:crypto'
import { type AddressInfo, connect, createServer } from 'node:net'
import { TLSSocket, connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { ClientListeners } from '../../../src/local/proxy/listeners.ts'
import {
  ASK_TLS,
  contextOf,
  openTestListeners,
  saidBy,
  startStandin,
  startup,
  testCertificate,
} from './support.ts'

const ours = await testCertificate()
const theirs = await testCertificate()

/** A server with the other certificate, which greets every client. */
async function startTlsServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, secureContext: contextOf(theirs) })
      secure.on('error', () => undefined)
      secure.once('data', () => secure.end('the server'))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

type Met = { readonly certificate: 'ours' | 'theirs'; readonly said: string }

/** Sends a message inside TLS, with or without a host name. */
async function meet({ port }: ClientListeners, servername: string | undefined, option = ''): Promise<Met> {
  const socket = connect(port, '127.0.0.1')
  socket.write(ASK_TLS)
  await new Promise((resolve) => void socket.once('data', resolve))
  const secure = connectTls({ socket, rejectUnauthorized: false, ...(servername && { servername }) })
  const said = saidBy(secure)
  await new Promise((resolve) => void secure.once('secureConnect', resolve))
  const shown = secure.getPeerX509Certificate()?.fingerprint256
  secure.write(startup(option))
  return {
    certificate: shown === new X509Certificate(ours.certificate).fingerprint256 ? 'ours' : 'theirs',
    said: await said,
  }
}

/** A refusal by the proxy itself. */
const told = (words: RegExp): Met => ({ certificate: 'ours', said: expect.stringMatching(words) as string })

const NAME = 'ep-a.local.localhost'

test('TLS passes through to a named compute that is awake, and otherwise ends at the proxy', async () => {
  const port = await startTlsServer()
  const listeners = await openTestListeners({
    certificate: ours,
    openPort: (endpointId) => (endpointId === 'ep-a' ? port : undefined),
    admit: ({ endpointId }) => Promise.resolve({ ok: false, code: '57P03', message: `${endpointId} asleep` }),
  })
  expect(await meet(listeners, NAME)).toEqual({ certificate: 'theirs', said: 'the server' })
  expect(await meet(listeners, 'ep-b.local.localhost')).toEqual(told(/ep-b asleep/))
  expect(await meet(listeners, 'ep-a-pooler.local.localhost')).toEqual(told(/ep-a asleep/))
  expect(await meet(listeners, 'localhost', 'endpoint=ep-a')).toEqual(told(/ep-a asleep/))
  expect(await meet(listeners, undefined, 'endpoint=ep-a')).toEqual(told(/ep-a asleep/))
  expect(await meet(listeners, undefined)).toEqual(told(/no endpoint named/))
  await listeners.sync('project', ['ep-a', 'ep-b'])
  const own = (endpointId: string): ClientListeners => ({
    ...listeners,
    port: listeners.portOf(endpointId) ?? 0,
  })
  expect(await meet(own('ep-a'), NAME)).toEqual({ certificate: 'theirs', said: 'the server' })
  expect(await meet(own('ep-b'), NAME)).toEqual(told(/ep-b asleep/))
})

test.each([
  ['ep-a.local.localhost', 'endpoint=ep-a', 'directly'],
  ['ep-a.local.localhost', 'endpoint=ep-a-pooler', 'pooled'],
  ['ep-a-pooler.local.localhost', '', 'pooled'],
  ['ep-a-pooler.local.localhost', 'endpoint=ep-a', 'pooled'],
])('a client with %s in TLS and the option "%s" is served %s', async (name, option, how) => {
  const listeners = await openTestListeners({
    certificate: ours,
    admit: ({ pooled }) =>
      Promise.resolve({ ok: false, code: '57P03', message: pooled ? 'pooled' : 'directly' }),
  })
  expect((await meet(listeners, name, option)).said).toContain(`M${how}`)
})

test('TLS ends at the proxy when a compute is full, so that the client gets a refusal', async () => {
  const port = await startTlsServer()
  const listeners = await openTestListeners({
    certificate: ours,
    openPort: () => port,
    admit: () => Promise.resolve({ ok: true, port }),
    connectionLimit: () => 0,
  })
  expect(await meet(listeners, NAME)).toEqual(told(/C53300.*too many clients/))
})

test('no client is connected to a server with another certificate or without TLS', async () => {
  const [other, plain] = [await startTlsServer(), (await startStandin()).port]
  const listeners = await openTestListeners({
    certificate: ours,
    admit: ({ endpointId }) => Promise.resolve({ ok: true, port: endpointId === 'ep-a' ? other : plain }),
  })
  for (const endpointId of ['ep-a', 'ep-b'])
    expect(await meet(listeners, undefined, `endpoint=${endpointId}`)).toEqual(
      told(/C57P03.*has just stopped/),
    )
})
