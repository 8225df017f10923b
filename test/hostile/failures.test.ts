// Faults behind a route, and clients that leave: the log has one line, the client no stack trace.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dayAt, refOf } from '../store/build.ts'
import { askFromElsewhere, connected, openedListeners } from './listeners.ts'

const printed = ['error', 'info', 'log', 'warn'] as const

beforeEach(() => {
  for (const name of printed) vi.spyOn(console, name).mockImplementation(() => undefined)
})
afterEach(() => {
  for (const name of printed) expect(vi.mocked(console[name]).mock.calls).toEqual([])
  vi.restoreAllMocks()
})

/** Days until the store fails. */
async function* failingDays(rows: number) {
  await Promise.resolve()
  for (let index = 0; index < rows; index += 1) yield dayAt(refOf(`ep-${index}`), 0)
  throw new Error('the disk is gone')
}

const faultsIn = (lines: readonly string[]): readonly unknown[] =>
  lines.map((line) => JSON.parse(line) as unknown)

test('a route that throws is a JSON 500, one line of the log, and counted', async () => {
  await using listeners = await openedListeners(1, '', { days: () => failingDays(0) })
  const answer = await fetch(new URL('/api/v1/report?week=2026-W02', listeners.api))
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { message: 'internal error; the log of the daemon has it' },
  ])
  expect(faultsIn(listeners.lines)).toEqual([
    expect.objectContaining({
      msg: 'a request failed',
      listener: 'server.api',
      route: '/api/v1/report',
      err: expect.objectContaining({ message: 'the disk is gone' }),
    }),
  ])
  const counted = await listeners.counts('dormouse_http_requests_total')
  expect(counted).toContain('dormouse_http_requests_total{route="/api/v1/report",code="500"} 1')
})

test('an answer that fails half-way is cut: nobody takes a part for the whole', async () => {
  await using listeners = await openedListeners(1, '', { days: () => failingDays(1000) })
  const answer = await fetch(new URL('/api/v1/export?what=days&format=csv', listeners.api))
  expect(answer.status).toBe(200)
  await expect(answer.text()).rejects.toThrow('terminated')
  expect(faultsIn(listeners.lines)).toEqual([
    expect.objectContaining({ msg: 'a request failed', route: '/api/v1/export' }),
  ])
})

test.each([
  ['telemetry', '/metrics'],
  ['api', '/api/v1/computes'],
  ['api', '/api/v1/export?what=days&format=csv'],
] as const)('a client of %s that leaves in the middle of %s is no fault', async (listener, path) => {
  await using listeners = await openedListeners(100, '', {
    async *days() {
      for (let index = 0; index < 20_000; index += 1) yield dayAt(refOf(`ep-${index}`), 0)
    },
  })
  for (const isReset of [false, true]) {
    const client = await connected(listeners[listener], { isReading: false })
    client.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await askFromElsewhere(listeners.telemetry, '/-/healthy')
    if (isReset) client.socket.resetAndDestroy()
    else client.socket.destroy()
    await client.closed
    await askFromElsewhere(listeners.telemetry, '/-/healthy')
  }
  expect(listeners.lines).toEqual([])
})
