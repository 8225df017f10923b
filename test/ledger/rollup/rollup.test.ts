import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rollUp, type RollupUpdate } from '../../../src/ledger/rollup/roll-up.ts'
import { COARSE_STEP, FINE_STEP, type Rollup } from '../../../src/model/ledger/rollup.ts'
import { bytes, cu } from '../../../src/model/units.ts'
import { at, attempt, look, reading, preset } from '../../support/build.ts'
import { check } from '../../support/property.ts'
import { active, coarse, fine, folded, NEVER_READ, nothing } from './support.ts'

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
    const rollups = folded({ looks: [active(0)] }, { looks: [active(60)] }).state
    const { compute, answeredAt } = active(60)
    const deletion = { from: at(70), observedAt: at(80) }
    const before = { compute, observedAt: answeredAt, reading: NEVER_READ, rollups }
    const { state, closed } = rollUp(before, { ...nothing, deletion }, preset)
    expect(closed.map(({ length, time }) => [length, time.active])).toEqual([
      [FINE_STEP, 60_000],
      [COARSE_STEP, 60_000],
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

const open = ({ state }: RollupUpdate, name: 'fine' | 'coarse') => (state[name] ? [state[name]] : [])
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
