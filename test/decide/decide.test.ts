import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, type Candidate, type Decided, type Fleet } from '../../src/decide/decide.ts'
import { DEFAULT_BRAKES, type StoredBrake } from '../../src/model/policy/brakes.ts'
import { DEFAULT_RESTART_RULES, LEVERS, MODES } from '../../src/model/policy/change-policy.ts'
import { RECOMMENDATION_KINDS } from '../../src/model/policy/recommendation.ts'
import { at } from '../support/build.ts'

const POLICY: Candidate['policy'] = {
  mode: 'apply',
  levers: ['delay', 'sizing'],
  restart: DEFAULT_RESTART_RULES,
  path: 'policies[0]',
}
const candidate = (over: Partial<Candidate> = {}): Candidate => ({
  id: 'ep-one.sizing.1',
  kind: 'sizing',
  policy: POLICY,
  hasOpenChange: false,
  wasMade: false,
  isBarred: false,
  isDemoted: false,
  heldBy: undefined,
  needsApproval: false,
  ...over,
})

const FLEET: Fleet = { computes: 1000, waiting: 0, brake: undefined, brakes: DEFAULT_BRAKES }

type ChangesAndHeld = Pick<Decided, 'changes' | 'held'>

const scheduled: ChangesAndHeld = { changes: [{ id: 'ep-one.sizing.1', state: 'scheduled' }], held: [] }
const held = (because: Decided['held'][number]['because']): ChangesAndHeld => ({
  changes: [],
  held: [{ id: 'ep-one.sizing.1', because }],
})

test.each<[what: string, candidate: Candidate, decided: ChangesAndHeld]>([
  ['mode apply and the lever', candidate(), scheduled],
  [
    'mode approve and the lever',
    candidate({ policy: { ...POLICY, mode: 'approve' } }),
    { ...scheduled, changes: [{ id: 'ep-one.sizing.1', state: 'proposed' }] },
  ],
  ['mode suggest', candidate({ policy: { ...POLICY, mode: 'suggest' } }), held('mode')],
  ['mode observe', candidate({ policy: { ...POLICY, mode: 'observe' } }), held('mode')],
  ['another lever', candidate({ policy: { ...POLICY, levers: ['delay'] } }), held('lever')],
  ['no lever', candidate({ policy: { ...POLICY, levers: [] } }), held('lever')],
  ['a kind that no setting implements', candidate({ kind: 'pooler' }), held('kind')],
  ['a restart alone', candidate({ kind: 'refresh' }), held('kind')],
  ['an open change', candidate({ hasOpenChange: true }), held('open-change')],
  ['a change that ended', candidate({ wasMade: true }), held('made-before')],
  ['a kind whose savings did not come', candidate({ isDemoted: true }), held('demoted')],
  ['a compute that something else keeps setting', candidate({ isContested: true }), held('controller')],
  ['a size that was reverted', candidate({ isBarred: true }), held('barred')],
  ['a setting of a budget', candidate({ heldBy: 'budget' }), held('budget')],
  [
    'a larger size beside a budget that is nearly spent',
    candidate({ needsApproval: true }),
    { ...scheduled, changes: [{ id: 'ep-one.sizing.1', state: 'proposed' }] },
  ],
])('%s', (_, one, decided) => {
  expect(decide([one], FLEET)).toMatchObject(decided)
})

const anyCandidate: fc.Arbitrary<Omit<Candidate, 'id'>> = fc.record({
  kind: fc.constantFrom(...RECOMMENDATION_KINDS),
  policy: fc.record({
    mode: fc.constantFrom(...MODES),
    levers: fc.subarray([...LEVERS]),
    restart: fc.constant(DEFAULT_RESTART_RULES),
    path: fc.constant(undefined),
  }),
  hasOpenChange: fc.boolean(),
  wasMade: fc.boolean(),
  isBarred: fc.boolean(),
  isDemoted: fc.boolean(),
  heldBy: fc.constantFrom('budget', 'schedule', undefined),
  needsApproval: fc.boolean(),
})

test('each recommendation becomes a change or has a reason, and only levers of the modes approve and apply become one', () => {
  fc.assert(
    fc.property(fc.array(anyCandidate), (given) => {
      const candidates = given.map((one, index) => ({ ...one, id: `r-${index}` }))
      const { changes, held: others } = decide(candidates, FLEET)
      const ids = [...changes, ...others].map(({ id }) => id).toSorted()
      expect(ids).toEqual(candidates.map(({ id }) => id).toSorted())
      for (const { id, state } of changes) {
        const one = candidates.find((other) => other.id === id)
        const isAlone = one?.policy.mode === 'apply' && !one.needsApproval
        expect(state).toBe(isAlone ? 'scheduled' : 'proposed')
        expect(['approve', 'apply']).toContain(one?.policy.mode)
        expect(one?.policy.levers).toContain(one?.kind)
      }
    }),
  )
})

test.each<[what: string, restarts: number, fleet: Partial<Fleet>, made: number]>([
  ['a fifth of the computes', 200, {}, 200],
  ['more than a fifth', 201, {}, 0],
  ['five of few computes', 5, { computes: 6 }, 5],
  ['six of few computes', 6, { computes: 6 }, 0],
  ['few beside many that wait', 2, { waiting: 199 }, 0],
  ['few beside as many as may wait', 1, { waiting: 199 }, 1],
])('the fleet brake: %s', (_, restarts, over, made) => {
  const candidates = Array.from({ length: restarts }, (__, index) => candidate({ id: `r-${index}` }))
  const delay = candidate({ id: 'delay', kind: 'delay' })
  const proposed = candidate({ id: 'proposed', policy: { ...POLICY, mode: 'approve' } })
  const decided = decide([...candidates, delay, proposed], { ...FLEET, ...over })
  // neither a delay nor what waits for a person is braked
  expect(decided.changes).toHaveLength(made + 2)
  expect(decided.held.map(({ because }) => because)).toEqual(
    Array.from({ length: restarts - made }, () => 'fleet-brake'),
  )
})

describe('an engaged fleet brake', () => {
  const BRAKE: StoredBrake = { name: 'fleet', subject: '', because: '', engagedAt: at(0), count: 300 }
  const released = { ...BRAKE, released: { at: at(1), by: 'ann', reason: 'meant so' } }
  const over = { ...released, endedAt: at(2) }

  test.each<[what: string, brake: StoredBrake | undefined, fresh: number, waiting: number, to: string]>([
    ['is engaged by the first too many', undefined, 201, 0, 'engage'],
    ['stays while there are too many, also where all of them wait', BRAKE, 0, 201, 'engage'],
    ['ends where there are no more than the limit', BRAKE, 200, 0, 'end'],
    ['once released lets as many pass as it was engaged for', released, 300, 0, 'keep'],
    ['once released counts those that wait', released, 1, 299, 'keep'],
    ['once released is engaged by more', released, 1, 300, 'engage'],
    ['once released does not stop those that wait', released, 0, 301, 'keep'],
    ['once released is over where no more than the limit are left', released, 10, 190, 'end'],
    ['that is over is engaged by the next too many', over, 201, 0, 'engage'],
  ])('%s', (_, brake, fresh, waiting, to) => {
    const candidates = Array.from({ length: fresh }, (__, index) => candidate({ id: `r-${index}` }))
    const { fleetBrake, restarts, changes } = decide(candidates, { ...FLEET, brake, waiting })
    expect([fleetBrake, restarts]).toEqual([to, fresh + waiting])
    expect(changes).toHaveLength(to === 'engage' ? 0 : fresh)
  })
})
