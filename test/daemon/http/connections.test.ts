// Which connections a listener admits, and what they may ask for, told by fake sockets.
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createConnectionGuard } from '../../../src/daemon/http/connections.ts'
import { seconds } from '../../../src/model/units.ts'

class FakeSocket extends EventEmitter {
  destroyed = false
  writableLength = 0
  readonly remoteAddress: string
  readonly remotePort: number
  constructor(remoteAddress: string, remotePort: number) {
    super()
    this.remoteAddress = remoteAddress
    this.remotePort = remotePort
  }
  pause(): void {}
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

class FakeAnswer extends EventEmitter {
  status: number | undefined
  setHeader(): void {}
  writeHead(status: number): void {
    this.status = status
  }
  end(): void {}
}

function listener(options: Parameters<typeof createConnectionGuard>[0] = {}) {
  const limited: string[] = []
  const connections = createConnectionGuard({ limited: (limit) => void limited.push(limit), ...options })
  let port = 1
  const connect = (address: string): FakeSocket => {
    port += 1
    const socket = new FakeSocket(address, port)
    connections.admit(socket as unknown as Socket)
    return socket
  }
  const connectMany = (address: string, count: number): FakeSocket[] =>
    Array.from({ length: count }, () => connect(address))
  /** The refusal, 200 where the app is asked, undefined where nothing is answered. */
  const ask = (socket: FakeSocket, url = '/metrics') => {
    const answer = new FakeAnswer()
    const incoming = { socket, url } as unknown as IncomingMessage
    const mayAsk = connections.mayAsk(incoming, answer as unknown as ServerResponse)
    return { status: mayAsk ? 200 : answer.status, answer }
  }
  return { ...connections, limited, connect, connectMany, ask }
}

test('an address has 16 connections, and one that closes makes room', () => {
  const { connect, connectMany, ask, limited } = listener()
  const [first] = connectMany('a', 16)
  expect(connectMany('b', 2).map((socket) => ask(socket).status)).toEqual([200, 200])
  expect(ask(connect('a')).status).toBe(503)
  expect(limited).toEqual(['address'])
  first?.destroy()
  expect(ask(connect('a')).status).toBe(200)
})

test('all addresses together have 56', () => {
  const { connect, connectMany, ask, limited } = listener()
  for (const address of ['a', 'b', 'c']) connectMany(address, 16)
  expect(connectMany('d', 8).map((socket) => ask(socket).status)).toEqual(Array(8).fill(200))
  expect(ask(connect('e')).status).toBe(503)
  expect(limited).toEqual(['listener'])
})

test.each([
  ['/-/healthy', 200],
  ['/-/ready?verbose', 200],
  ['/readyz', 200],
  ['/metrics', 503],
  ['/-/healthy/../../metrics', 503],
  ['http://localhost/-/healthy', 503],
])('beyond the limit %s is answered %i, and nothing after it', (url, status) => {
  const { connect, connectMany, ask } = listener()
  connectMany('a', 16)
  const socket = connect('a')
  expect(ask(socket, url).status).toBe(status)
  expect(ask(socket, '/-/healthy').status).toBeUndefined()
})

test('of 8 connections beyond the limit the oldest makes room, first of the same address', () => {
  const { connect, connectMany } = listener()
  for (const address of ['a', 'b', 'c']) connectMany(address, 16)
  connectMany('d', 8)
  const probe = connect('kubelet')
  const others = connectMany('a', 7)
  const newest = connect('a')
  expect([probe, ...others, newest].map(({ destroyed }) => destroyed)).toEqual([
    false,
    true,
    ...Array<boolean>(7).fill(false),
  ])
  connect('elsewhere')
  expect(probe.destroyed).toBe(true)
})

test('a connection has four requests in flight', () => {
  const { connect, ask } = listener()
  const socket = connect('a')
  const asked = [ask(socket), ask(socket), ask(socket), ask(socket)]
  asked[0]?.answer.emit('close')
  expect([...asked, ask(socket)].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect([ask(socket), ask(socket)].map(({ status }) => status)).toEqual([429, undefined])
})

test('many requests behind a refusal cut the connection', () => {
  const { connect, ask } = listener()
  const socket = connect('a')
  for (let count = 0; count < 4 + 1 + 64; count += 1) ask(socket)
  expect(socket.destroyed).toBe(false)
  ask(socket)
  expect(socket.destroyed).toBe(true)
})

test.each([
  ['piece', 60, false],
  ['answer', 30, true],
] as const)(
  'with a deadline for each %s a client that reads a piece every 20 s is cut after %i s: %s',
  (deadlineOf, at, isCut) => {
    const { connect, ask, cutUnread } = listener({ deadlineOf })
    const socket = connect('a')
    const { answer } = ask(socket)
    socket.writableLength = 1000
    for (let now = 0; now <= at; now += 5) {
      if (now % 20 === 0) answer.emit('drain')
      cutUnread(seconds(now))
    }
    expect(socket.destroyed).toBe(isCut)
  },
)

test('a client that reads nothing is cut after 30 s, one that has read all is not', () => {
  const { connect, ask, cutUnread } = listener()
  const [slow, fast] = [connect('a'), connect('a')]
  for (const socket of [slow, fast]) {
    ask(socket)
    socket.writableLength = 1000
  }
  cutUnread(seconds(100))
  fast.writableLength = 0
  cutUnread(seconds(129))
  expect([slow.destroyed, fast.destroyed]).toEqual([false, false])
  fast.writableLength = 1000
  cutUnread(seconds(130))
  expect([slow.destroyed, fast.destroyed]).toEqual([true, false])
})
