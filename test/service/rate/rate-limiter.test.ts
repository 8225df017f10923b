import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../../support/fake-clock.ts'
import { seconds } from '../../../src/model/units.ts'
import type { Priority } from '../../../src/model/ports/service.ts'
import {
  createRateLimiter,
  type Admission,
  type RateLimiter,
} from '../../../src/service/rate/rate-limiter.ts'

const running = new AbortController().signal

const random = { unit: () => 0.5, uuid: () => '' }
const patient = { route: 'list', priority: 'poll', patient: true } as const
const impatient = { ...patient, patient: false }

/** The names of `passages` that are through, in order. */
function order(passages: Record<string, Promise<{ readonly kind: string }>>): string[] {
  const through: string[] = []
  for (const [name, passage] of Object.entries(passages))
    void (async () => {
      const { kind } = await passage
      through.push(`${name} ${kind}`)
    })()
  return through
}

/** A turnstile whose burst is spent. */
async function busy(requestsPerMinute: number, start?: string) {
  const clock = fakeClock(start)
  const turnstile = createRateLimiter({ clock, random }, { requestsPerMinute })
  await Promise.all(Array.from({ length: 10 }, () => turnstile.admit(patient, running)))
  return { clock, turnstile }
}

test('lets the burst pass and the others one by one in order of asking', async () => {
  const { clock, turnstile } = await busy(60)
  const through = order({ a: turnstile.admit(patient, running), b: turnstile.admit(impatient, running) })
  await clock.advance(seconds(0.9))
  expect(through).toEqual([])
  await clock.advance(seconds(0.1))
  expect(through).toEqual(['a go'])
  await clock.advance(seconds(1))
  expect(through).toEqual(['a go', 'b go'])
})

test('lets the urgent go first, also those that come later', async () => {
  const { clock, turnstile } = await busy(60)
  const as = (priority: Priority): Promise<Admission> => turnstile.admit({ ...patient, priority }, running)
  const through = order({ report: as('report'), poll: as('poll') })
  await clock.advance(seconds(0.5))
  const later = order({ apply: as('apply'), verify: as('verify') })
  await clock.advance(seconds(0.5))
  expect([later, through]).toEqual([['verify go'], []])
  await clock.advance(seconds(1))
  expect([later, through]).toEqual([['verify go', 'apply go'], []])
  await clock.advance(seconds(2))
  expect(through).toEqual(['poll go', 'report go'])
})

test('says how long each waited', async () => {
  const { clock, turnstile } = await busy(60)
  const both = [turnstile.admit(patient, running), turnstile.admit(patient, running)]
  await clock.advance(seconds(2))
  expect(await Promise.all(both)).toEqual([
    { kind: 'go', waited: 1 },
    { kind: 'go', waited: 2 },
  ])
})

test('lets nobody wait for one that was stopped, and stops it where it stands', async () => {
  const { clock, turnstile } = await busy(60)
  const stop = new AbortController()
  const through = order({
    head: turnstile.admit(patient, running),
    queued: turnstile.admit(patient, stop.signal),
    last: turnstile.admit(patient, running),
  })
  stop.abort()
  await clock.advance(seconds(0))
  expect(through).toEqual(['queued stopped'])
  await clock.advance(seconds(2))
  expect(through).toEqual(['queued stopped', 'head go', 'last go'])
  expect(await turnstile.admit(patient, stop.signal)).toEqual({ kind: 'stopped' })
})

test('waits for nothing when the last one that waited was stopped', async () => {
  const clock = fakeClock()
  const waits: AbortSignal[] = []
  const watched = {
    ...clock,
    sleep: (span: Parameters<typeof clock.sleep>[0], signal: AbortSignal) => {
      waits.push(signal)
      return clock.sleep(span, signal)
    },
  }
  const turnstile = createRateLimiter({ clock: watched, random }, { requestsPerMinute: 60 })
  await Promise.all(Array.from({ length: 10 }, () => turnstile.admit(patient, running)))
  const stop = new AbortController()
  const queued = turnstile.admit(patient, stop.signal)
  stop.abort()
  expect(await queued).toEqual({ kind: 'stopped' })
  expect(waits.map(({ aborted }) => aborted)).toEqual([true])
})

describe('after a 429', () => {
  test('the patient wait, also those already queued, and the others are turned away', async () => {
    const { clock, turnstile } = await busy(6000, '2026-01-05T00:00:00Z')
    const through = order({
      queued: turnstile.admit(patient, running),
      hasty: turnstile.admit(impatient, running),
    })
    turnstile.throttle('list', clock.monotonic(), seconds(60))
    await clock.advance(seconds(59))
    expect(through).toEqual(['hasty limited'])
    await clock.advance(seconds(2))
    expect(through).toEqual(['hasty limited', 'queued go'])
    turnstile.throttle('list', clock.monotonic(), seconds(30))
    expect(await turnstile.admit(impatient, running)).toEqual({
      kind: 'limited',
      until: Date.parse('2026-01-05T00:01:31Z'),
    })
  })

  test('with a pause of over a minute even the patient are turned away', async () => {
    const { clock, turnstile } = await busy(60, '2026-01-05T00:00:00Z')
    turnstile.throttle('list', clock.monotonic(), seconds(61))
    expect(await turnstile.admit(patient, running)).toEqual({
      kind: 'limited',
      until: Date.parse('2026-01-05T00:01:01Z'),
    })
  })

  test('of one route the others go on, past those who wait for it', async () => {
    const { clock, turnstile } = await busy(60)
    turnstile.throttle('list', clock.monotonic(), seconds(30))
    const through = order({
      list: turnstile.admit({ ...patient, priority: 'verify' }, running),
      other: turnstile.admit({ ...patient, route: 'other' }, running),
    })
    await clock.advance(seconds(1))
    expect(through).toEqual(['other go'])
    expect([turnstile.share('list'), turnstile.share('other')]).toEqual([expect.closeTo(0.5, 2), 1])
    await clock.advance(seconds(30))
    expect(through).toEqual(['other go', 'list go'])
  })

  test.each([
    [0, 0.4],
    [0.999, 0.6],
  ])('the rate is about halved: chance %d leaves %d', async (unit, share) => {
    const clock = fakeClock()
    const turnstile = createRateLimiter(
      { clock, random: { ...random, unit: () => unit } },
      { requestsPerMinute: 60 },
    )
    turnstile.throttle('list', clock.monotonic(), seconds(1))
    expect(turnstile.share('list')).toBeCloseTo(share, 2)
  })
})

type Ask = {
  readonly after: number
  readonly priority: Priority
  readonly route: string
  readonly limit: boolean
}

/** Asks at the times of `asks`; returns when each went, by its index. */
async function departures(
  turnstile: RateLimiter,
  clock: ReturnType<typeof fakeClock>,
  asks: readonly Ask[],
): Promise<Map<number, number>> {
  const went = new Map<number, number>()
  for (const [index, { after, priority, route, limit }] of asks.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- time passes between them
    await clock.advance(seconds(after))
    if (limit) turnstile.throttle(route, clock.monotonic(), seconds(3))
    const passage = turnstile.admit({ route, priority, patient: true }, running)
    void passage.then(({ kind }) => kind === 'go' && went.set(index, clock.monotonic()))
  }
  await clock.advance(seconds(4000))
  return went
}

test('whoever asks goes in the end, never faster than the rate and its burst', async () => {
  const ask = fc.record({
    after: fc.integer({ min: 0, max: 30 }).map((tenths) => tenths / 10),
    priority: fc.constantFrom<Priority>('verify', 'apply', 'poll', 'report'),
    route: fc.constantFrom('a', 'b', 'c'),
    limit: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(ask, { maxLength: 40 }),
      fc.integer({ min: 10, max: 300 }),
      async (asks, rate) => {
        const clock = fakeClock()
        const went = await departures(
          createRateLimiter({ clock, random }, { requestsPerMinute: rate }),
          clock,
          asks,
        )
        expect(went.size).toBe(asks.length)
        const times = [...went.values()].toSorted((a, b) => a - b)
        const excess = times.flatMap((from, first) =>
          times.slice(first).map((to, count) => count + 1 - 10 - ((to - from) * rate) / 60),
        )
        expect(Math.max(0, ...excess)).toBeLessThan(0.01)
      },
    ),
    { seed: Number(process.env['PROPERTY_SEED'] ?? 7), numRuns: 60 },
  )
})
