import { describe, expect, test } from 'vitest'
import type { AwakeIndicators, ClientGroup, Look, ReadingAttempt } from '../../../src/model/observation.ts'
import { bytes, millis, seconds } from '../../../src/model/units.ts'
import { at, attempt, compute, look, preset, reading } from '../../support/build.ts'
import { active, fine, folded } from './support.ts'

const read = (when: number, over: Parameters<typeof reading>[0]): ReadingAttempt =>
  attempt(when, { result: { kind: 'read', reading: reading({ serverTime: at(when), ...over }) } })
const cache = (hits: number, misses: number) => ({ hits, misses, used: bytes(hits), writes: 0 })

const COLD = { warmHits: 0, warmMisses: 0 }
const use = (sessions: number, activeTime: number) => ({ sessions, activeTime: millis(activeTime) })
const set = (size: number) => [
  { window: seconds(60), size: bytes(1) },
  { window: seconds(3600), size: bytes(size) },
]

const clientOf = (application: string): ClientGroup => ({
  application,
  user: 'app_owner',
  database: 'app',
  connections: 1,
  working: 1,
  idleInTransaction: 0,
  lastStatement: undefined,
})

/** Causes of a reading that saw somebody at work. */
const working: AwakeIndicators = {
  working: 1,
  idleInTransaction: 0,
  replication: 0,
  subscriptions: 0,
  autovacuum: 0,
  prepared: 0,
  lastForeignStatement: undefined,
  longestTransaction: undefined,
}

const idle = (count: number) => ({ active: 0, idle: count, idleInTransaction: 0, other: 0 })
const suspended = (when: number, suspendedAt: number, started = -60): Look =>
  look(when, { state: 'idle', startedAt: at(started), suspendedAt: at(suspendedAt) })

describe('readings', () => {
  test('use is what grew between readings of one incarnation, without our own sessions', () => {
    const rolled = folded(
      { readings: [read(10, { usage: use(100, 0) })] },
      { readings: [attempt(20, { result: { kind: 'failed', because: 'error', message: 'no route' } })] },
      { readings: [read(70, { usage: use(109, 30_000) })] },
      { readings: [read(130, { usage: use(111, 40_000) })] },
      { readings: [read(190, { usage: use(3, 1000), postmasterStartedAt: at(140) })] },
    )
    expect(rolled.state.fine?.use).toEqual({ arrivals: 9 - 2 + 2 - 1, activeTime: 40_000, over: 120_000 })
  })

  test('the longest transaction and the largest working set are kept', () => {
    const readings = [
      read(1, { causes: { ...working, longestTransaction: seconds(5) }, workingSet: set(700) }),
      read(2, { causes: { ...working, longestTransaction: seconds(80) }, workingSet: set(900) }),
      read(3, { causes: { missing: 'privilege' }, workingSet: { missing: 'no view' } }),
    ]
    expect(folded({ readings }).state.fine).toMatchObject({ longestTransaction: 80, workingSet: 900 })
  })

  test('connections are kept as least, most and sum, each state for itself', () => {
    const seen = [1, 7, 4].map((busy, index) =>
      read(index, { connections: { active: busy, idle: 10 - busy, idleInTransaction: 0, other: 0 } }),
    )
    const missing = read(9, { connections: { missing: 'privilege' } })
    expect(folded({ readings: [...seen, missing] }).state.fine).toMatchObject({
      readings: 4,
      connections: {
        count: 3,
        all: { sum: 30, max: 10 },
        active: { sum: 12, max: 7 },
        idle: { sum: 18, max: 9 },
        idleInTransaction: { sum: 0, max: 0 },
        other: { sum: 0, max: 0 },
      },
    })
  })

  test('a refusal for want of a connection counts all that clients may have', () => {
    const { fine: open } = folded({ readings: [attempt(5, { result: { kind: 'at-limit' } })] }).state
    const max = preset.maxConnections(compute().sizing)
    expect(open?.connections).toMatchObject({ count: 1, all: { max }, other: { sum: max, max } })
    expect(open?.readings).toBe(0)
  })

  test('cache counters count within one incarnation, from 0 after a start, and never backwards', () => {
    const later = at(1000)
    const steps = [
      read(100, { cache: cache(50, 5) }),
      read(160, { cache: cache(80, 6) }),
      read(170, { cache: { missing: 'no view' } }),
      read(200, { cache: cache(10, 0) }),
      read(230, { cache: cache(40, 0) }),
      read(1060, { postmasterStartedAt: later, cache: cache(7, 7) }),
    ].map((one) => ({ readings: [one] }))
    const rolled = folded(...steps)
    expect(rolled.closed[0]?.cache).toEqual({ ...COLD, hits: 80 + 30, misses: 6, over: 160_000 + 30_000 })
    expect(rolled.closed[0]?.cacheUsed).toBe(80)
    expect(rolled.state.fine?.cache).toEqual({ ...COLD, hits: 7, misses: 7, over: 60_000 })
    expect(rolled.state.coarse?.cache).toEqual({ ...COLD, hits: 117, misses: 13, over: 250_000 })
  })

  test('hits and misses after the warm-up of the server are apart: what began before it is not warm', () => {
    const steps = [
      read(500, { cache: cache(50, 50) }),
      read(650, { cache: cache(80, 60) }),
      read(800, { cache: cache(180, 61) }),
      read(860, { cache: cache(200, 62) }),
    ].map((one) => ({ readings: [one] }))
    expect(folded(...steps).state.coarse?.cache).toEqual({
      hits: 200,
      misses: 62,
      warmHits: 120,
      warmMisses: 2,
      over: 860_000,
    })
  })

  test('the cache limit is that of the reading with the largest use, the connection limit the fewest', () => {
    const readings = [
      read(1, { cache: cache(10, 0), cacheLimit: bytes(100), maxConnections: 450 }),
      read(2, { cache: cache(90, 0), cacheLimit: bytes(100), maxConnections: 112 }),
      read(3, { cache: cache(60, 0), cacheLimit: bytes(400), maxConnections: 450 }),
      read(4, { cache: { missing: 'no view' }, cacheLimit: bytes(800) }),
    ]
    expect(folded({ readings }).state.fine).toMatchObject({
      cacheUsed: 90,
      cacheLimit: 100,
      connectionLimit: 109,
    })
  })

  test('idle connections count at the last reading before each suspension', () => {
    const rolled = folded(
      { looks: [active(0)], readings: [read(10, { connections: idle(3) })] },
      { looks: [active(60)], readings: [read(70, { connections: idle(5) })] },
      { looks: [suspended(120, 100)] },
      { looks: [active(180, { startedAt: at(150), suspendedAt: at(100) })] },
      { looks: [suspended(240, 200, 150)] },
      {
        looks: [active(260, { startedAt: at(250), suspendedAt: at(200) })],
        readings: [read(261, { connections: idle(1) })],
      },
      { looks: [suspended(299, 290, 250)] },
    )
    // nobody read it in its second interval
    expect(rolled.state.fine?.idleAtSuspension).toEqual({ count: 2, sum: 6, max: 5 })
  })

  test('culprits are the five who held it most', () => {
    const names = ['web', 'web', 'cron', 'a', 'b', 'c', 'd', 'web', 'cron', '']
    const steps = names.map((name, index) => read(index + 1, { causes: working, clients: [clientOf(name)] }))
    const rolled = folded({ looks: [active(0)], readings: steps }, { looks: [active(301)] })
    expect(fine(rolled)[0]?.culprits).toEqual([
      { culprit: 'clients/web/app_owner/app', share: 0.3 },
      { culprit: 'clients/cron/app_owner/app', share: 0.2 },
      { culprit: 'clients//app_owner/app', share: 0.1 },
      { culprit: 'clients/a/app_owner/app', share: 0.1 },
      { culprit: 'clients/b/app_owner/app', share: 0.1 },
    ])
  })

  test('of a crowd stay bounded', () => {
    const readings = Array.from({ length: 250 }, (_, index) =>
      read(index + 1, { causes: working, clients: [clientOf(`worker-${index}`)] }),
    )
    expect(Object.keys(folded({ readings }).state.fine?.attribution ?? {})).toHaveLength(16)
  })
})
