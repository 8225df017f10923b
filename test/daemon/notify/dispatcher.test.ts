// Deliveries on the tables of the store, with receivers and processes that fail.
import { expect, test } from 'vitest'
import type { Dispatcher } from '../../../src/daemon/notify/dispatcher.ts'
import { MAX_QUEUED } from '../../../src/daemon/notify/event-queue.ts'
import type { Message, Sink } from '../../../src/model/output/message.ts'
import type { AccountStore } from '../../../src/model/ports/store.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { withinDeadline } from '../../../src/outputs/notify/deadline.ts'
import { seeded } from '../../simulation/seeded.ts'
import { ALL, desk, hearing, problem, subjects, type Desk } from '../support/delivery.ts'

type Committed = ReturnType<AccountStore['commit']>

/** Runs a process for so many seconds of the clock. */
async function runFor({ clock }: Desk, deliverer: Dispatcher, span: number): Promise<void> {
  const stop = new AbortController()
  const done = deliverer.run(stop.signal)
  await clock.advance(seconds(span))
  stop.abort()
  await done
}

test('an event is delivered once, and a new receiver gets only later ones', async () => {
  const here = desk()
  const [one, two]: [Message[], Message[]] = [[], []]
  const first = { name: 'one', sink: hearing(one), subscription: ALL }
  const early = here.process([first])
  await early.begin()
  await here.happened(problem(here.clock, 'a'))
  await runFor(here, early, 20)
  const both = here.process([first, { name: 'two', sink: hearing(two), subscription: ALL }])
  await both.begin()
  await here.happened(problem(here.clock, 'b'))
  await runFor(here, both, 20)
  expect([subjects(one), subjects(two)]).toEqual([['a', 'b'], ['b']])
  expect(here.counts).toEqual({ 'one delivered': 2, 'two delivered': 1 })
})

test('a key that is refused again is news for a receiver that was not sent its acceptance', async () => {
  const here = desk()
  const heard: Message[] = []
  const subscription = { ...ALL, minSeverity: 'warning', repeatAfter: seconds(14_400) } as const
  const told = here.process([{ name: 'ops', sink: hearing(heard), subscription }])
  await told.begin()
  const stop = new AbortController()
  const done = told.run(stop.signal)
  const kinds = ['key-refused', 'key-refused', 'key-accepted', 'key-refused', 'key-refused'] as const
  for (const kind of kinds) {
    await here.happened({ account: 'main', at: here.clock.now(), kind })
    await here.clock.advance(seconds(60))
  }
  expect(heard.length).toBe(2)
  const now = here.clock.now()
  const atOnce = (kind: (typeof kinds)[number], index: number) => ({
    account: 'main',
    at: instant(now + index),
    kind,
  })
  await here.happened(...['key-accepted' as const, ...kinds].map(atOnce))
  await here.clock.advance(seconds(60))
  expect(heard.length).toBe(4)
  stop.abort()
  await done
})

test('a receiver that hangs for hours delays no other, and finally gets the message with the same key', async () => {
  const here = desk()
  const heard: Message[] = []
  const tried: string[] = []
  let hangs = true
  const hanging: Sink = (message, signal) => {
    tried.push(message.key)
    return withinDeadline(
      () => (hangs ? new Promise(() => undefined) : Promise.resolve({ kind: 'delivered' })),
      here.clock,
      signal,
    )
  }
  const told = here.process([
    { name: 'hangs', sink: hanging, subscription: ALL },
    { name: 'quick', sink: hearing(heard), subscription: ALL },
  ])
  await told.begin()
  const stop = new AbortController()
  const done = told.run(stop.signal)
  for (let hour = 0; hour < 4; hour += 1) {
    const before = heard.length
    // oxlint-disable-next-line no-await-in-loop -- one hour after the other
    await here.happened(problem(here.clock, `hour ${hour}`))
    // oxlint-disable-next-line no-await-in-loop
    await here.clock.advance(seconds(6))
    expect(heard.length).toBe(before + 1)
    // oxlint-disable-next-line no-await-in-loop
    await here.clock.advance(seconds(3600))
  }
  expect(here.counts['hangs delivered']).toBeUndefined()
  hangs = false
  await here.clock.advance(seconds(3700))
  stop.abort()
  await done
  expect(here.counts['hangs delivered']).toBe(4)
  expect(new Set(tried).size).toBe(4)
})

test('a pause that a receiver asks for applies to all its deliveries', async () => {
  const here = desk()
  const heard: Message[] = []
  const busy = hearing(heard, () => ({ kind: 'retry', because: 'answered 429', after: seconds(600) }))
  const told = here.process([{ name: 'busy', sink: busy, subscription: ALL }])
  await told.begin()
  await here.happened(problem(here.clock, 'a'), problem(here.clock, 'b'), problem(here.clock, 'c'))
  await runFor(here, told, 590)
  expect(heard).toHaveLength(1)
})

test('at most a thousand deliveries wait: the oldest are dropped and counted', async () => {
  const here = desk()
  const down = hearing([], () => ({ kind: 'retry', because: 'answered 500', after: seconds(3600) }))
  const told = here.process([{ name: 'down', sink: down, subscription: ALL }])
  await told.begin()
  const events = Array.from({ length: MAX_QUEUED + 50 }, (_, index) => problem(here.clock, `n${index}`))
  await here.happened(...events)
  await runFor(here, told, 30)
  expect(here.counts['down dropped']).toBe(50)
  expect(await here.store.dueDeliveries('main', 'down', 5000)).toHaveLength(MAX_QUEUED)
})

test('a message that cannot be made holds up no other, and is given up after two days', async () => {
  const here = desk()
  const heard: Message[] = []
  const ops = here.recipient({ name: 'ops', sink: hearing(heard), subscription: ALL })
  const messageOf: typeof ops.messageOf = async (delivery) => {
    if (delivery.topic.includes('/a/')) throw new Error('it is damaged')
    return ops.messageOf(delivery)
  }
  const receivers = [{ ...ops, messageOf }]
  const told = here.changing(() => receivers)
  await told.begin()
  await here.happened(problem(here.clock, 'a'))
  await here.clock.advance(seconds(1))
  await here.happened(problem(here.clock, 'b'))
  const stop = new AbortController()
  const done = told.run(stop.signal)
  await here.clock.advance(seconds(20))
  expect(subjects(heard)).toEqual(['b'])
  await here.clock.advance(seconds(49 * 3600))
  stop.abort()
  await done
  expect(here.counts).toMatchObject({ 'ops delivered': 1, 'ops failed': 1 })
  expect(await here.store.dueDeliveries('main', 'ops', 10)).toEqual([])
})

test('a failed delivery is reported to the other receivers, a failed report of it to none', async () => {
  const here = desk()
  const heard: Message[] = []
  const never = hearing([], () => ({ kind: 'failed', because: 'answered 422' }))
  const told = here.process([
    { name: 'never', sink: never, subscription: ALL },
    { name: 'neither', sink: never, subscription: ALL },
    { name: 'ops', sink: hearing(heard), subscription: ALL },
  ])
  await told.begin()
  await here.happened(problem(here.clock, 'a'))
  await runFor(here, told, 120)
  const kinds = heard.map(({ body }) => (body as { kind: string }).kind)
  expect(kinds).toEqual(['problem', 'delivery-failed', 'delivery-failed'])
  expect(here.counts).toEqual({ 'never failed': 2, 'neither failed': 2, 'ops delivered': 3 })
})

test('a store that is full during an attempt repeats only that message, and records it later', async () => {
  const here = desk()
  const heard: Message[] = []
  let full = false
  const around = (_: unknown, commit: () => Committed): Committed =>
    full ? Promise.reject(new Error('the disk is full')) : commit()
  const sink: Sink = (message) => {
    full = heard.length === 0
    heard.push(message)
    return Promise.resolve({ kind: 'delivered' })
  }
  const told = here.process([{ name: 'ops', sink, subscription: ALL }], around)
  await told.begin()
  await here.happened(problem(here.clock, 'a'), problem(here.clock, 'b'))
  const stop = new AbortController()
  const done = told.run(stop.signal)
  await here.clock.advance(seconds(600))
  expect(heard).toHaveLength(1)
  full = false
  await here.clock.advance(seconds(10))
  stop.abort()
  await done
  expect(heard).toHaveLength(2)
  expect(await here.store.dueDeliveries('main', 'ops', 9)).toEqual([])
})

test.each(Array.from({ length: 50 }, (_, index) => index + 1))(
  'every event that was kept arrives with one key, whatever fails and whenever the process is killed: seed %i',
  async (seed) => {
    const here = desk(seed)
    const random = seeded(seed * 7919)
    const arrived: Message[] = []
    let healthy = false
    const fickle: Sink = (message, signal) => {
      const chance = healthy ? 0 : random.unit()
      // it may have arrived also where nobody says so
      if (chance < 0.6) arrived.push(message)
      if (chance < 0.4) return Promise.resolve({ kind: 'delivered' })
      if (chance < 0.5) return Promise.resolve({ kind: 'retry', because: 'failed: connection cut' })
      if (chance < 0.8)
        return Promise.resolve({ kind: 'retry', because: 'answered 429', after: seconds(chance * 100) })
      return withinDeadline(() => new Promise(() => undefined), here.clock, signal)
    }
    const recipients = [{ name: 'ops', sink: fickle, subscription: ALL }]
    await here.process(recipients).begin()
    let kept = 0
    for (let nth = 0; nth < 6; nth += 1) {
      const life = { over: false }
      const around = async (_: unknown, commit: () => Committed): Committed => {
        const dies = !healthy && random.unit() < 0.1
        if (life.over || (dies && random.unit() < 0.5)) {
          life.over = true
          throw new Error('killed')
        }
        const committed = await commit()
        if (dies) {
          life.over = true
          throw new Error('killed')
        }
        return committed
      }
      healthy = nth === 5
      const stop = new AbortController()
      const done = here.process(recipients, around).run(stop.signal)
      for (let step = 0; step < 20 && !life.over; step += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        await here.happened(problem(here.clock, `event ${(kept += 1)}`))
        // oxlint-disable-next-line no-await-in-loop
        await here.clock.advance(seconds(random.unit() * 60))
      }
      // oxlint-disable-next-line no-await-in-loop -- the longest pause
      if (healthy) await here.clock.advance(seconds(3700))
      stop.abort()
      // oxlint-disable-next-line no-await-in-loop
      await done
    }
    const keys = new Map<string, Set<string>>()
    for (const { key, text } of arrived) keys.set(text, (keys.get(text) ?? new Set()).add(key))
    expect(keys.size).toBe(kept)
    expect([...keys.values()].every(({ size }) => size === 1)).toBe(true)
    expect(await here.store.dueDeliveries('main', 'ops', 9)).toEqual([])
  },
)
