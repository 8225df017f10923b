import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followActivity } from '../../../src/ledger/gaps/follow-activity.ts'
import { MIN_GAP, type ActivityState, type Gap } from '../../../src/model/ledger/gap.ts'
import type { OwnSession } from '../../../src/model/ledger/evidence.ts'
import type { Look } from '../../../src/model/observation.ts'
import { at, look } from '../../support/build.ts'
import { check } from '../../support/property.ts'
import { active, ref, secondsOf, session } from './looks.ts'

const asleep = (when: number): Look =>
  look(when, { state: 'idle', startedAt: at(-9000), suspendedAt: at(-60), lastActive: at(-5) })

const WOKEN = { startedAt: at(7255), suspendedAt: at(-60) }

/** Gaps of looks that come one sweep after the other; the state goes through text, as in a store. */
function gapsOf(looks: readonly Look[], ownSessions: readonly OwnSession[] = []): readonly Gap[] {
  const gaps: Gap[] = []
  let before: Parameters<typeof followActivity>[0]
  for (const one of looks) {
    const followed = followActivity(before, { ref, looks: [one], ownSessions, minGap: MIN_GAP })
    gaps.push(...followed.gaps)
    const activity = JSON.parse(JSON.stringify(followed.activity)) as ActivityState
    before = { compute: one.compute, observedAt: one.answeredAt, activity }
  }
  return gaps
}

const minutes = (from: number, to: number, lastActive: number): Look[] =>
  Array.from({ length: (to - from) / 60 + 1 }, (_, index) => active(from + index * 60, lastActive))

// until looks have measured it, the lag is taken for a minute: the first gaps are wide
test.each<readonly [string, readonly Look[], readonly OwnSession[], readonly (readonly number[])[]]>([
  // the look at 60 shows activity of 55: the lag is at most 5 s
  ['ten minutes', [active(0, -2), ...minutes(60, 660, 55), active(720, 690)], [], [[55, 599, 636]]],
  ['activity all the time', [0, 60, 120, 180].map((when) => active(when, when - 5)), [], []],
  ['one that goes on', minutes(0, 900, -5), [], []],
  ['one across which nobody looked', [active(0, -2), active(60, 55), active(600, 590)], [], []],
  [
    'one across which nobody looked for a tenth',
    [...minutes(0, 3600, -5), ...minutes(4000, 7600, -5), active(7660, 7655)],
    [],
    [[-5, 7544, 7661]],
  ],
  [
    'one across which nobody looked for more',
    [...minutes(0, 3600, -5), ...minutes(4800, 8400, -5), active(8460, 8455)],
    [],
    [],
  ],
  [
    'one after another across which nobody looked',
    [...minutes(0, 600, -5), ...minutes(1200, 1800, 1195), active(1860, 1855)],
    [],
    [[1195, 599, 661]],
  ],
  [
    'one that began before the first look',
    [active(0, -119), active(60, -119), active(120, 110)],
    [],
    [[-119, 118, 230]],
  ],
  [
    'one that began long before the first look',
    [active(0, -300), active(60, -300), active(120, 110)],
    [],
    [[-300, 299, 411]],
  ],
  [
    'one since the start: no client came before',
    [
      ...[0, 60, 120].map((when) => look(when, { state: 'active', startedAt: at(-600) })),
      active(180, 175, { startedAt: at(-600) }),
    ],
    [],
    [[-603, 659, 779]],
  ],
  [
    'a suspension in between',
    [
      active(0, -5),
      look(60, { state: 'idle', startedAt: at(-9000), suspendedAt: at(55), lastActive: at(-5) }),
      active(120, 115, { startedAt: at(114), suspendedAt: at(55) }),
    ],
    [],
    [],
  ],
  [
    'a suspension before the first look that shows activity',
    [...[0, 3600, 7200].map(asleep), active(7260, -5, WOKEN), active(7320, 7310, WOKEN)],
    [],
    [],
  ],
  [
    'a restart in between',
    [active(0, -5), active(60, -5, { startedAt: at(30) }), active(120, 115, { startedAt: at(30) })],
    [],
    [[-5, 4, 121]],
  ],
  [
    'a client that woke it',
    [
      active(0, -5, { startedAt: at(-6) }),
      active(60, -5, { startedAt: at(-6) }),
      active(120, 118, { startedAt: at(-6) }),
    ],
    [],
    [[-9, 4, 128]],
  ],
  [
    'own activity in it',
    [active(0, -5), active(60, -5), active(120, 90), active(180, 90), active(240, 235)],
    [session(90)],
    [[-5, 59, 241]],
  ],
  [
    'a client that only the reading saw',
    [active(0, -5), active(60, -5), active(120, 90), active(180, 90), active(240, 235)],
    [session(90, 88.7)],
    [[88, 59, 148]],
  ],
  [
    'a clock that is set back for a moment',
    [active(0, -5), active(60, -5), active(30, 10), active(120, 110)],
    [],
    [[-5, 4, 116]],
  ],
  [
    'the same look again',
    [active(0, -5), active(60, -5), active(60, -5), active(120, 110), active(120, 110)],
    [],
    [[-5, 4, 116]],
  ],
])('%s', (_, looks, sessions, gaps) => {
  expect(secondsOf(gapsOf(looks, sessions))).toEqual(gaps)
})

test('gaps of followed activity hide none', () => {
  const [gap] = gapsOf([active(0, -2), ...minutes(60, 660, 55), active(720, 690)])
  expect(gap).toMatchObject({ ref, hiddenBelow: 0 })
})

/** Seconds without activity before the first that is looked for. */
const FIRST = 10_000

test('any activity of a compute that is looked at each minute: long silences are found, each gap is one', () => {
  const silences = fc.array(fc.integer({ min: 2, max: 900 }), { minLength: 1, maxLength: 40 })
  check(
    fc.property(
      silences,
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 59 }),
      (lengths, lag, phase) => {
        const activities = lengths.reduce<readonly number[]>(
          (all, length) => [...all, (all.at(-1) ?? 0) + length],
          [0],
        )
        const end = (activities.at(-1) ?? 0) + 120
        const times = Array.from({ length: Math.ceil(end / 60) + 1 }, (_, index) => index * 60 + phase)
        const looks = times.map((when) =>
          active(when, activities.findLast((one) => one + lag <= when) ?? -FIRST),
        )
        const gaps = gapsOf(looks)
        const truth = [
          [-FIRST, FIRST] as const,
          ...lengths.map((length, index) => [activities[index] ?? 0, length] as const),
        ]
        const found = secondsOf(gaps).map(([from = 0, low = 0, high = 0]) => {
          const silence = truth.find(([start]) => start === from)
          return { from, isTrue: silence !== undefined && low <= silence[1] && silence[1] <= high }
        })
        expect(found.filter(({ isTrue }) => !isTrue)).toEqual([])
        const long = truth.filter(([start, length]) => length >= 140 && start > phase)
        expect(long.filter(([start]) => !found.some(({ from }) => from === start))).toEqual([])
      },
    ),
    200,
  )
})
