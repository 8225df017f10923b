import { describe, expect, test } from 'vitest'
import { breakerHold, breakerState, type BreakerContext } from '../../src/decide/breaker.ts'
import { engagedBrakesOf } from '../../src/decide/engaged-brakes.ts'
import { DEFAULT_BRAKES, type StoredBrake } from '../../src/model/policy/brakes.ts'
import type { Change, ChangeState } from '../../src/model/policy/change.ts'
import { ratio, type Instant } from '../../src/model/units.ts'
import { applyingOf } from '../apply/build.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'

const HOUR = 3600
const NOW = at(100 * HOUR)
const ago = (seconds: number): Instant => at(100 * HOUR - seconds)

const CONTEXT: BreakerContext = {
  brakes: DEFAULT_BRAKES,
  restarts: [],
  breaker: undefined,
  failedRequests: undefined,
}
const breaker = (fields: Partial<StoredBrake> = {}): StoredBrake => ({
  name: 'breaker',
  subject: '',
  because: 'failures',
  engagedAt: ago(2 * HOUR),
  ...fields,
})
const change = (id: string, state: ChangeState, fields: Partial<Change> = {}): Change =>
  changeOf({ id, when: 'policy', ref: { ...changeOf().ref, endpointId: `ep-${id}` }, state, ...fields })
const failed = (id: string, seconds: number, fields: Partial<Change> = {}) =>
  change(id, { at: 'failed', because: 'refused', endedAt: ago(seconds) }, fields)
const done = (id: string, sentAgo: number, fields: Partial<Change> = {}) =>
  change(id, { at: 'done', because: 'ok', endedAt: ago(10), sent: { at: ago(sentAgo), sessions: 0 } }, fields)

/** What it does, and the seconds until its end. */
function textOf(over: Partial<BreakerContext>) {
  const state = breakerState({ ...CONTEXT, ...over }, NOW)
  const until = state.kind === 'open' && state.until !== undefined ? (state.until - NOW) / 1000 : undefined
  return until === undefined ? state.kind : `${state.kind} for ${until}`
}

const HALF = breaker({ halfOpenAt: ago(HOUR) })

test.each<[what: string, over: Partial<BreakerContext>, expected: string]>([
  ['nothing', {}, 'closed'],
  [
    'half open, and a change of a person failed',
    { breaker: HALF, restarts: [failed('a', 10, { when: 'idle' })] },
    'half-open',
  ],
  [
    'half open, and a change of before failed',
    {
      breaker: HALF,
      restarts: [
        change('a', {
          at: 'unknown',
          because: '',
          endedAt: ago(10),
          sent: { at: ago(2 * HOUR), sessions: 0 },
        }),
      ],
    },
    'half-open',
  ],
  [
    'half open, and two changes of people failed',
    { breaker: HALF, restarts: [failed('a', 10, { when: 'idle' }), failed('b', 70, { when: 'idle' })] },
    'open for 3530',
  ],
  ['one failure', { restarts: [failed('a', 10)] }, 'closed'],
  ['two failures', { restarts: [failed('a', 10), failed('b', 70)] }, 'open for 3530'],
  [
    'two failures before its end',
    { restarts: [failed('a', 10), failed('b', 70)], breaker: breaker({ endedAt: ago(5) }) },
    'closed',
  ],
  [
    'engaged 50 minutes ago, whatever has failed',
    { breaker: breaker({ engagedAt: ago(3000) }) },
    'open for 600',
  ],
  ['engaged an hour ago', { breaker: breaker({ engagedAt: ago(HOUR) }) }, 'over'],
  [
    'engaged an hour ago, two failures since',
    { breaker: breaker(), restarts: [failed('a', 10), failed('b', 70)] },
    'open for 3530',
  ],
  ['half open', { breaker: HALF }, 'half-open'],
  [
    'half open, failures of before',
    { breaker: HALF, restarts: [failed('a', HOUR + 1), failed('b', HOUR + 2)] },
    'half-open',
  ],
  ['half open, one failure since', { breaker: HALF, restarts: [failed('a', 600)] }, 'open for 3000'],
  ['half open, one that was tried is done', { breaker: HALF, restarts: [done('a', 600)] }, 'proven'],
  ['half open, one of before is done', { breaker: HALF, restarts: [done('a', HOUR + 1)] }, 'half-open'],
  [
    'half open, what a person asked for is done',
    { breaker: HALF, restarts: [done('a', 600, { when: 'idle' })] },
    'half-open',
  ],
  [
    'half open, a revert is done',
    { breaker: HALF, restarts: [done('a', 600, { origin: { by: 'revert', of: 'ch', name: 'p' } })] },
    'half-open',
  ],
  ['20 % of the requests failed', { failedRequests: ratio(0.2) }, 'closed'],
  ['21 % of the requests failed', { failedRequests: ratio(0.21) }, 'open'],
  ['half open, 21 % of the requests failed', { breaker: HALF, failedRequests: ratio(0.21) }, 'open'],
])('%s: %s', (_, over, expected) => {
  expect(textOf(over)).toBe(expected)
})

describe('while it is half open', () => {
  const trying = change('ch-one', applyingOf({ sentAt: ago(5) }))

  test('one change is sent, and the others wait for its end', () => {
    expect(breakerHold({ ...CONTEXT, breaker: HALF }, NOW)).toBeUndefined()
    expect(breakerHold({ ...CONTEXT, breaker: HALF, restarts: [trying] }, NOW)).toEqual({
      because: 'breaker',
      until: undefined,
      detail: 'ch-one is tried alone',
    })
  })

  test('one that took effect is tried until its judgement ends', () => {
    const judgement = { good: 1, bad: 0, lookedAt: undefined, restarts: 0 }
    const judged = change('ch-one', {
      at: 'verifying',
      since: ago(3000),
      operationIds: [],
      sent: { at: ago(3000), sessions: 0 },
      judgement,
    })
    const hold = breakerHold({ ...CONTEXT, breaker: HALF, restarts: [judged] }, NOW)
    expect(hold?.detail).toBe('ch-one is tried alone')
  })

  test('it counts as engaged', () => {
    const context = { ...CONTEXT, brakes: DEFAULT_BRAKES, breaker: HALF, engaged: [HALF] }
    const brakes = { ...context, startedAt: at(0), isSwept: true }
    expect(engagedBrakesOf({ freezes: [], isHeld: false, decidesChanges: true, brakes }, NOW)).toEqual([
      'breaker',
    ])
  })
})

test('its cause is stated', () => {
  const restarts = [failed('a', 10), failed('b', 70)]
  const becauses = [{ restarts }, { breaker: HALF, restarts }, { failedRequests: ratio(0.34) }].map(
    (over) => {
      const state = breakerState({ ...CONTEXT, ...over }, NOW)
      return state.kind === 'open' ? state.because : state.kind
    },
  )
  expect(becauses).toEqual([
    '2 changes failed within 3600 s',
    'the change that was tried failed',
    '34 % of the requests to the service within 300 s failed',
  ])
})
