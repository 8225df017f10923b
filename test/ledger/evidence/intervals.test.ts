import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addLook, addOperations } from '../../../src/ledger/evidence/evidence.ts'
import { deriveTimeline, type Timeline as Seen } from '../../../src/ledger/evidence/intervals.ts'
import { spanBounds } from '../../../src/ledger/settle/slices.ts'
import type { AwakeInterval, Evidence } from '../../../src/model/ledger/evidence.ts'
import type { Look } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { instant, seconds, type Instant } from '../../../src/model/units.ts'
import { at, compute, evidence, operation, sighting } from '../../support/build.ts'
import { check } from '../../support/property.ts'

/** The settled time ends nowhere. */
const seenOf = (facts: Evidence, now = instant(at(0) + END), settledUntil = instant(0)): Seen =>
  deriveTimeline(facts, { settledUntil, partlySettled: undefined }, now)

/** Likely edges in seconds after the start of the test's time, the source of each, and whether it was a restart. */
const shown = (intervals: readonly AwakeInterval[]): unknown[] =>
  intervals.map(({ from, to, restart }) => [
    (from.likely - at(0)) / 1000,
    from.source,
    to ? (to.likely - at(0)) / 1000 : 'open',
    ...(to ? [to.source] : []),
    ...(restart ? ['restart'] : []),
  ])

test.each<[string, Partial<Evidence>, unknown[]]>([
  ['nothing', {}, []],
  ['only idle sightings', { states: [sighting('idle', 0), sighting('idle', 60)] }, []],
  [
    'operations alone, half a second into the second they were written in',
    { operations: [operation('start_compute', 10), operation('suspend_compute', 70)] },
    [[10.5, 'operation', 70.5, 'operation']],
  ],
  [
    'records, which win over the operations they belong to',
    {
      operations: [
        operation('start_compute', 10, { updatedAt: at(12) }),
        operation('suspend_compute', 70, { updatedAt: at(71) }),
      ],
      starts: [at(11)],
      ends: [at(71)],
    },
    [[11.5, 'record', 71.5, 'record']],
  ],
  [
    'records whose clock is two seconds ahead of the operations',
    {
      operations: [operation('start_compute', 10), operation('suspend_compute', 70)],
      starts: [at(12)],
      ends: [at(72)],
    },
    [[12.5, 'record', 72.5, 'record']],
  ],
  [
    'records whose clock is two seconds behind the operations',
    {
      operations: [operation('start_compute', 12), operation('suspend_compute', 72)],
      starts: [at(10)],
      ends: [at(70)],
    },
    [[10.5, 'record', 70.5, 'record']],
  ],
  [
    'a recorded start two seconds after an operation that a suspension followed',
    {
      operations: [operation('start_compute', 10), operation('suspend_compute', 11)],
      starts: [at(12)],
    },
    [
      [10.5, 'operation', 11.5, 'operation'],
      [12.5, 'record', 'open'],
    ],
  ],
  [
    'an operation that has not finished dates nothing',
    { operations: [operation('start_compute', 10, { status: 'running' })] },
    [],
  ],
  [
    'a skipped suspension is none',
    { operations: [operation('start_compute', 10), operation('suspend_compute', 20, { status: 'skipped' })] },
    [[10.5, 'operation', 'open']],
  ],
  [
    'a look that shows it asleep in the second of an activity was before it',
    {
      states: [sighting('idle', 0), sighting('idle', 60.5), sighting('active', 120)],
      activities: [at(60)],
    },
    [[60.75, 'poll', 'open']],
  ],
  [
    'states alone: the middle between two looks',
    {
      states: [sighting('idle', 0), sighting('active', 60), sighting('active', 120), sighting('idle', 180)],
    },
    [[30, 'poll', 150, 'poll']],
  ],
  [
    'activity of a compute that a move started: with the operation, not halfway since it was seen asleep',
    {
      states: [sighting('idle', 0)],
      operations: [operation('apply_config', 598, { updatedAt: at(600) }), operation('suspend_compute', 600)],
      ends: [at(600)],
      activities: [at(600)],
    },
    [[600.5, 'poll', 600.5, 'record']],
  ],
  [
    'awake at the first look with nothing to date it: from then on',
    { states: [sighting('active', 60), sighting('active', 120)] },
    [[60, 'poll', 'open']],
  ],
  [
    'a suspension whose start lies before all history is left out',
    { operations: [operation('suspend_compute', 5), operation('start_compute', 10)] },
    [[10.5, 'operation', 'open']],
  ],
  [
    'a missing end between two starts makes a restart',
    { operations: [operation('start_compute', 10), operation('start_compute', 100)] },
    [
      [10.5, 'operation', 100.5, 'assumed'],
      [100.5, 'operation', 'open', 'restart'],
    ],
  ],
  [
    'a restart queues its start before the suspension is done',
    {
      operations: [
        operation('start_compute', 10),
        operation('suspend_compute', 100, { updatedAt: at(101) }),
        operation('start_compute', 100, { operationId: 'again', updatedAt: at(103) }),
      ],
    },
    [
      [10.5, 'operation', 101.5, 'operation'],
      [103.5, 'operation', 'open', 'restart'],
    ],
  ],
  [
    'a client that comes back in the second of the suspension makes a wake',
    {
      operations: [
        operation('start_compute', 10),
        operation('suspend_compute', 99, { updatedAt: at(100) }),
        operation('start_compute', 100, { operationId: 'again' }),
      ],
    },
    [
      [10.5, 'operation', 100.5, 'operation'],
      [100.5, 'operation', 'open'],
    ],
  ],
  [
    'a sighting inside the second of an edge narrows it',
    { starts: [at(10)], ends: [at(70)], states: [sighting('active', 70.6), sighting('idle', 70.8)] },
    [[10.5, 'record', 70.7, 'record']],
  ],
  [
    'a compute that is gone is not awake any more',
    { starts: [at(10)], states: [sighting('active', 20), sighting('gone', 40)] },
    [[10.5, 'record', 30, 'poll']],
  ],
])('from %s', (_, facts, expected) => {
  expect(shown(seenOf(evidence(facts)).intervals)).toEqual(expected)
})

test('nothing that was settled is found again', () => {
  const facts = evidence({ starts: [at(10), at(100)], ends: [at(70)], states: [sighting('active', 120)] })
  expect(shown(seenOf(facts, at(200), at(73)).intervals)).toEqual([[100.5, 'record', 'open']])
})

/** A history: gaps and awake times in milliseconds, at least a second each, from a compute that sleeps at first. */
type History = readonly { readonly from: number; readonly to: number }[]
const histories: fc.Arbitrary<History> = fc
  .array(fc.tuple(fc.integer({ min: 1100, max: 400_000 }), fc.integer({ min: 1100, max: 400_000 })), {
    maxLength: 8,
  })
  .map((spans) => {
    let time = 0
    return spans.map(([gap, awake]) => {
      const from = time + gap
      time = from + awake
      return { from, to: time }
    })
  })

const floor = (ms: number): Instant => instant(at(0) + Math.floor(ms / 1000) * 1000)

function looksAt(history: History, times: readonly number[], withRecord: boolean): Look[] {
  return times.map((time) => {
    const started = history.findLast(({ from }) => from <= time)
    const ended = history.findLast(({ to }) => to <= time)
    const awake = started !== undefined && time < started.to
    const seen = compute({
      state: awake ? 'active' : 'idle',
      startedAt: withRecord && started ? floor(started.from) : undefined,
      suspendedAt: withRecord && ended ? floor(ended.to) : undefined,
    })
    const when = instant(at(0) + time)
    return { compute: seen, askedAt: when, answeredAt: when, askedOn: seconds(time / 1000) }
  })
}

const operationsOf = (history: History): Operation[] =>
  history.flatMap(({ from, to }, index) => [
    operation('start_compute', 0, {
      operationId: `start-${index}`,
      createdAt: floor(from - 300),
      updatedAt: floor(from),
    }),
    operation('suspend_compute', 0, {
      operationId: `end-${index}`,
      createdAt: floor(to - 200),
      updatedAt: floor(to),
    }),
  ])

const gather = (looks: readonly Look[], operations: readonly Operation[]): Evidence =>
  addOperations(looks.reduce(addLook, evidence()), operations)

const END = 10_000_000
const times = fc
  .array(fc.integer({ min: 0, max: END }), { minLength: 1, maxLength: 40 })
  .map((all) => [...all, END].toSorted((a, b) => a - b))

test('bounds contain the truth, intervals never overlap', () => {
  check(
    fc.property(histories, times, fc.boolean(), (history, looked, withRecord) => {
      const { intervals } = seenOf(gather(looksAt(history, looked, withRecord), operationsOf(history)))
      const now = instant(at(0) + END)
      const sum = (pick: 'low' | 'high'): number =>
        intervals.map((one) => spanBounds(one, now)[pick]).reduce((all, { from, to }) => all + to - from, 0)
      const truth = history.reduce((all, { from, to }) => all + to - from, 0)
      expect(sum('low')).toBeLessThanOrEqual(truth)
      expect(sum('high')).toBeGreaterThanOrEqual(truth)
      intervals.slice(1).forEach((one, index) => {
        expect(one.from.likely).toBeGreaterThanOrEqual(intervals[index]?.to?.likely ?? Infinity)
      })
      expect(intervals).toHaveLength(history.length)
    }),
  )
})

test('with nothing but states at the looks the bounds contain the truth of what lies between the first and the last', () => {
  check(
    fc.property(histories, times, (history, looked) => {
      const [first = 0] = looked
      const { intervals } = seenOf(gather(looksAt(history, looked, false), []))
      const now = instant(at(0) + END)
      for (const interval of intervals) {
        const { low, high } = spanBounds(interval, now)
        const inside = history
          .map(({ from, to }) => Math.min(to, high.to - at(0)) - Math.max(from, first, high.from - at(0)))
          .reduce((all, span) => all + Math.max(0, span), 0)
        expect(inside).toBeLessThanOrEqual(high.to - high.from)
        expect(low.to).toBeGreaterThanOrEqual(low.from)
      }
    }),
  )
})

test('any order and any repetition of the same facts gives the same intervals', () => {
  const facts = fc.tuple(histories, times, fc.boolean()).chain(([history, looked, withRecord]) => {
    const looks = looksAt(history, looked, withRecord)
    const operations = operationsOf(history)
    return fc.record({
      looks: fc.constant(looks),
      operations: fc.constant(operations),
      shuffledLooks: fc.shuffledSubarray([...looks, ...looks.slice(0, 5)], {
        minLength: looks.length + Math.min(5, looks.length),
      }),
      shuffledOperations: fc.shuffledSubarray([...operations, ...operations], {
        minLength: operations.length * 2,
      }),
    })
  })
  check(
    fc.property(facts, ({ looks, operations, shuffledLooks, shuffledOperations }) => {
      const inOrder = gather(looks, operations)
      const shuffled = gather(shuffledLooks, shuffledOperations)
      expect(shuffled).toEqual(inOrder)
      expect(seenOf(shuffled)).toEqual(seenOf(inOrder))
    }),
  )
})
