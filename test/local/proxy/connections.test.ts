import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type Connections, createConnections } from '../../../src/local/proxy/connections.ts'

/** The registry on a clock that the test sets, ms. */
function registry(): Connections & { readonly set: (at: number) => void } {
  let now = 0
  const clock = { now: () => now, after: () => () => undefined, sleep: () => Promise.resolve() }
  return { ...createConnections(clock), set: (at) => (now = at) }
}

const NOBODY = { open: 0, openPooled: 0 }

test('a client counts until it leaves, and a pooled one takes no connection of the server', () => {
  const connections = registry()
  const [direct, pooled] = [new Socket(), new Socket()]
  connections.add('ep-a', direct)
  connections.add('ep-a', pooled, true)
  connections.add('ep-b', new Socket())
  expect(connections.sessions('ep-a')).toEqual({ open: 2, openPooled: 1 })
  expect(connections.count('ep-a')).toBe(1)
  direct.emit('end')
  expect(connections.sessions('ep-a', true)).toEqual({ open: 1, openPooled: 1 })
  pooled.emit('close')
  expect(connections.sessions('ep-a', true)).toEqual(NOBODY)
})

test('a session that the server has closed counts as lost for a second', () => {
  const connections = registry()
  const onLost = connections.add('ep-a', new Socket(), true)
  onLost()
  onLost()
  expect(connections.sessions('ep-a')).toEqual(NOBODY)
  connections.set(999)
  expect(connections.sessions('ep-a', true)).toEqual({ open: 1, openPooled: 1 })
  connections.set(1000)
  expect(connections.sessions('ep-a', true)).toEqual(NOBODY)
})

test('a client that has left first is not lost', () => {
  const connections = registry()
  const client = new Socket()
  const onLost = connections.add('ep-a', client)
  client.emit('end')
  onLost()
  expect(connections.sessions('ep-a', true)).toEqual(NOBODY)
})

test('dropped clients count no more, whatever they still send', () => {
  const connections = registry()
  const onLost = connections.add('ep-a', new Socket())
  connections.drop('ep-a')
  connections.add('ep-a', new Socket())
  onLost()
  expect(connections.sessions('ep-a', true)).toEqual({ open: 1, openPooled: 0 })
})
