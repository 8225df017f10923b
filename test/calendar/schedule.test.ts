import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCron } from '../../src/calendar/cron.ts'
import {
  evaluateSchedule,
  REPORT_CATCH_UP,
  type Schedule,
  type ScheduleState,
} from '../../src/calendar/schedule.ts'
import { fromIso, toIso } from '../../src/model/time.ts'
import { instant, seconds, type Instant } from '../../src/model/units.ts'
import { check } from '../support/property.ts'
import { at, zoneOf } from '../support/zones.ts'
import { value } from './windows.ts'

/** An hour. */
const CATCH_UP = seconds(3600)

const schedule = (text: string, catchUp = CATCH_UP, zone = 'Europe/Berlin'): Schedule => ({
  cron: value(parseCron(text)),
  zone: zoneOf(zone),
  catchUp,
})
const REPORT = schedule('0 8 * * MON', REPORT_CATCH_UP)
const HOURLY = schedule('0 * * * *')

/** Slots after `from` and before `to`. */
function slotsBetween(plan: Schedule, from: Instant, to: Instant): readonly Instant[] {
  const slots: Instant[] = []
  let { next } = evaluateSchedule(plan, undefined, from)
  for (; next !== undefined && next < to; { next } = evaluateSchedule(plan, undefined, next)) slots.push(next)
  return slots
}

/** Looks at each of `times` in turn, with the memory as a store would give it back: `run 08:00`, `missed …`, or nothing. */
function looks(plan: Schedule, times: readonly string[]): (string | undefined)[] {
  let memory: ScheduleState | undefined
  return times.map((time) => {
    const look = evaluateSchedule(plan, memory, fromIso(time) ?? instant(NaN))
    memory = JSON.parse(JSON.stringify(look.memory)) as ScheduleState
    if (look.due) return `run ${toIso(look.due.slot)}`
    return look.missed && `missed ${toIso(look.missed)}`
  })
}

test('the next slot of an hour that is shown twice is not in its second pass', () => {
  const look = evaluateSchedule(schedule('30 2 * * *'), undefined, at('2026-10-25T01:10:00Z'))
  expect(look.next).toBe(at('2026-10-26T01:30:00Z'))
})

describe('a slot', () => {
  test('is run once, from the first look on', () => {
    const times = [
      '2026-11-22T12:00:00Z',
      '2026-11-23T06:59:59Z',
      '2026-11-23T07:00:00Z',
      '2026-11-23T07:00:01Z',
      '2026-11-24T00:00:00Z',
    ]
    expect(looks(REPORT, times)).toEqual([
      undefined,
      undefined,
      'run 2026-11-23T07:00:00Z',
      undefined,
      undefined,
    ])
  })

  test('before the first look is nobody’s', () => {
    expect(looks(REPORT, ['2026-11-23T07:00:01Z', '2026-11-30T06:00:00Z'])).toEqual([undefined, undefined])
    expect(looks(REPORT, ['2026-11-23T07:00:00Z'])).toEqual(['run 2026-11-23T07:00:00Z'])
  })

  test('missed while down is run once within its catch-up, with how late it is', () => {
    expect(looks(REPORT, ['2026-11-22T12:00:00Z', '2026-11-25T07:00:00Z', '2026-11-25T07:00:01Z'])).toEqual([
      undefined,
      'run 2026-11-23T07:00:00Z',
      undefined,
    ])
    const memory = evaluateSchedule(REPORT, undefined, at('2026-11-22T12:00:00Z')).memory
    expect(evaluateSchedule(REPORT, memory, at('2026-11-23T09:00:00Z'))).toMatchObject({
      due: { late: 7200 },
      next: at('2026-11-30T07:00:00Z'),
    })
  })

  test('missed for longer is given up, and said so once', () => {
    expect(looks(REPORT, ['2026-11-22T12:00:00Z', '2026-11-25T07:00:01Z', '2026-11-25T08:00:00Z'])).toEqual([
      undefined,
      'missed 2026-11-23T07:00:00Z',
      undefined,
    ])
  })

  test('is not run for each one missed', () => {
    expect(looks(HOURLY, ['2026-11-20T00:30:00Z', '2026-11-20T12:30:00Z', '2026-11-20T12:31:00Z'])).toEqual([
      undefined,
      'run 2026-11-20T12:00:00Z',
      undefined,
    ])
    const missed = slotsBetween(HOURLY, at('2026-11-20T00:30:00Z'), at('2026-11-20T03:00:00Z'))
    expect(missed.map(toIso)).toEqual(['2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z'])
  })

  test('is not run twice when the clock steps back', () => {
    const times = ['10:30', '11:00', '12:00', '13:00', '11:30', '12:00', '13:00', '13:30', '14:00']
    expect(
      looks(
        HOURLY,
        times.map((time) => `2026-11-20T${time}:00Z`),
      ),
    ).toEqual([
      undefined,
      'run 2026-11-20T11:00:00Z',
      'run 2026-11-20T12:00:00Z',
      'run 2026-11-20T13:00:00Z',
      undefined,
      undefined,
      undefined,
      undefined,
      'run 2026-11-20T14:00:00Z',
    ])
  })

  test('is run after a clock that was years ahead came back', () => {
    const ahead = ['2030-01-01T00:30:00Z', '2030-01-01T01:00:00Z']
    expect(
      looks(HOURLY, ['2026-11-20T10:30:00Z', ...ahead, '2026-11-20T11:00:00Z', '2026-11-20T11:01:00Z']),
    ).toEqual([
      undefined,
      'run 2030-01-01T00:00:00Z',
      'run 2030-01-01T01:00:00Z',
      'run 2026-11-20T11:00:00Z',
      undefined,
    ])
    expect(looks(HOURLY, [...ahead, '2026-11-20T10:59:00Z', '2026-11-20T11:00:00Z']).at(-1)).toBe(
      'run 2026-11-20T11:00:00Z',
    )
  })

  test('earlier than the last one run is not run when the schedule changes', () => {
    const memory = evaluateSchedule(
      REPORT,
      evaluateSchedule(REPORT, undefined, at('2026-11-22T00:00:00Z')).memory,
      at('2026-11-23T07:30:00Z'),
    ).memory
    expect(
      evaluateSchedule(schedule('0 7 * * MON', REPORT_CATCH_UP), memory, at('2026-11-23T08:30:00Z')).due,
    ).toBeUndefined()
  })

  test('inside a spring gap is the first instant after it', () => {
    const plan = schedule('30 2 * * *')
    expect(looks(plan, ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z'])).toEqual([
      undefined,
      'run 2026-03-29T01:00:00Z',
      undefined,
    ])
  })

  test('shown twice is the first pass', () => {
    const plan = schedule('30 2 * * *')
    expect(
      looks(plan, [
        '2026-10-25T00:00:00Z',
        '2026-10-25T00:30:00Z',
        '2026-10-25T01:30:00Z',
        '2026-10-25T02:00:00Z',
      ]),
    ).toEqual([undefined, 'run 2026-10-25T00:30:00Z', undefined, undefined])
    expect(looks(plan, ['2026-10-25T00:00:00Z', '2026-10-25T01:10:00Z'])).toEqual([
      undefined,
      'run 2026-10-25T00:30:00Z',
    ])
  })
})

const MINUTES = fc.integer({ min: -180, max: 240 })

test('whatever the clock does within a day, no slot is run twice, none before its time, none later than its catch-up', () => {
  check(
    fc.property(
      fc.constantFrom('0 * * * *', '*/7 * * * *', '30 2 * * *'),
      fc.array(MINUTES, { maxLength: 100 }),
      (text, steps) => {
        const plan = schedule(text)
        let memory: ScheduleState | undefined
        let now = at('2026-10-24T22:00:00Z')
        let furthest: number = now
        const ran: number[] = []
        for (const step of [0, ...steps]) {
          now = instant(Math.max(now + step * 60_000, furthest - 86_400_000))
          furthest = Math.max(furthest, now)
          const { due, memory: kept } = evaluateSchedule(plan, memory, now)
          memory = kept
          if (!due) continue
          expect(due.slot).toBeLessThanOrEqual(now)
          expect(due.late).toBeLessThanOrEqual(CATCH_UP)
          expect(due.late).toBe((now - due.slot) / 1000)
          ran.push(due.slot)
        }
        expect(new Set(ran).size).toBe(ran.length)
      },
    ),
    150,
  )
})

test('looked at often enough, every slot is run', () => {
  check(
    fc.property(
      fc.constantFrom('0 * * * *', '*/7 * * * *', '30 2 * * *'),
      fc.integer({ min: 1, max: 4 }),
      (text, minutes) => {
        const plan = schedule(text)
        const [from, to] = [at('2026-03-28T22:00:00Z'), at('2026-03-29T06:00:00Z')]
        let memory: ScheduleState | undefined
        const ran: number[] = []
        for (let now: number = from; now < to; now += minutes * 60_000) {
          const look = evaluateSchedule(plan, memory, instant(now))
          memory = look.memory
          if (look.due) ran.push(look.due.slot)
        }
        const last = ran.at(-1) ?? 0
        expect(ran).toEqual(slotsBetween(plan, instant(from - 1), instant(last + 1)))
      },
    ),
    20,
  )
})
