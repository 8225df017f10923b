import { expect, test } from 'vitest'
import { fakeClock } from '../support/fake-clock.ts'
import { seconds } from '../../src/model/units.ts'
import { createTurnstile } from '../../src/service/turnstile.ts'

const running = new AbortController().signal

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

test('lets the burst pass and the others one by one in order of asking', async () => {
  const clock = fakeClock()
  const turnstile = createTurnstile(clock, 60)
  const burst = Array.from({ length: 10 }, () => turnstile.pass(true, running))
  const through = order({ a: turnstile.pass(true, running), b: turnstile.pass(false, running) })
  await Promise.all(burst)
  expect(through).toEqual([])
  await clock.advance(seconds(1))
  expect(through).toEqual(['a go'])
  await clock.advance(seconds(1))
  expect(through).toEqual(['a go', 'b go'])
})

test('lets nobody wait for one that was stopped, and stops it where it stands', async () => {
  const clock = fakeClock()
  const turnstile = createTurnstile(clock, 60)
  await Promise.all(Array.from({ length: 10 }, () => turnstile.pass(true, running)))
  const stop = new AbortController()
  const through = order({
    head: turnstile.pass(true, running),
    queued: turnstile.pass(true, stop.signal),
    last: turnstile.pass(true, running),
  })
  stop.abort()
  await clock.advance(seconds(0))
  expect(through).toEqual(['queued stopped'])
  await clock.advance(seconds(2))
  expect(through).toEqual(['queued stopped', 'head go', 'last go'])
  expect(await turnstile.pass(true, stop.signal)).toEqual({ kind: 'stopped' })
})

test('after a 429 the patient wait, also those already queued, and the others are turned away', async () => {
  const clock = fakeClock('2026-01-05T00:00:00Z')
  const turnstile = createTurnstile(clock, 6000)
  await Promise.all(Array.from({ length: 10 }, () => turnstile.pass(true, running)))
  const through = order({ queued: turnstile.pass(true, running) })
  turnstile.limit(clock.monotonic(), seconds(60))
  expect(await kindOf(turnstile.pass(true, AbortSignal.abort()))).toBe('stopped')
  await clock.advance(seconds(59))
  expect(through).toEqual([])
  await clock.advance(seconds(2))
  expect(through).toEqual(['queued go'])
  turnstile.limit(clock.monotonic(), seconds(30))
  expect(await turnstile.pass(false, running)).toEqual({
    kind: 'limited',
    until: Date.parse('2026-01-05T00:01:31Z'),
  })
})

test('turns even the patient away from a pause of over a minute', async () => {
  const clock = fakeClock('2026-01-05T00:00:00Z')
  const turnstile = createTurnstile(clock, 60)
  turnstile.limit(clock.monotonic(), seconds(61))
  expect(await turnstile.pass(true, running)).toEqual({
    kind: 'limited',
    until: Date.parse('2026-01-05T00:01:01Z'),
  })
})

const kindOf = async (passage: Promise<{ readonly kind: string }>): Promise<string> => (await passage).kind
