// The rate against a service that limits an account whose other users take most of it: how much is refused, how much gets through.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../support/property.ts'
import { seconds } from '../../src/model/units.ts'
import { newRateLimits, applyRefusal, recordRequest, waitForRoute } from '../../src/service/rate/limits.ts'

type World = {
  /** Requests a minute that others make, spread evenly, until `until`. */
  readonly others: number
  readonly until: number
  /** How long an answer takes. */
  readonly latency: number
  readonly routes: readonly string[]
  /** What chance leaves of a rate after a 429. */
  readonly factor: number
  /** Whether the service says how long to wait. */
  readonly names: boolean
}

/** Of the account, over all its users. Source: service-facts.md, "Errors, retries, rates". */
const PER_MINUTE = 700
const LENGTH = 1800

type Sent = { readonly at: number; readonly refused: boolean }

/** Requests of the others in the minute before `now`. */
const theirs = ({ others, until }: World, now: number): number =>
  (others / 60) * Math.max(0, Math.min(60, until - (now - 60)))

/** One request after the other for half an hour, as fast as the limits allow, on each route in turn. */
function requests(world: World): Sent[] {
  let limits = newRateLimits(350, seconds(0))
  let now: number = 0
  const sent: Sent[] = []
  const accepted: number[] = []
  let oldest = 0
  while (now < LENGTH) {
    const turn = world.routes.map(
      (_, index) => world.routes[(sent.length + index) % world.routes.length] ?? '',
    )
    const waits = turn.map((route) => waitForRoute(limits, route, seconds(now)))
    const route = turn[waits.findIndex((wait) => wait === 0)]
    if (route === undefined) {
      now += Math.min(...waits)
      continue
    }
    limits = recordRequest(limits, route, seconds(now))
    while ((accepted[oldest] ?? Infinity) <= now - 60) oldest += 1
    const isRefused = accepted.length - oldest + theirs(world, now) >= PER_MINUTE
    sent.push({ at: now, refused: isRefused })
    if (!isRefused) accepted.push(now)
    const pause = world.names ? Math.ceil((accepted[oldest] ?? now) + 60 - now) : 2
    const told = { route, sentAt: seconds(now), pause: seconds(pause), factor: world.factor }
    now += world.latency
    if (isRefused) limits = applyRefusal(limits, told, seconds(now))
  }
  return sent
}

const between = (sent: readonly Sent[], from: number, to: number): Sent[] =>
  sent.filter(({ at }) => at >= from && at < to)
const perMinute = (sent: readonly Sent[], from: number, to: number): number =>
  (between(sent, from, to).filter((one) => !one.refused).length * 60) / (to - from)

const refusedShare = (sent: readonly Sent[]): number => sent.filter((one) => one.refused).length / sent.length

const quiet: World = { others: 0, until: 0, latency: 0.1, routes: ['a', 'b', 'c'], factor: 0.5, names: true }
const busy: World = { ...quiet, others: 600, until: LENGTH }

describe('an account of 700 requests a minute', () => {
  test('that nobody else uses refuses nothing', () => {
    const sent = requests(quiet)
    expect(refusedShare(sent)).toBe(0)
    expect(perMinute(sent, 60, LENGTH)).toBeGreaterThan(340)
  })

  test.each<[string, Partial<World>]>([
    ['one route', { routes: ['a'] }],
    ['three routes', {}],
    ['eight routes', { routes: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }],
    ['answers that take long', { latency: 0.3 }],
    ['answers that do not say how long to wait', { names: false }],
  ])('of which others use 600 gives most of the rest, and refuses little: %s', (_, change) => {
    const sent = requests({ ...busy, ...change })
    expect(refusedShare(sent)).toBeLessThan(0.03)
    expect(perMinute(sent, 120, LENGTH)).toBeGreaterThan(75)
  })

  test('gives everything again twenty minutes after the others have gone: half the rate comes back in ten', () => {
    const sent = requests({ ...busy, until: 500 })
    expect(perMinute(sent, 300, 500)).toBeLessThan(110)
    expect(perMinute(sent, 1700, LENGTH)).toBeGreaterThan(340)
  })

  test('gives at least half of what is left, and refuses at most a twentieth, whatever the others do', () => {
    const world = fc.record({
      others: fc.integer({ min: 350, max: 600 }),
      until: fc.constant(LENGTH),
      latency: fc.constantFrom(0.02, 0.1),
      routes: fc.constantFrom(['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']),
      factor: fc.double({ min: 0.4, max: 0.6, noNaN: true }),
      names: fc.boolean(),
    })
    check(
      fc.property(world, (one) => {
        const sent = requests(one)
        expect(refusedShare(sent)).toBeLessThan(0.05)
        expect(perMinute(sent, 120, LENGTH)).toBeGreaterThan(0.5 * Math.min(350, PER_MINUTE - one.others))
      }),
      40,
    )
  })
})
