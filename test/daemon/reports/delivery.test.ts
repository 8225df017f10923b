// A report and receivers that are away for an hour: it is lost by none, and every attempt has the same key.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import { afterAll, expect, test } from 'vitest'
import { createNotifications } from '../../../src/daemon/notify/notifications.ts'
import type { Dispatcher } from '../../../src/daemon/notify/dispatcher.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { Delivery } from '../../../src/model/output/delivery.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import { seconds } from '../../../src/model/units.ts'
import { DELIVERY_DEADLINE } from '../../../src/outputs/notify/deadline.ts'
import { GOOD, load } from '../../config/loading.ts'
import { FLEETS, inputOf, told } from '../../outputs/report/fleets.ts'
import { receiver } from '../../outputs/notify/http-receiver.ts'
import { seeded } from '../../simulation/seeded.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { put, withCommit } from '../../support/writes.ts'
import { longTest } from '../../support/tiers.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-delivery-'))
afterAll(() => rmSync(folder, { recursive: true }))

const json = JSON.stringify(told(inputOf(FLEETS.busy)))
const slot = { id: '2026-W47', from: at(0), to: at(7 * 86_400), late: false }

type Kept = ReturnType<typeof memoryStore>
type Around = Parameters<typeof withCommit>[1]

type Desk = {
  readonly store: Kept
  readonly clock: ReturnType<typeof fakeClock>
  /** Whether an attempt is on its way. */
  readonly isTrying: () => boolean
  /** Whether a report is being unpacked, which a thread of its own does in real time. */
  readonly isReading: () => boolean
  /** A process of the daemon; `around` where its store is not to work. */
  readonly process: (around?: Around) => Promise<Dispatcher>
  readonly delivery: () => Promise<Delivery | undefined>
}

/** One receiver, for which a report waits. */
async function desk(sink: string, env: Record<string, string> = {}): Promise<Desk> {
  const config = load(
    `${GOOD}report: { sinks: [{ name: boss, ${sink} }] }\n`,
    Object.assign(env, { KEY: 'k' }),
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const [store, clock] = [memoryStore(), fakeClock()]
  const log = pino({ level: 'silent' })
  let [trying, reading] = [0, 0]
  const report: Kept['report'] = async (...asked) => {
    reading += 1
    try {
      return await store.report(...asked)
    } finally {
      reading -= 1
    }
  }
  const watched: Clock = {
    ...clock,
    sleep: async (span, signal) => {
      trying += span === DELIVERY_DEADLINE ? 1 : 0
      await clock.sleep(span, signal)
      trying -= span === DELIVERY_DEADLINE ? 1 : 0
    },
  }
  const machine = { clock: watched, random: seeded(3), self: createSelfMetrics(), log }
  const lanes = { all: [], snapshot: () => undefined }
  const waiting: Delivery = {
    account: 'main',
    sink: 'report/boss',
    kind: 'report',
    item: slot.id,
    topic: '',
    madeAt: clock.now(),
    attempts: 0,
    nextAt: clock.now(),
    state: 'waiting',
    lastError: undefined,
    deliveredAt: undefined,
  }
  await put(store, {
    reports: [{ account: 'main', slot, madeAt: clock.now(), json }],
    deliveries: [waiting],
  })
  return {
    store,
    clock,
    isTrying: () => trying > 0,
    isReading: () => reading > 0,
    process: async (around: Around = (_, commit) => commit()) => {
      const made = createNotifications(() => config.value, lanes, {
        ...machine,
        store: { ...withCommit(store, around), report },
      })
      await made.begin()
      return made
    },
    delivery: async () => (await store.dueDeliveries('main', 'report/boss', 1))[0],
  }
}

/** Real sockets have their turns as well. */
async function spin(isDone: () => boolean | Promise<boolean>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- until it is so
  while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs for an hour in which nothing arrives, and then, after `up`, until it has. `hangs`: its attempts end by their deadline only. */
async function awayForAnHour(
  here: Desk,
  { up, hangs }: { readonly up: () => void; readonly hangs: boolean },
): Promise<Delivery> {
  let isHanging = hangs
  const rest = (): Promise<void> => spin(() => !here.isReading() && (isHanging || !here.isTrying()))
  const deliverer = await here.process()
  const stop = new AbortController()
  const done = deliverer.run(stop.signal)
  const begun = here.clock.monotonic()
  while (here.clock.monotonic() < begun + 3600) {
    // oxlint-disable-next-line no-await-in-loop -- turn by turn
    await here.clock.advance(seconds(5))
    // oxlint-disable-next-line no-await-in-loop -- real sockets need real time: an attempt is not to be timed out by this loop
    await rest()
  }
  const waiting = await here.delivery()
  if (!waiting) throw new Error('nothing waits')
  up()
  await here.clock.advance(DELIVERY_DEADLINE)
  isHanging = false
  while (await here.delivery()) {
    // oxlint-disable-next-line no-await-in-loop -- until it arrived
    await here.clock.advance(seconds(5))
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await rest()
  }
  stop.abort()
  await done
  return waiting
}

const KEY = 'main/2026-W47/boss'

test('a webhook that takes the request and never answers gets it again, with the same key', async () => {
  await using ears = await receiver('hang')
  const here = await desk('type: webhook, url_env: URL', { URL: ears.url })
  const waiting = await awayForAnHour(here, { up: () => ears.answer(200), hangs: true })
  expect(waiting.attempts).toBeGreaterThanOrEqual(3)
  expect(waiting).toMatchObject({ state: 'waiting', lastError: 'no answer within 10 s' })
  expect(new Set(ears.heard.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([KEY]))
  expect(ears.heard.at(-1)?.body).toBe(json)
})

test('a receiver that is down gets the report once it is up', async () => {
  const gone = await receiver()
  await gone[Symbol.asyncDispose]()
  await using ears = await receiver()
  const env = { URL: gone.url }
  const here = await desk('type: webhook, url_env: URL', env)
  const waiting = await awayForAnHour(here, { up: () => Object.assign(env, { URL: ears.url }), hangs: false })
  expect(waiting).toMatchObject({ state: 'waiting', lastError: 'failed: connection refused' })
  expect(new Set(ears.heard.map(({ headers }) => headers['idempotency-key']))).toEqual(new Set([KEY]))
})

type Mail = AsyncDisposable & {
  readonly port: number
  readonly ids: readonly string[]
  up(): void
}

/** A mail server on loopback that, until it is up, greets and says nothing more, or refuses with 421. */
async function mail(fault: 'hangs' | 'refuses'): Promise<Mail> {
  const ids: string[] = []
  const sockets = new Set<Socket>()
  let isUp = false
  const real = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onData: (stream, _, done) => {
      let source = ''
      stream.on('data', (chunk: Buffer) => (source += chunk.toString()))
      stream.on('end', () => {
        ids.push(/^Message-ID: (.*)$/im.exec(source)?.[1]?.trim() ?? '')
        done()
      })
    },
  })
  const inner = real.listen(0, '127.0.0.1')
  await once(inner, 'listening')
  const front = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    if (isUp) {
      const behind = connect((inner.address() as AddressInfo).port, '127.0.0.1')
      behind.on('error', () => socket.destroy())
      socket.on('close', () => behind.destroy())
      socket.pipe(behind).pipe(socket)
    } else if (fault === 'hangs') socket.write('220 one moment\r\n')
    else socket.end('421 not now\r\n')
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    port: (front.address() as AddressInfo).port,
    ids,
    up: () => {
      isUp = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      front.close()
      await new Promise<void>((resolve) => {
        real.close(() => resolve())
      })
    },
  }
}

async function expectMailOnceUp(fault: 'hangs' | 'refuses', because: unknown): Promise<void> {
  await using box = await mail(fault)
  const here = await desk(
    `type: smtp, host: 127.0.0.1, port: ${box.port}, from: a@example.org, to: [b@example.org], insecure: true`,
  )
  const waiting = await awayForAnHour(here, { up: () => box.up(), hangs: fault === 'hangs' })
  expect(waiting).toMatchObject({ state: 'waiting', lastError: because })
  expect([...new Set(box.ids)]).toEqual([expect.stringMatching(/^<main-2026-W47-boss-\w+@dormouse>$/)])
}
longTest('a mail server that hangs after its greeting gets the report once it does not', () =>
  expectMailOnceUp('hangs', 'no answer within 10 s'),
)
test('a mail server that refuses after its greeting gets the report once it does not', () =>
  expectMailOnceUp('refuses', expect.stringContaining('(421)')))

test('a folder that cannot be written gets the file once it can', async () => {
  const place = join(folder, 'reports')
  writeFileSync(place, 'in the way')
  const here = await desk(`type: file, path: "${place}/{slot}.md"`)
  const waiting = await awayForAnHour(here, { up: () => rmSync(place), hangs: false })
  expect(waiting.state).toBe('waiting')
  expect(readdirSync(place)).toEqual(['2026-W47.md'])
})

test('a process that ends between sending and recording sends it again with the same key, and then no more', async () => {
  await using ears = await receiver()
  const here = await desk('type: webhook, url_env: URL', { URL: ears.url })
  const runUntil = async (around: Around | undefined, isOver: () => boolean) => {
    const deliverer = await here.process(around)
    const stop = new AbortController()
    const done = deliverer.run(stop.signal)
    await here.clock.advance(seconds(6))
    await spin(isOver)
    await spin(() => !here.isTrying())
    stop.abort()
    await done
  }
  let died = false
  const dying: Around = ({ deliveries }, commit) => {
    died ||= deliveries.length > 0
    return died ? Promise.reject(new Error('killed')) : commit()
  }
  await runUntil(dying, () => died)
  expect([ears.heard.length, (await here.delivery())?.attempts]).toEqual([1, 0])
  await runUntil(undefined, () => ears.heard.length === 2)
  await runUntil(undefined, () => true)
  expect(await here.delivery()).toBeUndefined()
  expect(ears.heard.map(({ headers }) => headers['idempotency-key'])).toEqual([KEY, KEY])
})
