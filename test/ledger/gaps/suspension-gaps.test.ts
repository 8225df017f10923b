import { expect, test } from 'vitest'
import { NO_ACTIVITY } from '../../../src/ledger/gaps/follow-activity.ts'
import { suspensionGaps } from '../../../src/ledger/gaps/suspension-gaps.ts'
import { MIN_GAP, type ActivityState } from '../../../src/model/ledger/gap.ts'
import type { AwakeInterval, Edge, Evidence } from '../../../src/model/ledger/evidence.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { instant, SECOND, seconds } from '../../../src/model/units.ts'
import { at, evidence, operation } from '../../support/build.ts'

const edge = (when: number): Edge => ({
  earliest: at(when),
  likely: at(when),
  latest: at(when),
  source: 'record',
})

const awake = (from: number, to: number | undefined, restart = false): AwakeInterval => ({
  from: edge(from),
  to: to === undefined ? undefined : edge(to),
  knownUntil: at(to ?? from),
  restart,
})

type Case = {
  readonly intervals: readonly AwakeInterval[]
  readonly evidence?: Partial<Evidence>
  readonly delay?: AutosuspendDelay
  readonly followed?: ActivityState['followed']
}

/** From, low, high and hidden below in seconds, of intervals settled one after the other; the state goes through text, as in a store. */
function gapsOf({ intervals, evidence: known = {}, delay = seconds(300), followed = [] }: Case) {
  let activity: ActivityState = { ...NO_ACTIVITY, followed }
  const gaps: (readonly number[])[] = []
  for (const [index, interval] of intervals.entries()) {
    const isOpen = interval.to === undefined
    const found = suspensionGaps(activity, {
      closed: isOpen ? [] : [interval],
      remaining: intervals.slice(isOpen ? index : index + 1),
      watermark: {
        settledUntil: instant(0),
        partlySettled: isOpen ? { interval, cuTime: {} } : undefined,
      },
      evidence: evidence(known),
      delay,
      minGap: MIN_GAP,
    })
    activity = JSON.parse(JSON.stringify(found.activity)) as ActivityState
    for (const { from, low, high, hiddenBelow } of found.gaps)
      gaps.push([(from - at(0)) / SECOND, low, high, hiddenBelow])
  }
  return gaps
}

/** A check by the service, which wakes the compute at 1500. */
const CHECK = { operations: [operation('check_availability', 1499)] }
/** A start by Dormouse, ahead of a client. */
const WARM_UP = { warmUps: [{ from: at(1498), to: at(1501) }] }

const ALL = [{ from: at(-10_000), to: at(10_000) }]
const shown = (...when: readonly number[]) => ({ activities: when.map(at) })
const own = (when: number) => ({
  connectedAt: at(when),
  disconnectedAt: at(when + 0.5),
  postmasterStartedAt: at(when),
  activeBefore: undefined,
  sawClients: false,
  counts: true,
  lastClientActivity: undefined,
  hiddenFrom: at(when - 5),
  arrivalRate: undefined,
})

/** A look that shows the start of 1500 as the newest activity. The lag of activity is not known: up to a minute. */
const quietLook = (when: number) => ({
  state: 'active' as const,
  askedAt: at(when),
  answeredAt: at(when),
  record: {
    startedAt: at(1500),
    suspendedAt: at(1000),
    lastActive: at(1500),
    updatedAt: at(1500),
    holds: seconds(300),
    unusedUntil: undefined,
  },
})

/** A look without dates at a compute with this delay. */
const lookAt = (when: number, holds: AutosuspendDelay) => ({
  ...quietLook(when),
  record: {
    startedAt: undefined,
    suspendedAt: undefined,
    lastActive: undefined,
    updatedAt: at(0),
    holds,
    unusedUntil: undefined,
  },
})

test.each<readonly [string, Case, readonly (readonly number[])[]]>([
  [
    'operations alone: from one delay before the suspension, shorter ones are hidden',
    { intervals: [awake(0, 1000), awake(2000, 2500)] },
    [[694, 1296, 1307, 300]],
  ],
  [
    'activity that was followed',
    { intervals: [awake(0, 1000), awake(2000, undefined)], evidence: shown(699, 2001), followed: ALL },
    [[699, 1297, 1302, 0]],
  ],
  [
    'activity that is known, but was not followed',
    { intervals: [awake(0, 1000), awake(2000, undefined)], evidence: shown(699, 2001) },
    [[699, 1297, 1302, 300]],
  ],
  [
    'activity that no look showed: the suspension came later than the last known explains',
    { intervals: [awake(0, 1000), awake(2000, undefined)], evidence: shown(300, 2001), followed: ALL },
    [[694, 1296, 1307, 300]],
  ],
  [
    'a suspension by hand, soon after the start',
    { intervals: [awake(0, 100), awake(2000, 2300)], evidence: shown(90, 2001), followed: ALL },
    [[90, 1906, 1911, 0]],
  ],
  [
    'a gap is told once',
    { intervals: [awake(0, 1000), awake(2000, undefined), awake(2000, undefined)] },
    [[694, 1296, 1307, 300]],
  ],
  [
    'a compute that the service woke for its check, and nobody used',
    { intervals: [awake(0, 1000), awake(1500, 1800), awake(2000, 2500)], evidence: CHECK },
    [[694, 1296, 1307, 300]],
  ],
  [
    'a compute that the service woke for its check, suspended later than that explains: a client came',
    { intervals: [awake(0, 1000), awake(1500, 3000), awake(4000, 4500)], evidence: CHECK },
    [
      [694, 799, 2007, 300],
      [2694, 1296, 1307, 300],
    ],
  ],
  [
    'a compute that the service woke for a check that took long, and nobody used',
    {
      intervals: [awake(0, 1000), awake(1500, 1860), awake(2000, 2500)],
      evidence: { operations: [operation('check_availability', 1499, { updatedAt: at(1560) })] },
    },
    [[694, 1296, 1307, 300]],
  ],
  [
    'a compute that was restarted, suspended later than that explains: a client came',
    {
      intervals: [awake(0, 1000), awake(1500, 1800), awake(1803, 3000, true), awake(4000, 4500)],
      evidence: CHECK,
    },
    [
      [694, 1102, 2007, 300],
      [2694, 1296, 1307, 300],
    ],
  ],
  [
    'a compute that a change of its settings woke for a moment, and nobody used',
    {
      intervals: [awake(0, 1000), awake(1500, 1501), awake(2000, undefined)],
      evidence: { ...shown(699, 1500, 2001), operations: [operation('apply_config', 1499)] },
      followed: ALL,
    },
    [[699, 1297, 1302, 0]],
  ],
  [
    'a start ahead of a client that did not come: the gap goes on',
    {
      intervals: [awake(0, 1000), awake(1500, 1800), awake(2000, undefined)],
      evidence: { ...shown(699, 1500, 2001), ...WARM_UP },
      followed: ALL,
    },
    [[699, 1297, 1302, 0]],
  ],
  [
    'a start ahead of a client that came: the gap ends with the client',
    {
      intervals: [awake(0, 1000), awake(1500, 2100)],
      evidence: { ...shown(699, 1500, 1560), ...WARM_UP },
      followed: ALL,
    },
    [[699, 800, 862, 0]],
  ],
  [
    'a start ahead of a client that looks show to have come later',
    {
      intervals: [awake(0, 1000), awake(1500, 2100)],
      evidence: { ...shown(699, 1500, 1790), ...WARM_UP, states: [quietLook(1560), quietLook(1740)] },
      followed: ALL,
    },
    [[699, 980, 1092, 0]],
  ],
  [
    'a compute whose settings were changed just before a client came',
    {
      intervals: [awake(0, 1000), awake(1500, 2000)],
      evidence: { ...shown(699, 1502), operations: [operation('apply_config', 1499)] },
      followed: ALL,
    },
    [[699, 800, 804, 0]],
  ],
  [
    'a compute that our reading woke, and a client used later',
    {
      intervals: [awake(0, 1000), awake(2000, undefined)],
      evidence: { ...shown(699, 2100), ownSessions: [own(2000)] },
      followed: ALL,
    },
    [[699, 1300, 1402, 0]],
  ],
  [
    'a restart in use is no gap',
    { intervals: [awake(0, 1000), awake(1001, 2000, true)], evidence: shown(990, 1010) },
    [],
  ],
  [
    'a restart in a silence: the gap ends with the next client',
    {
      intervals: [awake(0, 1000), awake(1003, undefined, true), awake(1003, 2300, true)],
      evidence: shown(500, 2000),
      followed: ALL,
    },
    [[500, 502, 1501, 0]],
  ],
  [
    'a restart in a silence that a suspension follows: the gap ends with the next wake',
    {
      intervals: [awake(0, 1000), awake(1003, 1303, true), awake(2000, undefined)],
      evidence: shown(900, 2001),
      followed: ALL,
    },
    [[900, 1096, 1101, 0]],
  ],
  [
    'a restart that no look shows: the gap is inside awake time',
    {
      intervals: [
        awake(0, 1000),
        { ...awake(1003, 2300, true), from: { ...edge(1003), source: 'operation' } },
      ],
      evidence: shown(500, 2000),
      followed: ALL,
    },
    [],
  ],
  [
    'a shorter delay that was set after the wake says nothing about the suspension before',
    {
      intervals: [awake(0, 4200), awake(4800, undefined)],
      delay: seconds(60),
      evidence: {
        ...shown(600, 4800),
        states: [lookAt(4140, seconds(3600)), lookAt(4810, seconds(3600)), lookAt(4870, seconds(60))],
      },
      followed: ALL,
    },
    [[600, 4196, 4201, 0]],
  ],
  [
    'a longer delay that was set after the wake does not explain the suspension before',
    {
      intervals: [awake(0, 2000), awake(4800, undefined)],
      delay: seconds(3600),
      evidence: {
        ...shown(60, 4800),
        states: [lookAt(1940, seconds(300)), lookAt(4810, seconds(300)), lookAt(4870, seconds(3600))],
      },
      followed: ALL,
    },
    [[1694, 3096, 3107, 300]],
  ],
  [
    'delay never: what a person suspended shows the activity before, if it was followed',
    {
      intervals: [awake(0, 1000), awake(2000, undefined)],
      delay: 'never',
      evidence: shown(900, 2001),
      followed: ALL,
    },
    [[900, 1096, 1101, 0]],
  ],
  [
    'delay never, without activity fields',
    { intervals: [awake(0, 1000), awake(2000, 2500)], delay: 'never' },
    [],
  ],
  ['shorter than a minute', { intervals: [awake(0, 1000), awake(1010, 1400)], delay: seconds(20) }, []],
])('%s', (_, given, gaps) => {
  expect(gapsOf(given)).toEqual(gaps)
})
