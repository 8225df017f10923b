import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followActivity } from '../../../src/ledger/gaps/follow-activity.ts'
import { MIN_GAP, type ActivityState, type Gap } from '../../../src/model/ledger/gap.ts'
import type { OwnSession } from '../../../src/model/ledger/evidence.ts'
import type { ListedActivity, Look } from '../../../src/model/observation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { SECOND, seconds } from '../../../src/model/units.ts'
import { at, look } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

/** A look at a compute that started long ago. */
const active = (when: number, lastActive: number, over: Partial<Compute> = {}): Look =>
  look(when, { state: 'active', startedAt: at(-9000), lastActive: at(lastActive), ...over })

const asleep = (when: number): Look =>
  look(when, { state: 'idle', startedAt: at(-9000), suspendedAt: at(-60), lastActive: at(-5) })

const WOKEN = { startedAt: at(7255), suspendedAt: at(-60) }

const session = (when: number, lastClientActivity?: number): OwnSession => ({
  connectedAt: at(when),
  disconnectedAt: at(when + 0.5),
  postmasterStartedAt: at(-9000),
  activeBefore: undefined,
  sawClients: false,
  counts: true,
  lastClientActivity: lastClientActivity === undefined ? undefined : at(lastClientActivity),
  hiddenFrom: at(when - 5),
  arrivalRate: undefined,
})

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

/** From, low and high in seconds. */
const told = (gaps: readonly Gap[]) => gaps.map(({ from, low, high }) => [(from - at(0)) / SECOND, low, high])

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
  expect(told(gapsOf(looks, sessions))).toEqual(gaps)
})

/** Activity that the list, a minute late, shows at `when` and did not a minute earlier. */
const listed = (when: number, lastActive: number, over: Partial<ListedActivity> = {}): ListedActivity => ({
  projectId: ref.projectId,
  lastActive: at(lastActive),
  askedAt: at(when),
  askedBefore: at(when - 60),
  lag: seconds(60),
  ...over,
})

/** A look that comes after lists of each minute from `since` on. */
const lookAfterLists = (
  since: number,
  when: number,
  lastActive: number,
  over: Partial<Compute> = {},
): Look => ({
  ...active(when, lastActive, over),
  quietUntil: at(when - 61),
  listed: { from: at(since), to: at(when - 1) },
})

/** Gaps with what lists and looks show, one after the other. */
function gapsOfLists(seen: readonly (Look | ListedActivity)[], ownSessions: readonly OwnSession[] = []) {
  let before: Parameters<typeof followActivity>[0]
  return seen.flatMap((one) => {
    const shown = 'compute' in one ? { looks: [one] } : { looks: [], listed: one }
    const { gaps, activity } = followActivity(before, { ref, ...shown, ownSessions, minGap: MIN_GAP })
    const last = 'compute' in one ? { compute: one.compute, observedAt: one.answeredAt } : before
    before = last && { ...last, activity }
    return gaps
  })
}

test.each<
  readonly [string, readonly (Look | ListedActivity)[], readonly OwnSession[], readonly (readonly number[])[]]
>([
  [
    'between two looks, without what is short',
    [active(0, -5), listed(120, 70), listed(600, 490), lookAfterLists(-60, 900, 895)],
    [],
    [
      [70, 409, 421],
      [490, 348, 406],
    ],
  ],
  ['no look has confirmed', [active(0, -5), listed(600, 490)], [], []],
  [
    'the lists before are missing',
    [active(0, -5), listed(600, 490, { askedBefore: undefined }), lookAfterLists(540, 900, 895)],
    [],
    [[490, 348, 406]],
  ],
  [
    'lists were missing for a tenth of the time before it',
    [
      active(0, -5),
      lookAfterLists(-60, 3600, -5),
      lookAfterLists(3940, 6000, -5),
      listed(7200, 7090),
      lookAfterLists(3940, 7300, 7090),
    ],
    [],
    [[-5, 7084, 7096]],
  ],
  [
    'lists were missing for more',
    [
      active(0, -5),
      lookAfterLists(-60, 3600, -5),
      lookAfterLists(4800, 6000, -5),
      listed(7200, 7090),
      lookAfterLists(4800, 7300, 7090),
    ],
    [],
    [],
  ],
  [
    'the list is older than the look',
    [active(0, -5), listed(30, -30), lookAfterLists(-60, 300, 290)],
    [],
    [[-5, 243, 296]],
  ],
  [
    'the same list again',
    [active(0, -5), listed(600, 490), listed(600, 490), lookAfterLists(-60, 900, 490)],
    [],
    [[-5, 484, 496]],
  ],
  [
    'a suspension in between',
    [
      active(0, -5),
      listed(600, 490),
      listed(720, 650),
      lookAfterLists(-60, 900, 650, { startedAt: at(488), suspendedAt: at(300) }),
    ],
    [],
    [],
  ],
  [
    'a suspension before them',
    [
      active(0, -5),
      listed(600, 495),
      listed(720, 650),
      lookAfterLists(-60, 900, 650, { startedAt: at(488), suspendedAt: at(300) }),
    ],
    [],
    [[495, 104, 156]],
  ],
  [
    'own activity in it',
    [active(0, -5), listed(600, 490), listed(900, 800), lookAfterLists(-60, 1000, 800)],
    [session(490)],
    [[-5, 784, 806]],
  ],
  [
    'activity that is dated ahead',
    [active(0, -5), listed(600, 9000), listed(720, 650), lookAfterLists(-60, 900, 650)],
    [],
    [],
  ],
])('gaps that lists show: %s', (_, seen, sessions, gaps) => {
  expect(told(gapsOfLists(seen, sessions))).toEqual(gaps)
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
        const found = told(gaps).map(([from = 0, low = 0, high = 0]) => {
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
