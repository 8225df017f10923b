// Refusals by the proxy itself, before any compute is reached.
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect, test } from 'vitest'
import type { WakeAdmission } from '../../../src/local/engine/wake-queue.ts'
import { freePort } from '../../../src/local/proxy/listen.ts'
import {
  ASK_GSS,
  ASK_TLS,
  heard,
  openTestListeners,
  saidBy,
  startStandin,
  startup,
  testCertificate,
} from './support.ts'

const certificate = await testCertificate()

const refusing = (): Promise<WakeAdmission> =>
  Promise.resolve({ ok: false, code: '57P03', message: 'asleep for good' })

const whole = startup('endpoint=ep-a')

test.each([
  ['garbage', [Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')], /C08P01.*invalid length/],
  ['a huge packet', [Buffer.from([0, 255, 0, 0]), Buffer.alloc(1_000_000)], /C08P01.*invalid length/],
  ['protocol 2', [Buffer.from([0, 0, 0, 8, 0, 2, 0, 0])], /C08P01.*unsupported frontend protocol 2/],
  ['no endpoint', [startup('')], /C08004.*no endpoint named/],
  ['a refused endpoint', [whole], /C57P03.*asleep for good/],
  ['a request for GSS and nothing more', [ASK_GSS], /^N$/],
  ['data before TLS is agreed to', [Buffer.concat([ASK_TLS, whole])], /^E.*unencrypted data/],
  ['the same after GSS is declined', [Buffer.concat([ASK_GSS, whole])], /^E.*unencrypted data/],
  ['no TLS after asking for it', [ASK_TLS, whole], /^S$/],
  ['TLS at once without the protocol', [Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0])], /^$/],
  ['a packet in two parts', [whole.subarray(0, 9), whole.subarray(9)], /asleep/],
])('a client that sends %s gets a refusal', async (_, sent, answer) => {
  const listeners = await openTestListeners({ certificate, admit: refusing })
  const socket = connect(listeners.port, '127.0.0.1')
  const said = saidBy(socket)
  for (const bytes of sent) {
    await new Promise((resolve) => void socket.write(bytes, resolve))
    if (bytes === ASK_TLS || bytes === ASK_GSS)
      await new Promise((resolve) => void socket.once('data', resolve))
  }
  if (sent.length === 1 && sent[0] === ASK_GSS) socket.end()
  expect(await said).toMatch(answer)
})

test('GSS is declined, TLS agreed to, and the refusal is sent inside TLS', async () => {
  const listeners = await openTestListeners({ certificate, admit: refusing })
  const socket = connect(listeners.port, '127.0.0.1')
  for (const [ask, answer] of [
    [ASK_GSS, 'N'],
    [ASK_TLS, 'S'],
  ] as const) {
    socket.write(ask)
    expect(String(await new Promise((resolve) => void socket.once('data', resolve)))).toBe(answer)
  }
  const secure = connectTls({ socket, ca: certificate.certificate, host: '127.0.0.1' })
  secure.write(whole)
  expect(await saidBy(secure)).toMatch(/^E.*C57P03.*asleep for good/)
})

test.each([
  ['the name of one compute and the option of another', 'ep-b', /C08004.*two endpoints named/],
  ['a name alone', '', /C57P03.*ep-a asleep/],
])('direct TLS with %s', async (_, option, answer) => {
  const listeners = await openTestListeners({
    certificate,
    openPort: () => 1,
    admit: ({ endpointId }) => Promise.resolve({ ok: false, code: '57P03', message: `${endpointId} asleep` }),
  })
  const socket = connectTls({
    port: listeners.port,
    host: '127.0.0.1',
    servername: 'ep-a.local.localhost',
    ca: certificate.certificate,
    ALPNProtocols: ['postgresql'],
  })
  socket.write(startup(option && `endpoint=${option}`))
  expect(await saidBy(socket)).toMatch(answer)
  expect(socket.alpnProtocol).toBe('postgresql')
})

test('a compute without a server refuses, and its own port needs no option', async () => {
  const listeners = await openTestListeners({
    certificate,
    admit: ({ endpointId }) => Promise.resolve({ ok: true, port: endpointId === 'ep-a' ? 1 : 2 }),
  })
  await listeners.sync('project', ['ep-a'])
  expect(await heard(listeners.portOf('ep-a') ?? 0, startup(''))).toContain('C57P03')
  await listeners.sync('project', [])
  expect(listeners.portOf('ep-a')).toBeUndefined()
})

test('more clients than a compute may have are refused; one that leaves makes room', async () => {
  const standin = await startStandin()
  const listeners = await openTestListeners({
    certificate,
    admit: () => Promise.resolve({ ok: true, port: standin.port }),
    connectionLimit: (endpointId) => (endpointId === 'ep-a' ? 2 : undefined),
  })
  const enter = async (name: string): Promise<{ word: string; leave: () => Promise<string> }> => {
    const socket = connect(listeners.port, '127.0.0.1')
    socket.write(startup(`endpoint=${name}`))
    const word = await new Promise<Buffer>((resolve) => void socket.once('data', resolve))
    const left = saidBy(socket)
    return { word: word.toString('latin1').replaceAll('\0', ' '), leave: () => (socket.end(), left) }
  }
  const [first, second] = [await enter('ep-a'), await enter('ep-a')]
  expect([first.word, second.word]).toEqual(['hello me\n', 'hello me\n'])
  expect((await enter('ep-a')).word).toMatch(/C53300 .*too many clients/)
  expect((await enter('ep-b')).word).toBe('hello me\n')
  await first.leave()
  expect((await enter('ep-a')).word).toBe('hello me\n')
})

test('a port for another program is none that the system gives to connections and servers in the meantime', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  expect(Math.max(...ports)).toBeLessThan(32_768)
  expect(Math.min(...ports)).toBeGreaterThan(1023)
})
