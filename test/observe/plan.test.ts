import { expect, test } from 'vitest'
import { account } from '../../src/account/account.ts'
import type { Compute } from '../../src/model/compute.ts'
import type { Ledger } from '../../src/model/ledger.ts'
import type { Operation } from '../../src/model/operation.ts'
import { seconds } from '../../src/model/units.ts'
import { operationsToRead, projectsToList } from '../../src/observe/plan.ts'
import { at, ledger, look, operation, prices, project, sweep } from '../support/build.ts'

const known = (seen: Partial<Compute>, operations: readonly Operation[] = []): Ledger =>
  account(
    ledger(),
    sweep(100, {
      looks: [look(100, seen)],
      listed: [{ projectId: 'project-one', answeredAt: at(100) }],
      operations,
    }),
    {
      prices,
      overhead: 0.01,
      now: at(100),
    },
  ).ledger

const plan = { maxAge: seconds(900), most: 50, now: at(160) }

test.each([
  ['a project never seen', ledger(), project(), ['project-one']],
  ['one whose computes sleep', known({ state: 'idle' }), project(), []],
  ['one with a compute awake', known({ state: 'active' }), project(), ['project-one']],
  [
    'one with a change under way',
    known({ state: 'idle', pendingState: 'active' }),
    project(),
    ['project-one'],
  ],
  ['one whose record was changed', known({ state: 'idle' }), project({ updatedAt: at(0) }), ['project-one']],
  ['one that used CPU', known({ state: 'idle' }), project({ cpuUsedSeconds: 1 }), ['project-one']],
  ['one that was active', known({ state: 'idle' }), project({ computeLastActiveAt: at(0) }), ['project-one']],
])('the computes of %s', (_, before, listed, expected) => {
  expect(projectsToList(before, [listed], plan).projectIds).toEqual(expected)
})

test('computes that were not looked at for max_age are looked at', () => {
  const before = known({ state: 'idle' })
  expect(projectsToList(before, [project()], { ...plan, now: at(999) }).projectIds).toEqual([])
  expect(projectsToList(before, [project()], { ...plan, now: at(1000) }).projectIds).toEqual(['project-one'])
})

const started = { state: 'active', startedAt: at(90) } as const

test.each<[string, Ledger, Partial<Compute>, boolean]>([
  ['a compute never seen', ledger(), {}, true],
  ['one that stayed asleep', known({}), {}, false],
  ['one that woke', known({}), started, true],
  ['one that stayed awake', known(started), { ...started, lastActive: at(150) }, false],
  ['one that slept and woke between two looks', known(started), { ...started, startedAt: at(140) }, true],
  ['one that was changed', known({}), { updatedAt: at(140) }, true],
  ['one that woke and slept, told by its activity alone', known({}), { lastActive: at(140) }, true],
  [
    'one with an operation still running',
    known(started, [operation('suspend_compute', 99, { status: 'running' })]),
    started,
    true,
  ],
])('the operations of %s', (_, before, seen, expected) => {
  expect(operationsToRead(before, [look(160, seen)], at(160)).has('project-one')).toBe(expected)
})

test('operations are read from a quarter of an hour before the last look, so that none listed late is lost', () => {
  expect(operationsToRead(known({}), [look(5000, started)], at(5000)).get('project-one')).toBe(at(100 - 900))
})
