// Hostile or badly written clients: others are not disturbed, and no resource leaks.
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, createClock } from '../../../src/local/clock.ts'
import { createForwardCancel } from '../../../src/local/proxy/postgres-frontend.ts'
import { type Connections, createConnections } from '../../../src/local/proxy/connections.ts'
import type { ClientListeners } from '../../../src/local/proxy/listeners.ts'
import { until } from '../support.ts'
import {
  ASK_TLS,
  type Standin,
  heard,
  open,
  openSockets,
  openTestListeners,
  saidBy,
  startStandin,
  startup,
  testCertificate,
} from './support.ts'

const certificate = await testCertificate()

type Scene = {
  readonly listeners: ClientListeners
  readonly standin: Standin
  readonly clock: Turned
  readonly connections: Connections
}

async function scene(): Promise<Scene> {
  const standin = await startStandin()
  const clock = turnedClock()
  const connections = createConnections(clock)
  const listeners = await openTestListeners({
    certificate,
    clock,
    connections,
    admit: () => Promise.resolve({ ok: true, port: standin.port }),
  })
  return { listeners, standin, clock, connections }
}

type Turned = Clock & {
  /** Fires every timer of at most `ms`. */
  pass(ms: number): void
}

/** A clock whose timers never fire by themselves. */
function turnedClock(): Turned {
  const set = new Set<{ readonly ms: number; readonly done: () => void }>()
  return {
    ...createClock(),
    after: (ms, done) => {
      const entry = { ms, done }
      set.add(entry)
      return () => set.delete(entry)
    },
    pass: (ms) => {
      for (const entry of [...set].filter((one) => one.ms <= ms)) {
        set.delete(entry)
        entry.done()
      }
    },
  }
}

/** A normal client: gets its greeting and its echo, and disconnects. */
async function normal(port: number): Promise<void> {
  const socket = await open(port)
  const said = saidBy(socket)
  socket.write(startup('endpoint=ep-a'))
  await new Promise((resolve) => void socket.once('data', resolve))
  socket.end('and me')
  expect(await said).toBe('hello me\nand me')
}

const ATTACKS: readonly (readonly [string, (port: number) => Promise<Socket>])[] = [
  ['say nothing', open],
  [
    'send a packet byte by byte',
    async (port) => {
      const socket = await open(port)
      socket.write(startup('endpoint=ep-a').subarray(0, 7))
      return socket
    },
  ],
  [
    'stop in the middle of TLS',
    async (port) => {
      const socket = await open(port)
      socket.write(ASK_TLS)
      await new Promise((resolve) => void socket.once('data', resolve))
      socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1]))
      return socket
    },
  ],
  [
    'say nothing inside TLS',
    async (port) => {
      const socket = await open(port)
      socket.write(ASK_TLS)
      await new Promise((resolve) => void socket.once('data', resolve))
      const secure = connectTls({ socket, rejectUnauthorized: false })
      secure.on('error', () => undefined)
      await new Promise((resolve) => void secure.once('secureConnect', resolve))
      return socket
    },
  ],
  [
    'never hang up when refused',
    async (port) => {
      const socket = await open(port)
      socket.write('GET / HTTP/1.1\r\n\r\n')
      await new Promise((resolve) => void socket.once('end', resolve).resume())
      return socket
    },
  ],
]

test.each(ATTACKS)(
  'fifty clients that %s disturb nobody, and are gone when their time is up',
  async (_, attack) => {
    const { listeners, standin, clock } = await scene()
    const before = openSockets()
    const attackers = await Promise.all(Array.from({ length: 50 }, () => attack(listeners.port)))
    await normal(listeners.port)
    clock.pass(10_000)
    await until('only their own ends are left', () => openSockets() <= before + attackers.length)
    for (const socket of attackers) socket.destroy()
    await until('no socket is left', () => openSockets() <= before && standin.sockets() === 0)
    await normal(listeners.port)
  },
)

test('random bytes of clients disturb no other client and leak nothing', async () => {
  const { listeners, standin, clock } = await scene()
  const before = openSockets()
  const beginnings = [
    Buffer.alloc(0),
    ASK_TLS,
    startup('endpoint=ep-a').subarray(0, 12),
    Buffer.from([22, 3, 1]),
  ]
  const said = fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 400 }))
  for (const bytes of fc.sample(said, { seed: 7, numRuns: 300 })) {
    const socket = await open(listeners.port)
    socket.write(Buffer.concat(bytes))
    socket.end()
    socket.resume()
  }
  await normal(listeners.port)
  await until('no socket is left', () => {
    clock.pass(10_000)
    return openSockets() <= before && standin.sockets() === 0
  })
  await normal(listeners.port)
})

test('clients that reset at any point disturb no other client and leak nothing', async () => {
  const { listeners, standin } = await scene()
  const before = openSockets()
  for (const [, attack] of ATTACKS) {
    const attackers = await Promise.all(Array.from({ length: 20 }, () => attack(listeners.port)))
    for (const socket of attackers) socket.resetAndDestroy()
  }
  const served = await open(listeners.port)
  served.write(startup('endpoint=ep-a'))
  await new Promise((resolve) => void served.once('data', resolve))
  served.resetAndDestroy()
  await normal(listeners.port)
  await until('no socket is left', () => openSockets() <= before && standin.sockets() === 0)
})

test('a thousand connects at once are all served', async () => {
  const { listeners, standin } = await scene()
  const before = openSockets()
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const socket = await open(listeners.port)
      const said = saidBy(socket)
      socket.write(startup('endpoint=ep-a'))
      socket.once('data', () => socket.end())
      return said
    }),
  )
  expect(answers.filter((answer) => answer === 'hello me\n')).toHaveLength(1000)
  await until('no socket is left', () => openSockets() <= before && standin.sockets() === 0)
})

test('a client that never reads is dropped with its compute', async () => {
  const { listeners, standin, clock, connections } = await scene()
  const before = openSockets()
  const socket = await open(listeners.port)
  socket.write(startup('endpoint=ep-a'))
  for (let n = 0; n < 64; n += 1) socket.write(Buffer.alloc(1 << 20)) // comes back, and fills every buffer on the way
  await until('it counts', () => connections.count('ep-a') === 1 && standin.sockets() === 1)
  connections.drop('ep-a')
  await until('its socket is gone', () => {
    clock.pass(2000)
    return connections.count('ep-a') === 0 && standin.sockets() === 0
  })
  socket.destroy()
  await until('no socket is left', () => openSockets() <= before)
})

test('cancel requests beyond the bound are dropped, and the others leak no socket', async () => {
  const standin = await startStandin()
  const clock = turnedClock()
  const before = openSockets()
  const cancel = createForwardCancel(clock)
  for (let n = 0; n < 100; n += 1)
    cancel(
      Buffer.alloc(16),
      Array.from({ length: 300 }, () => standin.port),
    )
  expect(openSockets() - before).toBeLessThanOrEqual(512)
  await until('all are done', () => {
    clock.pass(2000)
    return openSockets() <= before && standin.sockets() === 0
  })
})

/** Sends a packet, plain or inside TLS, and returns the answer. */
async function ask(port: number, packet: Buffer, secure: boolean): Promise<string> {
  if (!secure) return heard(port, packet)
  const socket = await open(port)
  socket.write(ASK_TLS)
  await new Promise((resolve) => void socket.once('data', resolve))
  const inside = connectTls({ socket, ca: certificate.certificate, servername: 'ep-a.local.localhost' })
  inside.write(packet)
  return saidBy(inside)
}

test.each([
  ['plain', false, undefined],
  ['inside TLS', true, 'ep-a'],
])('a cancel request %s is passed on and wakes nothing', async (_, secure, endpointId) => {
  const seen: (readonly [string, string | undefined])[] = []
  const listeners = await openTestListeners({
    certificate,
    cancel: (packet, of) => void seen.push([packet.toString('hex'), of]),
    admit: () => Promise.reject(new Error('nobody may be woken')),
  })
  const packet = Buffer.alloc(16, 7)
  packet.set([0, 0, 0, 16, 4, 210, 22, 46])
  expect(await ask(listeners.port, packet, secure)).toBe('')
  expect(seen).toEqual([[packet.toString('hex'), endpointId]])
})
