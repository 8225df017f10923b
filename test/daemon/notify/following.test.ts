// Receivers that come, change and go while the daemon tells them.
import { expect, test } from 'vitest'
import type { Message, DeliveryOutcome, Sink } from '../../../src/model/output/message.ts'
import type { withCommit } from '../../support/writes.ts'
import { seconds } from '../../../src/model/units.ts'
import { ALL, desk, hearing, problem, subjects } from '../support/delivery.ts'

/** A daemon that runs, and whose receivers can be set. */
async function running(names: readonly string[], sinks: Readonly<Record<string, Sink>>, commit?: Commit) {
  const here = desk()
  const made = (name: string, sink = sinks[name]) => {
    if (!sink) throw new Error(`no sink ${name}`)
    return here.recipient({ name, sink, subscription: ALL })
  }
  let recipients = names.map((name) => made(name))
  const told = here.changing(() => recipients, commit)
  await told.begin()
  const stop = new AbortController()
  const done = told.run(stop.signal)
  return {
    ...here,
    made,
    happened: (where: string) => here.happened(problem(here.clock, where)),
    wait: (span: number) => here.clock.advance(seconds(span)),
    /** Those that go on are the same objects. */
    follow: (next: readonly ReturnType<typeof made>[]) => {
      recipients = [...next]
      return told.follow()
    },
    now: () => recipients,
    stop: async () => {
      stop.abort()
      await done
    },
  }
}

type Commit = Parameters<typeof withCommit>[1]

/** Attempts that end when they are told to. */
function gate() {
  const heard: Message[] = []
  const ends: ((outcome: DeliveryOutcome) => void)[] = []
  const sink: Sink = (message) => {
    heard.push(message)
    return new Promise((resolve) => ends.push(resolve))
  }
  return {
    sink,
    heard,
    end: (outcome: DeliveryOutcome) => {
      const end = ends.shift()
      if (!end) throw new Error('no attempt is under way')
      end(outcome)
    },
  }
}

const DELIVERED: DeliveryOutcome = { kind: 'delivered' }
const AGAIN: DeliveryOutcome = { kind: 'retry', because: 'answered 500' }

test('an added receiver gets later events, a removed one none', async () => {
  const [old, fresh]: [Message[], Message[]] = [[], []]
  const here = await running(['old'], { old: hearing(old), fresh: hearing(fresh) })
  await here.happened('a')
  await here.wait(10)
  await here.follow([here.made('fresh')])
  await here.happened('b')
  await here.wait(10)
  await here.follow([...here.now(), here.made('old')])
  await here.happened('c')
  await here.wait(10)
  await here.stop()
  expect([subjects(old), subjects(fresh)]).toEqual([
    ['a', 'c'],
    ['b', 'c'],
  ])
  expect(here.counts).toEqual({ 'old delivered': 2, 'fresh delivered': 2, 'old left': 1 })
})

test('deliveries of a removed receiver are dropped and counted, after the current attempt is recorded', async () => {
  const slow = gate()
  const here = await running(['slow'], { slow: slow.sink })
  await here.happened('a')
  await here.happened('b')
  await here.wait(6)
  await here.follow([])
  await here.wait(60)
  expect(await here.store.dueDeliveries('main', 'slow', 9)).toHaveLength(2)
  slow.end(DELIVERED)
  await here.wait(1)
  expect(here.counts).toEqual({ 'slow delivered': 1, 'slow dropped': 1, 'slow left': 1 })
  expect(await here.store.dueDeliveries('main', 'slow', 9)).toEqual([])
  expect(await here.store.receivers('main')).toEqual([])
  await here.stop()
  expect(subjects(slow.heard)).toEqual(['a'])
})

test('a changed receiver waits for the current attempt and sends the rest', async () => {
  for (const [outcome, expected] of [
    [DELIVERED, ['b']],
    [AGAIN, ['b', 'a']],
  ] as const) {
    const before = gate()
    const after: Message[] = []
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const here = await running(['ops'], { ops: before.sink })
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.happened('a')
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.happened('b')
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.wait(6)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.follow([here.made('ops', hearing(after))])
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.wait(6)
    expect(after).toEqual([])
    before.end(outcome)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.wait(120)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    await here.stop()
    expect([subjects(before.heard), subjects(after)]).toEqual([['a'], expected])
    expect(here.counts['ops left']).toBeUndefined()
  }
})

test('an unrecorded delivery is recorded before the next worker starts: nothing is sent twice', async () => {
  const [before, after]: [Message[], Message[]] = [[], []]
  let isFull = false
  const here = await running(
    ['ops'],
    { ops: hearing(before, () => ((isFull = true), DELIVERED)) },
    (_, commit) => (isFull ? Promise.reject(new Error('the disk is full')) : commit()),
  )
  await here.happened('a')
  await here.wait(6)
  await here.follow([here.made('ops', hearing(after))])
  await here.wait(60)
  expect(subjects(after)).toEqual([])
  isFull = false
  await here.wait(6)
  await here.happened('b')
  await here.wait(6)
  await here.stop()
  expect([subjects(before), subjects(after)]).toEqual([['a'], ['b']])
})

test('an unchanged receiver keeps its worker', async () => {
  const slow = gate()
  const here = await running(['slow'], { slow: slow.sink, other: hearing([]) })
  await here.happened('a')
  await here.wait(6)
  await here.follow([...here.now(), here.made('other')])
  await here.follow(here.now().slice(0, 1))
  slow.end(DELIVERED)
  await here.happened('b')
  await here.wait(6)
  slow.end(DELIVERED)
  await here.stop()
  expect(subjects(slow.heard)).toEqual(['a', 'b'])
})

test('deliveries of a receiver removed by a restart are dropped, and a later one of that name is new', async () => {
  const here = desk()
  const down = here.recipient({ name: 'down', sink: hearing([], () => AGAIN), subscription: ALL })
  const run = async (recipients: readonly (typeof down)[]): Promise<void> => {
    const told = here.changing(() => recipients)
    await told.begin()
    const stop = new AbortController()
    const done = told.run(stop.signal)
    await here.happened(problem(here.clock, 'a'))
    await here.clock.advance(seconds(10))
    stop.abort()
    await done
  }
  await run([down])
  expect(await here.store.dueDeliveries('main', 'down', 9)).toHaveLength(1)
  await run([])
  expect([await here.store.dueDeliveries('main', 'down', 9), here.counts['down dropped']]).toEqual([[], 1])
  const heard: Message[] = []
  await run([here.recipient({ name: 'down', sink: hearing(heard), subscription: ALL })])
  expect(heard).toHaveLength(1)
})

test('receivers changed before the first delivery are the ones that get it', async () => {
  const here = desk()
  const [old, fresh]: [Message[], Message[]] = [[], []]
  let recipients = [here.recipient({ name: 'old', sink: hearing(old), subscription: ALL })]
  const told = here.changing(() => recipients)
  await told.begin()
  await here.happened(problem(here.clock, 'a'))
  recipients = [here.recipient({ name: 'fresh', sink: hearing(fresh), subscription: ALL })]
  await told.follow()
  await here.happened(problem(here.clock, 'b'))
  const stop = new AbortController()
  const done = told.run(stop.signal)
  await here.clock.advance(seconds(10))
  stop.abort()
  await done
  expect([subjects(old), subjects(fresh)]).toEqual([[], ['b']])
  expect(await here.store.receivers('main')).toEqual(['fresh'])
})
