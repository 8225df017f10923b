// The two simulated accounts: `main` behind the real client of the service, `lab` behind the service of the simulations.
import type { Reading, ReadingResult } from '../../../src/model/observation.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { bytes, instant, millis, seconds } from '../../../src/model/units.ts'
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import { createWorld, type Use, type World } from '../../simulation/world.ts'
import { idsOf, startSimulated, type Simulated } from '../../support/simulated-service.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** Days before the daemon's first pass: it backfills them. */
export const PAST_DAYS = 5

type Hours = { readonly from: number; readonly to: number; readonly pause: number }

/** Instants in these hours of each day, ms after the start; up to `pause` minutes apart. */
function daily(random: Random, days: readonly number[], { from, to, pause }: Hours): number[] {
  const instants: number[] = []
  for (const day of days)
    for (let minute = from * 60; minute < to * 60; minute += 0.2 + random.unit() * pause)
      instants.push(Math.round(day * DAY + minute * MINUTE))
  return instants
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)

/** A shop, a nightly job, a blog, a compute that never suspends, one that nobody uses, a preview that is deleted. */
export async function startMain(clock: VirtualClock, random: Random): Promise<Simulated> {
  const start = clock.now()
  const since = start - PAST_DAYS * DAY
  const active = (days: readonly number[], hours: Hours): number[] =>
    daily(random, days, hours).map((at) => start + at)
  const all = range(-PAST_DAYS, 4)
  return startSimulated({
    projects: [
      { name: 'shop', cu: 0.25, maxCu: 2, activity: active(all, { from: 7, to: 18, pause: 12 }) },
      {
        name: 'reports',
        cu: 1,
        suspendTimeoutSeconds: 60,
        activity: active(all, { from: 1, to: 3, pause: 8 }),
      },
      {
        name: 'blog',
        cu: 0.5,
        suspendTimeoutSeconds: 600,
        activity: active(all, { from: 8, to: 22, pause: 45 }),
      },
      { name: 'blog <preview>', cu: 0.25, activity: active(range(-2, 2), { from: 9, to: 12, pause: 30 }) },
      { name: 'always', cu: 0.25, suspendTimeoutSeconds: -1, activity: [since + MINUTE] },
      { name: 'nobody', cu: 1 },
    ],
    scripts: [script(start)],
    clock: { now: () => clock.now(), after: () => () => undefined, sleep: () => Promise.resolve() },
    since,
    behaviour: {
      lastActiveLag: 20,
      countersLag: 900,
      faults: {
        tooManyRequests: { next: 2, retryAfter: 2 },
        serverErrors: { next: 3, status: 503, takesEffect: false },
      },
    },
  })
}

/** A range that is used, a compute that never suspends and is restarted, and one that somebody deletes. */
function* script(start: number): Generator<SimulatedEvent> {
  const [shop, preview, always] = [idsOf(0), idsOf(3), idsOf(4)]
  yield { at: start + 10 * 60 * MINUTE, kind: 'goal', endpointId: shop.endpointId, cu: 2 }
  yield { at: start + 12 * 60 * MINUTE, kind: 'goal', endpointId: shop.endpointId, cu: 0.5 }
  yield request(start + DAY + 4 * 60 * MINUTE, always, 'restart')
  yield request(start + 2 * DAY, preview, 'delete')
}

const request = (
  at: number,
  { projectId, endpointId }: ReturnType<typeof idsOf>,
  kind: 'restart' | 'delete',
): SimulatedEvent => ({ at, kind: 'request', projectId, request: { kind, endpointId } })

/** A service that is out for half an hour, and that counts a third too much from the second day on. */
export function createLab(clock: VirtualClock, random: Random): World {
  const start = clock.now()
  const uses: readonly Use[] = [
    {
      endpointId: 'ep-train',
      delay: 300,
      range: [1, 4],
      activity: daily(random, range(0, 4), { from: 9, to: 15, pause: 10 }),
    },
    {
      endpointId: 'ep-notes',
      delay: 60,
      activity: daily(random, range(0, 4), { from: 10, to: 11, pause: 3 }),
    },
    {
      endpointId: 'ep-trial',
      delay: 300,
      activity: daily(random, range(0, 2), { from: 8, to: 9, pause: 5 }),
      deletedAt: 2 * DAY,
    },
  ]
  const countedFrom = start + DAY
  return createWorld(uses, {
    clock,
    random,
    start,
    count: (usedUntil, now) =>
      usedUntil(now) + (now > countedFrom ? 0.3 * (usedUntil(now) - usedUntil(countedFrom)) : 0),
  })
}

/** Readings of computes of `main`: who is connected depends on the compute, counters grow with its awake time. */
export function createMainReadings(service: Simulated, clock: VirtualClock): Readings {
  return {
    refusalOf: () => undefined,
    prepare: () => Promise.resolve(undefined),
    evict: () => undefined,
    read: async ({ projectId, endpointId }, kind, signal): Promise<ReadingResult> => {
      service.advance()
      const before = service.project(projectId)?.computes.find(({ id }) => id === endpointId)
      if (before?.state !== 'active')
        return { kind: 'failed', because: 'error', message: 'connection refused' }
      service.connect(endpointId, { kind: 'client', applicationName: 'dormouse', user: 'dormouse' })
      await clock.sleep(seconds(0.05), signal)
      service.advance()
      const startedAt = before.startedAt ?? clock.now()
      return {
        kind: 'read',
        reading: readingOf(kind, { startedAt, now: clock.now(), nth: Number(endpointId.slice(-1)) }),
      }
    },
  }
}

type Moment = { readonly startedAt: number; readonly now: number; readonly nth: number }

function readingOf(kind: Reading['kind'], { startedAt, now, nth }: Moment): Reading {
  const awake = Math.floor((now - startedAt) / 1000)
  const holds = nth === 4
  return {
    kind,
    postmasterStartedAt: instant(startedAt),
    serverTime: instant(now),
    maxConnections: 112,
    reservedConnections: 3,
    cacheLimit: bytes(858_783_744),
    connections: { active: nth % 2, idle: 2 + nth, idleInTransaction: holds ? 1 : 0, other: 0 },
    causes: {
      working: nth % 2,
      idleInTransaction: holds ? 1 : 0,
      replication: nth === 2 ? 1 : 0,
      subscriptions: 0,
      autovacuum: 0,
      prepared: holds ? 1 : 0,
      lastForeignStatement: instant(now - 30_000),
      longestTransaction: holds ? seconds(awake) : undefined,
    },
    clients: [
      {
        application: 'web',
        user: 'app',
        database: 'app',
        connections: 2,
        working: nth % 2,
        idleInTransaction: holds ? 1 : 0,
        lastStatement: instant(now - 30_000),
      },
      {
        application: 'worker "a"',
        user: 'jobs',
        database: 'app',
        connections: nth,
        working: 0,
        idleInTransaction: 0,
        lastStatement: instant(now - 90_000),
      },
    ],
    usage: { sessions: 10 + Math.floor(awake / 60), activeTime: millis(100 * awake) },
    cache:
      kind === 'full'
        ? {
            hits: 990 * awake,
            misses: 10 * awake,
            used: bytes(2 ** 20 * Math.min(800, awake)),
            writes: awake,
          }
        : { missing: 'a light reading' },
    workingSet:
      kind === 'full'
        ? [
            { window: seconds(300), size: bytes(2 ** 22) },
            { window: seconds(3600), size: bytes(2 ** 25) },
          ]
        : { missing: 'a light reading' },
  }
}
