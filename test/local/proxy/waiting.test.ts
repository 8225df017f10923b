// Clients that wait for a compute to start.
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createClock } from '../../../src/local/clock.ts'
import { createWakeQueue } from '../../../src/local/engine/wake-queue.ts'
import { until } from '../support.ts'
import {
  open,
  openSockets,
  openTestListeners,
  saidBy,
  startStandin,
  startup,
  testCertificate,
} from './support.ts'

const certificate = await testCertificate()

test('more clients than may wait, and clients that wait too long, are refused; a client that leaves makes room', async () => {
  const clock = createClock()
  const never = new AbortController().signal
  const waiting = createWakeQueue(clock, { patience: 1, perCompute: 2 })
  const admissions = await Promise.all(
    ['ep-a', 'ep-a', 'ep-a', 'ep-b'].map((endpointId) => waiting.join(endpointId, never)),
  )
  expect(admissions.map((admission) => admission.ok || admission.code)).toEqual([
    '57P03',
    '57P03',
    '53300',
    '57P03',
  ])
  const patient = createWakeQueue(clock, { patience: 60_000, perCompute: 1 })
  const leaving = new AbortController()
  const left = patient.join('ep-a', leaving.signal)
  leaving.abort()
  expect(await left).toMatchObject({ ok: false })
  const stays = patient.join('ep-a', never)
  patient.settle('ep-a', { ok: true, port: 7 })
  expect(await stays).toEqual({ ok: true, port: 7 })
})

test.each([
  ['hang up', (socket: Socket) => void socket.end()],
  ['reset', (socket: Socket) => void socket.resetAndDestroy()],
])('clients that %s while they wait make room for others', async (_, leave) => {
  const before = openSockets()
  let waiting = 0
  const listeners = await openTestListeners({
    certificate,
    admit: (_target, _cause, left) =>
      new Promise((resolve) => {
        waiting += 1
        left.addEventListener('abort', () => {
          waiting -= 1
          resolve({ ok: false, code: '57P03', message: 'nobody is there to hear it' })
        })
      }),
  })
  const listening = openSockets() - before
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open(listeners.port)))
  for (const socket of sockets) socket.resume().write(startup('endpoint=ep-a'))
  await until('all wait', () => waiting === 20)
  for (const socket of sockets) leave(socket)
  await until(
    'nobody waits, and no socket is left',
    () => waiting === 0 && openSockets() <= before + listening,
  )
})

test('all bytes that a client sends while it waits reach the server', async () => {
  const standin = await startStandin()
  const { promise: awake, resolve: wake } = Promise.withResolvers<void>()
  let waits = false
  const listeners = await openTestListeners({
    certificate,
    admit: async () => {
      waits = true
      await awake
      return { ok: true, port: standin.port }
    },
  })
  const socket = await open(listeners.port)
  const said = saidBy(socket)
  socket.write(startup('endpoint=ep-a'))
  const much = 'x'.repeat(1 << 18) // more than is kept, less than the buffers of the system take
  socket.write(much)
  await until('the client waits, and all is said', () => waits && socket.writableLength === 0)
  wake()
  await until('all of it comes back', () => socket.bytesRead === 'hello me\n'.length + much.length)
  socket.end()
  expect(await said).toBe(`hello me\n${much}`)
})
