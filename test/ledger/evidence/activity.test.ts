import { expect, test } from 'vitest'
import { observerOverhead, lastClientActivity } from '../../../src/ledger/evidence/activity.ts'
import type { AwakeInterval, Evidence, OwnSession } from '../../../src/model/ledger/evidence.ts'
import { seconds } from '../../../src/model/units.ts'
import { at, evidence, sighting } from '../../support/build.ts'

const DELAY = seconds(300)
const edge = (when: number) =>
  ({ earliest: at(when), likely: at(when), latest: at(when), source: 'record' }) as const
const awake = (to?: number): AwakeInterval => ({
  from: edge(-1000),
  to: to === undefined ? undefined : edge(to),
  knownUntil: at(to ?? 2000),
  restart: false,
})

/** A full reading at `when` after which nobody knows of anybody else. */
const full = (when: number, over: Partial<OwnSession> = {}): OwnSession => ({
  connectedAt: at(when),
  disconnectedAt: at(when + 0.1),
  postmasterStartedAt: at(-1000),
  activeBefore: at(0),
  sawClients: false,
  counts: true,
  lastClientActivity: undefined,
  hiddenFrom: at(when - 6),
  arrivalRate: undefined,
  ...over,
})

/** Seconds of the interval that are ours; others were active at 0. */
const added = (known: Partial<Evidence>, to?: number): number =>
  observerOverhead(awake(to), evidence({ activities: [at(0)], ...known }), DELAY) / 1000

test.each<[string, Partial<Evidence>, number | undefined, number]>([
  ['there was none', {}, 301, 0],
  ['it fell asleep a delay after it', { ownSessions: [full(100)] }, 400.2, 99.6],
  ['it fell asleep as if nobody had looked', { ownSessions: [full(100)] }, 300.6, 0],
  ['it is still awake', { ownSessions: [full(100)] }, undefined, 0],
  [
    'others were back before the delay was over',
    { activities: [at(0), at(290)], ownSessions: [full(100)] },
    590,
    0,
  ],
  [
    'others were back later, so that it hid a sleep',
    {
      activities: [at(0), at(370)],
      ownSessions: [full(100)],
      states: [sighting('active', 365), sighting('active', 375)],
    },
    670,
    66.875,
  ],
  [
    'it saw a client who had just been active',
    { ownSessions: [full(100, { lastClientActivity: at(97) })] },
    400.2,
    3.1,
  ],
  ['it saw clients at work', { ownSessions: [full(100, { sawClients: true })] }, 400.2, 0],
  [
    'the service noticed a light one',
    { activities: [at(0), at(100)], ownSessions: [full(100, { counts: false })] },
    400.2,
    99.5,
  ],
])('what a reading added when %s', (_, known, to, expected) => {
  expect(added(known, to)).toBeCloseTo(expected, 3)
})

test('where sessions arrive all the time, one that nobody saw came just before the reading', () => {
  const often = full(100, { arrivalRate: 1 })
  // At one session a second the last was about a second ago, though the record shows none for 100 s.
  expect(added({ ownSessions: [often] }, 400.2)).toBeCloseTo(1.3, 1)
  const seldom = full(100, { arrivalRate: 0.001 })
  expect(added({ ownSessions: [seldom] }, 400.2)).toBeGreaterThan(98)
  const never = full(100, { arrivalRate: 0 })
  expect(added({ ownSessions: [never] }, 400.2)).toBeCloseTo(99.6, 3)
})

test('someone who came back within the doubt of a look hid less than the look shows', () => {
  const back = { activities: [at(0), at(301)], ownSessions: [full(100)] }
  const late = added({ ...back, states: [sighting('active', 240)] }, 601)
  const prompt = added({ ...back, states: [sighting('active', 300.9)] }, 601)
  expect(late).toBeLessThan(prompt + 0.001)
  expect(prompt).toBeLessThan(1)
})

test('a statement that a reading saw is activity of others, also where no record shows it', () => {
  expect(lastClientActivity(evidence({ ownSessions: [full(100, { lastClientActivity: at(97) })] }))).toBe(
    at(97),
  )
})
