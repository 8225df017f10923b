import { expect, test } from 'vitest'
import type { AdviseInput } from '../../src/advise/input.ts'
import {
  RECOMMENDATION_KINDS,
  type Life,
  type Proposal,
  type Recommendation,
  type WithheldBecause,
} from '../../src/model/policy/recommendation.ts'
import type { Sizing } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { adviseEntry } from '../support/advise-input.ts'
import { at } from '../support/build.ts'
import { amounts, recommendation, sizingRecommendation, withheld } from '../support/recommendations.ts'
import {
  advance,
  DAY,
  delayAlternative,
  livesOf,
  open,
  proposal,
  setting,
  sizing,
  start,
} from './evaluation.ts'

test('the first proposal of a kind is opened', () => {
  const {
    recommendations,
    withheld: others,
    made,
  } = advance({
    proposals: [proposal()],
    withheld: [withheld({ kind: 'sizing' })],
  })
  expect(recommendations).toEqual([
    {
      ...proposal(),
      id: 'ep-one.delay.1',
      hash: '#main/project-one/ep-one delay ["never",null,null] [300,null,null]',
      openedAt: at(DAY),
      confirmedAt: at(DAY),
      life: { state: 'open' },
    },
  ])
  expect(others).toEqual([withheld({ kind: 'sizing' })])
  expect(made).toEqual({ delay: 1 })
})

test('a confirmed one keeps id, hash and setting, and takes the figures', () => {
  const next = proposal({ saving: amounts(10, 13, 15), confidence: 'high' })
  const { recommendations, withheld: others, made } = advance({ proposals: [next], previous: [open()] })
  expect(recommendations).toEqual([{ ...open(), ...next, confirmedAt: at(DAY) }])
  expect(others).toEqual([])
  expect(made).toEqual({ delay: 1 })
})

const shorter = (likely: number, kept = 12): Proposal =>
  proposal({
    to: { delay: seconds(60) },
    saving: amounts(likely - 1, likely, likely + 1),
    effect: { wakesPerDay: { before: 0, after: 0 }, sessionsCut: undefined, connections: undefined },
    alternatives: [delayAlternative(300, kept, 0), delayAlternative(600, 5, 0)],
  })

test('another delay that is hardly better leaves the open one, with its own figures', () => {
  // less than 1 of the currency
  const next = shorter(12.9)
  const { recommendations } = advance({ proposals: [next], previous: [open()] })
  expect(recommendations).toEqual([
    {
      ...open(),
      ...next,
      to: { delay: 300 },
      saving: amounts(11, 12, 13),
      effect: delayAlternative(300, 12, 0).effect,
      alternatives: [
        { to: next.to, saving: next.saving, effect: next.effect, because: 'hardly-better' },
        delayAlternative(600, 5, 0),
      ],
      confirmedAt: at(DAY),
    },
  ])
})

test.each<[string, Proposal]>([
  ['better by more than the hysteresis', shorter(13.1)],
  ['not allowed any more', { ...shorter(12.1), alternatives: [delayAlternative(600, 5, 0)] }],
])('an open delay is superseded when another is %s', (_, next) => {
  expect(livesOf(advance({ proposals: [next], previous: [open()] }))).toEqual([
    ['ep-one.delay.1', { state: 'superseded', at: at(DAY), by: 'ep-one.delay.2' }],
    ['ep-one.delay.2', { state: 'open' }],
  ])
})

const dear = (likely: number): Proposal => ({ ...shorter(likely, 60), spend: amounts(100, 100, 100) })

test('on dear computes 5 % of the expected cost count, wakes included', () => {
  expect(livesOf(advance({ proposals: [dear(61.9)], previous: [open()] }))).toEqual([
    ['ep-one.delay.1', { state: 'open' }],
  ])
  expect(livesOf(advance({ proposals: [dear(62.1)], previous: [open()] }))).toHaveLength(2)
  // 30 × 4 × 0.0022 of wakes
  const wakes = { wakesPerDay: { before: 0, after: 4 }, sessionsCut: undefined, connections: undefined }
  expect(
    livesOf(advance({ proposals: [{ ...dear(62.1), effect: wakes }], previous: [open()] })),
  ).toHaveLength(1)
})

const sized = (min: number, max: number): Sizing => ({ min: cu(min), max: cu(max) })
const resized = (min: number, max: number, likely: number): Proposal =>
  sizing({
    to: { sizing: sized(min, max) },
    saving: amounts(likely - 10, likely, likely + 10),
    alternatives: [
      {
        to: { sizing: sized(0.5, 4) },
        saving: amounts(180, 190, 200),
        effect: sizing().effect,
        because: 'unsure',
      },
    ],
  })

test.each<[string, Proposal, number]>([
  ['that saves a little more', resized(0.25, 4, 210), 1],
  ['that saves a tenth of the spend more', resized(0.25, 4, 221), 2],
  ['with a larger minimum, for connections', resized(1, 4, 100), 2],
  ['with a larger maximum, for saturation', resized(0.5, 8, 190), 2],
])('another size %s', (_, next, rows) => {
  const previous = [{ ...sizingRecommendation(), openedAt: start, confirmedAt: start }]
  const input = { settings: setting('never', { fixed: cu(4) }) }
  expect(livesOf(advance({ proposals: [next], previous, made: { sizing: 1 }, input }))).toHaveLength(rows)
})

test.each<[string, Partial<AdviseInput>, Life]>([
  [
    'deleted',
    { entry: adviseEntry({ deletedAt: at(100) }) },
    { state: 'withdrawn', at: at(DAY), because: 'deleted' },
  ],
  [
    'set to it',
    { settings: setting(seconds(300)) },
    { state: 'implemented', at: at(DAY), realised: undefined },
  ],
  [
    'set otherwise',
    { settings: setting(seconds(900)) },
    { state: 'withdrawn', at: at(DAY), because: 'changed' },
  ],
])('an open one ends when the compute is %s', (_, input, life) => {
  const result = advance({ withheld: [withheld({ because: 'fits' })], previous: [open()], input })
  expect(livesOf(result)).toEqual([['ep-one.delay.1', life]])
})

test('a fixed size that the service writes as a range is the size', () => {
  const previous = [sizingRecommendation({ to: { sizing: { fixed: cu(2) } } })]
  const result = advance({ previous, input: { settings: setting('never', sized(2, 2)) } })
  expect(livesOf(result)).toEqual([
    ['ep-one.sizing.1', { state: 'implemented', at: at(DAY), realised: undefined }],
  ])
})

test('while the setting is not known, nothing ends', () => {
  expect(advance({ previous: [open()], input: { settings: [] } }).recommendations).toEqual([])
})

test.each<[WithheldBecause | undefined, number, Recommendation['life'] | undefined]>([
  ['policy', 1, { state: 'withdrawn', at: at(DAY), because: 'policy' }],
  ['plan-fixed', 1, { state: 'withdrawn', at: at(DAY), because: 'plan-fixed' }],
  ['fits', 27, undefined],
  ['fits', 28, { state: 'withdrawn', at: at(28 * DAY), because: 'fits' }],
  ['saving-small', 28, { state: 'withdrawn', at: at(28 * DAY), because: 'saving-small' }],
  ['not-followed', 6, undefined],
  ['not-followed', 7, { state: 'withdrawn', at: at(7 * DAY), because: 'not-confirmed' }],
  [undefined, 7, { state: 'withdrawn', at: at(7 * DAY), because: 'not-confirmed' }],
])('an open one that is withheld as %s on day %i', (because, day, life) => {
  const result = advance({ day, withheld: because ? [withheld({ because })] : [], previous: [open()] })
  expect(livesOf(result)).toEqual(life ? [['ep-one.delay.1', life]] : [])
  expect(result.withheld).toEqual(life && because ? [withheld({ because })] : [])
})

test('what a fact of the record answers ends at once', () => {
  const previous = [recommendation({ kind: 'unused', id: 'ep-one.unused.1', from: {}, to: {} })]
  const answer = [withheld({ kind: 'unused', because: 'fits' })]
  expect(livesOf(advance({ withheld: answer, previous }))).toEqual([
    ['ep-one.unused.1', { state: 'withdrawn', at: at(DAY), because: 'fits' }],
  ])
})

const implemented = open({ life: { state: 'implemented', at: start, realised: undefined } })

test('after an implementation none of its kind is made for 28 days', () => {
  const back = proposal({ from: { delay: seconds(300) }, to: { delay: seconds(60) } })
  const input = { settings: setting(seconds(300)) }
  const early = advance({ day: 27, proposals: [back], previous: [implemented], input })
  const until = at(28 * DAY)
  expect(early.recommendations).toEqual([])
  expect(early.withheld).toEqual([{ kind: 'delay', because: 'follow-up', have: 27, needs: 28, until }])
  expect(livesOf(advance({ day: 28, proposals: [back], previous: [implemented], input }))).toEqual([
    ['ep-one.delay.2', { state: 'open' }],
  ])
})

test('an implemented size does not wait when connections or saturation ask for more', () => {
  const previous = [sizingRecommendation({ life: { state: 'implemented', at: start, realised: undefined } })]
  const to = { sizing: sized(0.5, 8) }
  const up = sizing({ from: { sizing: sized(0.5, 4) }, to })
  const down = sizing({ from: { sizing: sized(0.5, 4) }, to: { sizing: sized(0.25, 4) } })
  const input = { settings: setting('never', sized(0.5, 4)) }
  expect(livesOf(advance({ proposals: [up], previous, made: { sizing: 1 }, input }))).toEqual([
    ['ep-one.sizing.2', { state: 'open' }],
  ])
  expect(livesOf(advance({ proposals: [down], previous, made: { sizing: 1 }, input }))).toEqual([])
})

const dismissed = (until?: number) =>
  open({
    life: {
      state: 'dismissed',
      at: start,
      until: until === undefined ? undefined : at(until * DAY),
      reason: 'needed at night',
      by: 'anna',
    },
  })

test('a dismissed one stays away until its end, and says then that it was dismissed', () => {
  const proposals = [proposal()]
  const early = advance({ day: 4, proposals, previous: [dismissed(5)] })
  expect(early.recommendations).toEqual([])
  expect(early.withheld).toEqual([
    { kind: 'delay', because: 'dismissed', have: 12.25e6, needs: 24.5e6, until: at(5 * DAY) },
  ])
  const { recommendations } = advance({ day: 5, proposals, previous: [dismissed(5)] })
  expect(recommendations).toMatchObject([
    {
      id: 'ep-one.delay.2',
      life: { state: 'open' },
      dismissedBefore: {
        id: 'ep-one.delay.1',
        to: { delay: 300 },
        saving: amounts(9.5, 12.25, 14),
        at: start,
        until: at(5 * DAY),
        reason: 'needed at night',
        by: 'anna',
      },
    },
  ])
})

test.each<[string, number, number, number]>([
  ['less than doubled', 12.25, 24.4, 0],
  ['doubled', 12.25, 24.5, 1],
  ['still nothing', 0, 0, 0],
  ['from nothing to less than two of the currency', 0, 1.9, 0],
])('a dismissed one without end comes back when its saving has doubled: %s', (_, before, now, opened) => {
  const previous = [{ ...dismissed(), saving: amounts(before, before, before) }]
  const proposals = [proposal({ saving: amounts(now, now, now) })]
  expect(advance({ day: 300, proposals, previous }).recommendations).toHaveLength(opened)
})

test('of two open ones the newer stays', () => {
  const previous = [open(), open({ id: 'ep-one.delay.2' })]
  expect(livesOf(advance({ proposals: [proposal()], previous }))).toEqual([
    ['ep-one.delay.1', { state: 'superseded', at: at(DAY), by: 'ep-one.delay.2' }],
    ['ep-one.delay.2', { state: 'open' }],
  ])
})

test('each kind has a life of its own', () => {
  const proposals = RECOMMENDATION_KINDS.map((kind) => proposal({ kind, from: {}, to: {} }))
  const { recommendations, made } = advance({ proposals })
  expect(recommendations.map(({ id }) => id)).toEqual(RECOMMENDATION_KINDS.map((kind) => `ep-one.${kind}.1`))
  expect(Object.values(made)).toEqual(RECOMMENDATION_KINDS.map(() => 1))
})
