import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rolledUp, type NewOfCompute, type RolledUp } from '../../src/account/rollup/rollup.ts'
import type { ClientGroup, Look, ReadingAttempt } from '../../src/model/observation.ts'
import { COARSE, FINE, NO_ROLLUPS, type Rollup, type RollupState } from '../../src/model/rollup.ts'
import { createPreset } from '../../src/model/sizes.ts'
import { bytes, cu, type Instant } from '../../src/model/units.ts'
import { at, attempt, look, reading } from '../support/build.ts'
import { check } from '../support/property.ts'

const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

const nothing: NewOfCompute = {
  ref,
  before: undefined,
  readBefore: undefined,
  looks: [],
  readings: [],
  limit: 100,
  isGone: false,
  preset: createPreset('interface'),
}

type Step = { readonly looks?: readonly Look[]; readonly readings?: readonly ReadingAttempt[] }

/** Each step folded into what the one before left, through the text that a store keeps. */
function folded(...steps: readonly Step[]): RolledUp {
  let state: RollupState = NO_ROLLUPS
  let before: NewOfCompute['before']
  let readBefore: Instant | undefined
  const closed: Rollup[] = []
  for (const { looks = [], readings = [] } of steps) {
    const rolled = rolledUp(state, { ...nothing, before, readBefore, looks, readings })
    state = { ...NO_ROLLUPS, ...(JSON.parse(JSON.stringify(rolled.state)) as Partial<RollupState>) }
    const last = looks.at(-1)
    before = last ? { compute: last.compute, at: last.answeredAt } : before
    readBefore = readings.at(-1)?.disconnectedAt ?? readBefore
    closed.push(...rolled.closed)
  }
  return { state, closed }
}

const active = (when: number, over: Partial<Look['compute']> = {}): Look =>
  look(when, { state: 'active', startedAt: at(-60), ...over })
const fine = ({ closed }: RolledUp): readonly Rollup[] => closed.filter(({ length }) => length === FINE)
const coarse = ({ closed }: RolledUp): readonly Rollup[] => closed.filter(({ length }) => length === COARSE)
const timesOf = (rollups: readonly Rollup[]) => rollups.map(({ from, time }) => [(from - at(0)) / 1000, time])

describe('time', () => {
  test('is put into the stretches it covers', () => {
    const rolled = folded({ looks: [active(120)] }, { looks: [active(610)] })
    expect(timesOf(fine(rolled))).toEqual([
      [0, { init: 0, active: 180_000, idle: 0 }],
      [300, { init: 0, active: 300_000, idle: 0 }],
    ])
    expect(rolled.state.fine).toMatchObject({ from: at(600), time: { active: 10_000 } })
    expect(rolled.state.coarse).toMatchObject({ from: at(0), time: { active: 490_000 } })
  })

  test('asleep before a wake belongs to the stretch of the wake, however many looks saw it', () => {
    const asleep = [0, 60, 120, 180].map((when) => ({ looks: [look(3600 + when)] }))
    const rolled = folded(...asleep, { looks: [active(3900 + 60, { startedAt: at(3900 + 30) })] })
    expect(rolled.closed).toEqual([])
    expect(rolled.state.fine?.time).toEqual({ init: 0, active: 30_000, idle: 30_000 })
    expect(rolled.state.coarse?.time).toEqual({ init: 0, active: 30_000, idle: 330_000 })
  })

  test('asleep after a suspension closes the stretch, and then leaves nothing', () => {
    const suspended = { state: 'idle', startedAt: at(-60), suspendedAt: at(30) } as const
    const times = Array.from({ length: 200 }, (_, index) => 60 * (index + 1))
    const rolled = folded(
      { looks: [active(0)] },
      ...times.map((when) => ({ looks: [look(when, suspended)] })),
    )
    expect(timesOf(rolled.closed)).toEqual([
      [0, { init: 0, active: 30_000, idle: 270_000 }],
      [0, { init: 0, active: 30_000, idle: 3_570_000 }],
    ])
    expect(rolled.state).toMatchObject({ fine: undefined, coarse: undefined })
  })

  test('of a compute that is gone ends with it', () => {
    const { state, closed } = rolledUp(folded({ looks: [active(0)] }, { looks: [active(60)] }).state, {
      ...nothing,
      isGone: true,
    })
    expect(closed.map(({ length, time }) => [length, time.active])).toEqual([
      [FINE, 60_000],
      [COARSE, 60_000],
    ])
    expect(state).toMatchObject({ fine: undefined, coarse: undefined, asleep: undefined })
  })

  test('goes on after a clock that was a year ahead', () => {
    const year = 365 * 86_400
    const rolled = folded({ looks: [active(year)] }, { looks: [active(0)] }, { looks: [active(310)] })
    expect(timesOf(rolled.closed)).toEqual([[0, { init: 0, active: 300_000, idle: 0 }]])
  })
})

describe('size', () => {
  test('is the fixed one at each look awake', () => {
    const rolled = folded(
      { looks: [active(0)] },
      { looks: [active(60), active(120, { sizing: { fixed: cu(2) } })] },
    )
    expect(rolled.state.fine?.size).toEqual({ count: 3, sum: 4, min: 1, max: 2, source: 'fixed' })
  })

  test('in a range is what readings tell', () => {
    const range = { state: 'active', sizing: { min: cu(1), max: cu(4) } } as const
    const two = reading({ cacheLimit: bytes(2 * 4096 * 0.8 * 2 ** 20) })
    const rolled = folded(
      { looks: [look(0, range)] },
      { readings: [attempt(10, { look: look(10, range), result: { kind: 'read', reading: two } })] },
    )
    expect(rolled.state.fine?.size).toEqual({ count: 1, sum: 2, min: 2, max: 2, source: 'estimated' })
    expect(folded({ looks: [look(0, range)] }).state.fine?.size).toBeUndefined()
  })
})

const read = (when: number, over: Parameters<typeof reading>[0]): ReadingAttempt =>
  attempt(when, { result: { kind: 'read', reading: reading({ serverTime: at(when), ...over }) } })
const cache = (hits: number, misses: number) => ({ hits, misses, used: bytes(hits), writes: 0 })

describe('readings', () => {
  test('connections are kept as least, most and sum, each state for itself', () => {
    const seen = [1, 7, 4].map((busy, index) =>
      read(index, { connections: { active: busy, idle: 10 - busy, idleInTransaction: 0, other: 0 } }),
    )
    const missing = read(9, { connections: { missing: 'privilege' } })
    expect(folded({ readings: [...seen, missing] }).state.fine).toMatchObject({
      readings: 4,
      connections: {
        active: { count: 3, sum: 12, min: 1, max: 7 },
        idle: { count: 3, sum: 18, min: 3, max: 9 },
        other: { count: 3, sum: 0 },
      },
    })
  })

  test('a refusal for want of a connection counts all that clients may have', () => {
    const { fine: open } = folded({ readings: [attempt(5, { result: { kind: 'at-limit' } })] }).state
    expect(open?.connections?.other).toEqual({ count: 1, sum: 100, min: 100, max: 100 })
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
    expect(rolled.closed[0]?.cache).toEqual({ hits: 80 + 30, misses: 6, over: 160_000 + 30_000 })
    expect(rolled.closed[0]?.cacheUsed).toBe(80)
    expect(rolled.state.fine?.cache).toEqual({ hits: 7, misses: 7, over: 60_000 })
    expect(rolled.state.coarse?.cache).toEqual({ hits: 117, misses: 13, over: 250_000 })
  })

  test('culprits are the five with most sessions', () => {
    const names = ['web', 'web', 'cron', 'a', 'b', 'c', 'd', 'web', 'cron', '']
    const steps = names.map((name, index) => read(index + 1, { clients: [clientOf(name)] }))
    const rolled = folded({ looks: [active(0)], readings: steps }, { looks: [active(301)] })
    expect(fine(rolled)[0]?.culprits).toEqual([
      { name: 'web', share: 0.3 },
      { name: 'cron', share: 0.2 },
      { name: '', share: 0.1 },
      { name: 'a', share: 0.1 },
      { name: 'b', share: 0.1 },
    ])
  })

  test('names of a crowd stay bounded', () => {
    const readings = Array.from({ length: 250 }, (_, index) =>
      read(index + 1, { clients: [clientOf(`${'x'.repeat(100)}${index}`)] }),
    )
    const many = Array.from({ length: 250 }, (_, index) =>
      read(index + 1, { clients: [clientOf(`worker-${index}`)] }),
    )
    expect(Object.keys(folded({ readings }).state.fine?.sessions ?? {})).toEqual(['x'.repeat(63)])
    expect(Object.keys(folded({ readings: many }).state.fine?.sessions ?? {})).toHaveLength(16)
  })
})

const clientOf = (application: string): ClientGroup => ({
  application,
  user: 'app_owner',
  database: 'app',
  connections: 1,
  working: 0,
  idleInTransaction: 0,
  lastStatement: undefined,
})

const HOUR = 3600
const someLooks = fc
  .uniqueArray(
    fc.tuple(fc.integer({ min: 0, max: 3 * HOUR }), fc.boolean(), fc.integer({ min: 0, max: 900 })),
    {
      selector: ([when]) => when,
      maxLength: 30,
    },
  )
  .map((all) =>
    all
      .toSorted(([a], [b]) => a - b)
      .map(([when, isAwake, age]) =>
        isAwake
          ? active(when, { startedAt: at(when - age) })
          : look(when, { startedAt: at(when - age - 60), suspendedAt: at(when - age) }),
      ),
  )

const open = ({ state }: RolledUp, name: 'fine' | 'coarse') => (state[name] ? [state[name]] : [])
const awake = (all: readonly { readonly time: Rollup['time'] }[]): number =>
  all.reduce((sum, { time }) => sum + time.active, 0)

describe('any looks', () => {
  test('folded one by one or all at once, once or twice, give the same', () => {
    check(
      fc.property(someLooks, (looks) => {
        const once = folded({ looks })
        const split = folded(...looks.map((one) => ({ looks: [one] })))
        const twice = folded(...looks.flatMap((one) => [{ looks: [one, one] }, { looks: [one] }]))
        expect(split.state).toEqual(once.state)
        expect(fine(split)).toEqual(fine(once))
        expect(coarse(split)).toEqual(coarse(once))
        expect(twice).toEqual(split)
      }),
    )
  })

  test('never put more time into a stretch than it has, and both lengths count the same time awake', () => {
    check(
      fc.property(someLooks, (looks) => {
        const rolled = folded({ looks })
        for (const { length, time } of rolled.closed)
          expect(time.active + time.idle + time.init).toBeLessThanOrEqual(length * 1000)
        expect(awake([...fine(rolled), ...open(rolled, 'fine')])).toBe(
          awake([...coarse(rolled), ...open(rolled, 'coarse')]),
        )
      }),
    )
  })

  test('close stretches in order, each once', () => {
    check(
      fc.property(someLooks, (looks) => {
        const rolled = folded({ looks })
        for (const closed of [fine(rolled), coarse(rolled)]) {
          const froms = closed.map(({ from }) => from)
          expect(froms).toEqual([...new Set(froms)].toSorted((a, b) => a - b))
        }
      }),
    )
  })
})
