// Readings of a malicious Postgres server: whatever it sends, a reading ends, stays small, and tells nothing that cannot be.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClock } from '../../src/daemon/clock.ts'
import type { Reading, ReadingResult } from '../../src/model/observation.ts'
import { seconds } from '../../src/model/units.ts'
import { createReadings, type ReadingsOptions } from '../../src/observe/reading/readings.ts'
import { compute } from '../support/build.ts'
import { bySize, longTest } from '../support/tiers.ts'
import { attack, checkedByPromtool } from './attack.ts'
import { foreignLines } from './foreign-lines.ts'
import { MODES } from './postgres-modes.ts'
import { startHostilePostgres } from './postgres.ts'

const PASSWORD = 'canary-4711'
const never = new AbortController().signal

const optionsFor = (port: number, over: Partial<ReadingsOptions> = {}): ReadingsOptions => ({
  clock: createClock(),
  dsn: `postgresql://dormouse@127.0.0.1:${port}/{database}?sslmode=disable`,
  password: () => PASSWORD,
  hosts: ['local'],
  tls: { sslmode: 'verify-full', sslrootcert: undefined },
  authentication: ['scram-sha-256'],
  database: undefined,
  serviceUsers: [],
  deadline: seconds(0.3),
  ...over,
})

/** Bytes: a reading's limit, and what the system holds in the buffers of a connection. */
const MOST_TAKEN = 8 * 2 ** 20
/** Characters of a message: the limit, and advice. */
const LONGEST_MESSAGE = 320
/** Modes that answer a reading in which nothing is wrong. */
const PLAUSIBLE = ['honest', 'names with lines']

/** Every number of a reading, wherever it stands. */
const numbersIn = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? [value] : []
  return Object.values(value).flatMap(numbersIn)
}

function expectPlausible(reading: Reading) {
  for (const number of numbersIn(reading)) expect(number).toSatisfy(Number.isSafeInteger)
  for (const part of [reading.connections, reading.usage]) {
    const fields = 'missing' in part ? [] : Object.values(part)
    expect(fields.filter((field) => typeof field !== 'number')).toEqual([])
  }
  const last = 'missing' in reading.causes ? undefined : reading.causes.lastForeignStatement
  expect(last ?? 0).toBeLessThan(Date.now() + 60_000)
  const groups = 'missing' in reading.clients ? [] : reading.clients
  expect(groups.length).toBeLessThanOrEqual(20)
  for (const { application, user, database } of groups)
    for (const text of [application, user, database])
      expect(text).toSatisfy(() => typeof text === 'string' && Buffer.byteLength(text) <= 63)
}

const messagesIn = (result: ReadingResult): readonly string[] => {
  if (result.kind === 'failed') return [result.message]
  if (result.kind === 'at-limit') return []
  return Object.values(result.reading).flatMap((part) =>
    typeof part === 'object' && 'missing' in part ? [part.missing] : [],
  )
}

/** One mode of each kind. */
const SHORT = [
  'honest',
  'clear text',
  'clear text after SCRAM',
  'an unknown method',
  'endless zeros',
  'lines in numbers',
  'odd dates',
  'a thousand groups',
  'names with lines',
  'nested lists',
  'too many columns',
  'endless rows',
  'closes in the middle',
  'a long failure',
]

describe('a server with', () => {
  test.each(bySize(Object.keys(MODES), SHORT))('%s', async (mode) => {
    await using server = await startHostilePostgres(() => mode)
    const result = await createReadings(optionsFor(server.port)).read(compute(), 'light', never)
    if (result.kind === 'read') expectPlausible(result.reading)
    expect(PLAUSIBLE.includes(mode) && result.kind !== 'read').toBe(false)
    for (const problem of messagesIn(result)) {
      expect(problem.length).toBeLessThanOrEqual(LONGEST_MESSAGE)
      expect(problem).not.toMatch(/[\p{Cc}\u202E]/u)
    }
    expect(server.received()).not.toContain(PASSWORD)
    expect(server.received()).not.toMatch(/md5[0-9a-f]{32}/)
    expect(await server.taken()).toBeLessThan(MOST_TAKEN)
  })
})

test('a session begins with the settings that others cannot change', async () => {
  await using server = await startHostilePostgres(() => 'honest')
  await createReadings(optionsFor(server.port)).read(compute(), 'light', never)
  for (const setting of [
    'options\0-c search_path=pg_catalog -c default_transaction_read_only=on\0',
    'statement_timeout\u00002000\0',
    'lock_timeout\u0000500\0',
  ])
    expect(server.received()).toContain(setting)
})

test('a password goes in clear text or as md5 only where the operator allows it', async () => {
  for (const [mode, method] of [
    ['clear text', 'password'],
    ['md5', 'md5'],
  ] as const) {
    await using server = await startHostilePostgres(() => mode)
    const refused = await createReadings(optionsFor(server.port)).read(compute(), 'light', never)
    expect(refused).toMatchObject({
      message: expect.stringContaining('reading.authentication does not allow'),
    })
    const before = server.received().length
    await createReadings(optionsFor(server.port, { authentication: [method] })).read(
      compute(),
      'light',
      never,
    )
    expect(server.received().slice(before)).toMatch(method === 'md5' ? /md5[0-9a-f]{32}/ : PASSWORD)
  }
})

/** A server as a process of its own: what it sends without end must not hold up the test. */
async function serverOf(...mode: readonly string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'postgres.ts'), ...mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { postgres: Number(line.toString()), [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

longTest('a daemon that reads a server in each mode stays small, healthy and right', async () => {
  using honest = await serverOf('honest')
  const normal = await attack(['awake'], { seconds: 15, postgres: honest.postgres })
  using hostile = await serverOf()
  const damage = await attack(['awake'], { seconds: 15, postgres: hostile.postgres })
  console.log(
    JSON.stringify({
      normal: { ...normal, metrics: 0, logged: 0 },
      damage: { ...damage, metrics: 0, logged: 0 },
    }),
  )
  const { rss, health, stop, exit, store, log, computes, metrics, logged } = damage
  expect(normal.metrics).toMatch(/dormouse_readings_total\{result="ok"\} [1-9]/)
  expect(metrics).toMatch(/dormouse_readings_total\{result="error"\} [1-9]/)
  expect(rss).toBeLessThanOrEqual(2 * normal.rss)
  expect(health).toBeLessThanOrEqual(0.4)
  expect([exit, stop <= 10]).toEqual([0, true])
  expect([store <= 20, log <= 1]).toEqual([true, true])
  expect(computes).toBe(3)
  expect(foreignLines(metrics)).toEqual([])
  expect(checkedByPromtool(metrics)).toBe('')
  expect(logged).not.toContain('canary-')
})
