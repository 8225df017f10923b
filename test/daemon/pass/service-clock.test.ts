import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ASSUMED_SKEW,
  createServiceClock,
  initialAnchor,
  isSteady,
  newClock,
} from '../../../src/daemon/pass/service-clock.ts'
import type { ServiceTime } from '../../../src/model/ports/clock.ts'
import { addDatedResponse, type ServiceTimeEstimate } from '../../../src/model/service/service-time.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { judged, type History } from '../../ledger/trial/truth.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const UNKNOWN: ServiceTime = { estimate: () => undefined }
const DAY = 86_400_000

test.each([3600, -3600])('a wall clock that is set by %d s does not move it', async (by) => {
  const clock = fakeClock()
  const steady = createServiceClock({ clock, serviceTime: UNKNOWN }, initialAnchor(ledger(), clock))
  await clock.advance(seconds(60))
  clock.step(by)
  await clock.advance(seconds(60))
  expect(steady.now()).toBe(at(120))
})

test.each([DAY, -DAY, 5000, -5000])(
  'the first answer puts a wall clock right that is off by %d ms',
  (off) => {
    const clock = fakeClock()
    let told: ServiceTimeEstimate | undefined
    const begun = { at: instant(at(0) + off), on: seconds(0) }
    const steady = createServiceClock({ clock, serviceTime: { estimate: () => told } }, begun)
    expect(steady.now()).toBe(at(0) + off)
    told = addDatedResponse(told, { date: at(0), sentOn: seconds(0), answeredOn: seconds(0) })
    expect(Math.abs(steady.now() - at(0))).toBeLessThanOrEqual(500)
  },
)

test('a wall clock that no answer contradicts is kept to the millisecond', () => {
  const clock = fakeClock()
  const told = addDatedResponse(undefined, { date: at(0), sentOn: seconds(0), answeredOn: seconds(0) })
  const steady = createServiceClock(
    { clock, serviceTime: { estimate: () => told } },
    { at: instant(at(0) + 777), on: seconds(0) },
  )
  expect(steady.now()).toBe(at(0) + 777)
})

test('where no answer tells, what is seen is dated as roughly as a wall clock is true', () => {
  const clock = fakeClock()
  const steady = createServiceClock({ clock, serviceTime: UNKNOWN }, initialAnchor(ledger(), clock))
  expect(steady.between(seconds(1), seconds(2))).toEqual({
    from: at(1) - ASSUMED_SKEW,
    to: at(2) + ASSUMED_SKEW,
  })
})

test('while an answer fits no other, nothing is dated, and time goes on as before', () => {
  const clock = fakeClock()
  const one = addDatedResponse(undefined, { date: at(0), sentOn: seconds(0), answeredOn: seconds(0) })
  const told = addDatedResponse(one, { date: at(DAY), sentOn: seconds(1), answeredOn: seconds(1) })
  const steady = createServiceClock(
    { clock, serviceTime: { estimate: () => told } },
    { at: at(0), on: seconds(0) },
  )
  expect(steady.between(seconds(0), seconds(1))).toBeUndefined()
  expect(steady.now()).toBe(at(0))
})

test('a process begins no earlier than its ledger has seen, and not later either, however often it does', () => {
  const clock = fakeClock()
  const seen = sweep(3600, { looks: [look(3600, {})] })
  const { ledger: known } = accounted(ledger(), seen, {
    prices,
    overhead: 0.01,
    now: instant(at(3600) + ASSUMED_SKEW),
  })
  expect(initialAnchor(known, clock).at).toBe(at(3600))
})

const HOUR = 3_600_000
const two: History = [
  { from: 130_300, to: 730_300 },
  { from: 1_500_700, to: 2_100_200 },
]

test.each([HOUR, -HOUR])('a wall clock that is set by %d ms in the middle moves no account', async (by) => {
  const stepped = await judged(two, 2 * HOUR, { step: { at: 400_000, by } })
  expect(stepped).toMatchObject({ contains: true, wakes: 2, suspends: 2, settled: 2 })
})

/** Of an answer: how long after the one before it was sent, how long it took, when in between it was written, and how old its date was. */
const answers = fc.array(
  fc.record({
    rest: fc.integer({ min: 0, max: 900_000 }),
    took: fc.integer({ min: 0, max: 10_000 }),
    written: fc.double({ min: 0, max: 1, noNaN: true }),
    late: fc.integer({ min: 0, max: 1000 }),
  }),
  { minLength: 1, maxLength: 30 },
)

test('the service’s time lies within its bounds, whatever the clocks show and however fast ours runs', () => {
  fc.assert(
    fc.property(
      answers,
      fc.integer({ min: -DAY, max: DAY }),
      fc.integer({ min: -200, max: 200 }),
      (list, off, ppm) => {
        const start = at(0) + off
        const shown = (real: number): number => real * (1 + ppm / 1e6)
        let [real, told]: [number, ServiceTimeEstimate | undefined] = [0, undefined]
        for (const { rest, took, written, late } of list) {
          const sent = real + rest
          real = sent + took
          const date = instant(Math.floor((start + sent + took * written - late) / 1000) * 1000)
          told = addDatedResponse(told, {
            date,
            sentOn: seconds(shown(sent) / 1000),
            answeredOn: seconds(shown(real) / 1000),
          })
          expect(told.doubted).toBeUndefined()
          expect(told.known.low).toBeLessThanOrEqual(start + real - shown(real))
          expect(told.known.high).toBeGreaterThanOrEqual(start + real - shown(real))
        }
      },
    ),
  )
})

const answered = (date: number, on: number, told?: ServiceTimeEstimate): ServiceTimeEstimate =>
  addDatedResponse(told, { date: at(date), sentOn: seconds(on), answeredOn: seconds(on + 0.1) })

test('one answer that is alone moves nothing, two that agree begin anew', () => {
  const before = answered(60, 60, answered(0, 0))
  const alone = answered(1e9, 61, before)
  expect(alone.known).toEqual(before.known)
  expect(answered(62, 62, alone)).toMatchObject({ doubted: undefined })
  expect(answered(62, 62, alone).known.low).toBeLessThanOrEqual(at(0))
  const slept = answered(3663, 63, answered(3662, 62, before))
  expect(slept.doubted).toBeUndefined()
  expect(slept.known.low).toBeGreaterThan(at(3599))
  expect(slept.known.high).toBeLessThan(at(3603))
})

test.each([
  [0, true],
  [1.5, true],
  [-1.5, true],
  [3, false],
  [-3600, false],
])('a wall clock that is set by %d s since the sweep is steady: %s', async (by, expected) => {
  const clock = fakeClock()
  const swept = { ...newClock(), anchor: { at: clock.now(), on: clock.monotonic() } }
  await clock.advance(seconds(60))
  clock.step(by)
  expect(isSteady(swept, clock)).toBe(expected)
})

test('before the first sweep nothing is known of steps', () => {
  const clock = fakeClock()
  clock.step(3600)
  expect(isSteady(newClock(), clock)).toBe(true)
})
