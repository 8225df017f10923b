import fc from 'fast-check'
import { expect, test } from 'vitest'
import { correctClockSkew } from '../../../src/daemon/pass/clock-skew.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Look, Sweep } from '../../../src/model/observation.ts'
import type { ServiceTime } from '../../../src/model/ports/clock.ts'
import { instant, millis, seconds } from '../../../src/model/units.ts'
import { at, look, operation, sweep } from '../../support/build.ts'

const TOLD: ServiceTime = {
  estimate: () => ({ known: { low: at(0) - 100, high: at(0) + 100, on: seconds(0) }, doubted: undefined }),
}
const UNTOLD: ServiceTime = { estimate: () => undefined }
const NO_MORE = millis(0)

const one = (endpointId: string, over: Partial<Compute> = {}): Look => look(0, { endpointId, ...over })
const seventyYears = 70 * 365 * 86_400

const swept = (...looks: readonly Look[]): Sweep => sweep(0, { looks })
const idsOf = ({ looks }: Sweep): readonly string[] => looks.map(({ compute }) => compute.endpointId)

test.each([
  ['updatedAt', 'updated_at'],
  ['startedAt', 'started_at'],
  ['suspendedAt', 'suspended_at'],
  ['lastActive', 'last_active'],
  ['createdAt', 'created_at'],
])('a record whose %s is to come is left out, by name, and the others stay as they are', (field, wire) => {
  const good = one('ep-good')
  const bad = one('ep-bad', { [field]: at(seventyYears) })
  const { sweep: told, late } = correctClockSkew(swept(good, bad), { time: TOLD, wallAhead: NO_MORE })
  expect(late).toBe(0)
  expect(told.looks).toEqual([good])
  expect(told.problems).toEqual([
    {
      where: 'compute ep-bad',
      message: expect.stringMatching(
        new RegExp(
          `^${wire}: 2095-12-19T00:00:00Z is a time to come, allowed are 3 s: this record is left out`,
        ),
      ),
    },
  ])
})

test('an operation to come is left out the same way', () => {
  const [good, bad] = [operation('start_compute', -60), operation('start_compute', seventyYears)]
  const seen = sweep(0, { operations: [good, { ...bad, operationId: 'wrong' }] })
  const { sweep: told } = correctClockSkew(seen, { time: TOLD, wallAhead: NO_MORE })
  expect(told.operations).toEqual([good])
  expect(told.problems.map(({ where }) => where)).toEqual(['operation wrong'])
})

test('a record that is a little ahead shows that the look was no earlier', () => {
  const { sweep: told } = correctClockSkew(swept(one('ep-a', { updatedAt: at(2) })), {
    time: TOLD,
    wallAhead: NO_MORE,
  })
  expect(told.looks[0]).toMatchObject({ askedAt: at(0), answeredAt: at(2) })
})

test.each([
  ['one record', [600], 0, 0],
  ['two records of different computes, as far as both', [600, 900, 30], 0, 600],
  ['one record and the wall clock', [600], 3600, 600],
  ['the wall clock alone', [0], 3600, 0],
  ['records a little ahead', [2, 2], 0, 0],
])('where no answer tells the time it is moved by %s', (_, ahead, wall, expected) => {
  const looks = ahead.map((by, index) => one(`ep-${index}`, { updatedAt: at(by) }))
  const { late } = correctClockSkew(swept(...untold(looks)), { time: UNTOLD, wallAhead: millis(wall * 1000) })
  expect(late).toBe(expected * 1000)
})

/** As rough as looks are where nothing tells the time. */
const untold = (looks: readonly Look[]): readonly Look[] =>
  looks.map((seen) => ({
    ...seen,
    askedAt: instant(seen.askedAt - 3000),
    answeredAt: instant(seen.answeredAt + 3000),
  }))

test('what was seen moves with the time', () => {
  const looks = untold([one('ep-a', { updatedAt: at(600) }), one('ep-b', { updatedAt: at(600) })])
  const { sweep: told } = correctClockSkew(swept(...looks), { time: UNTOLD, wallAhead: NO_MORE })
  expect(told.looks.map(({ answeredAt }) => answeredAt)).toEqual([at(603), at(603)])
})

const anyTime = fc.oneof(
  fc.integer({ min: -seventyYears, max: seventyYears }),
  fc.integer({ min: -10, max: 10 }),
)

test.each([
  ['tells the time', TOLD],
  ['does not', UNTOLD],
])('whatever one record says, its siblings are seen as without it, when the service %s', (_, time) => {
  fc.assert(
    fc.property(
      anyTime,
      anyTime,
      fc.array(fc.integer({ min: -3600, max: 0 }), { maxLength: 5 }),
      (updated, active, others) => {
        const siblings = untold(others.map((when, index) => one(`ep-${index}`, { updatedAt: at(when) })))
        const hostile = untold([one('ep-hostile', { updatedAt: at(updated), lastActive: at(active) })])
        const alone = correctClockSkew(swept(...siblings), { time, wallAhead: NO_MORE })
        const beside = correctClockSkew(swept(...hostile, ...siblings), { time, wallAhead: NO_MORE })
        expect(beside.late).toBe(alone.late)
        expect(beside.sweep.looks.filter(({ compute }) => compute.endpointId !== 'ep-hostile')).toEqual(
          alone.sweep.looks,
        )
      },
    ),
  )
})

test('half a million looks are no matter', () => {
  const seen = one('ep-a')
  const looks = Array.from({ length: 500_000 }, () => seen)
  expect(
    idsOf(correctClockSkew(sweep(0, { looks }), { time: UNTOLD, wallAhead: NO_MORE }).sweep),
  ).toHaveLength(500_000)
})
