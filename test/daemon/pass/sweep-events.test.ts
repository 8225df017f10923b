// What is told of a sweep's problems: one that lasts once, however often its project is looked at.
import { expect, test } from 'vitest'
import { sweep } from '../../support/build.ts'
import {
  eventsOfSweep,
  problemsSeenAfter,
  withFewProblems,
  type ProblemsSeen,
} from '../../../src/daemon/pass/sweep-events.ts'
import type { SweepProblem } from '../../../src/model/observation.ts'

const broken = (project: string): SweepProblem => ({ where: `project ${project}`, message: 'no size' })

/** Minutes → the problems of the sweep then; gives the minutes and problems that were told. */
function told(sweeps: Readonly<Record<number, readonly SweepProblem[]>>): readonly string[] {
  let state: { readonly announced: 'ok'; readonly problemsSeen: ProblemsSeen } = {
    announced: 'ok',
    problemsSeen: new Map(),
  }
  return Object.entries(sweeps).flatMap(([minute, problems]) => {
    const seen = sweep(60 * Number(minute), { problems })
    const after = { ...state, problemsSeen: problemsSeenAfter(state.problemsSeen, seen) }
    const events = eventsOfSweep(state, seen)
    state = after
    return events.map((event) => `${minute} ${event.kind === 'problem' ? event.where : event.kind}`)
  })
}

test('a problem is told once, also when its project is not in every sweep', () => {
  expect(told({ 0: [broken('a')], 1: [], 15: [broken('a')], 16: [broken('b')], 70: [broken('a')] })).toEqual([
    '0 project a',
    '16 project b',
  ])
})

test('one that was away for an hour is told again', () => {
  expect(told({ 0: [broken('a')], 59: [broken('a')], 119: [broken('a')], 120: [] })).toEqual([
    '0 project a',
    '119 project a',
  ])
})

test('one that a sweep meets twice is told once', () => {
  expect(told({ 0: [broken('a'), broken('a')] })).toEqual(['0 project a'])
})

test('of more than can be remembered only those are told', () => {
  const many = Array.from({ length: 1001 }, (_, index) => broken(String(index)))
  expect(told({ 0: many, 1: [broken('1000'), broken('0')] })).toHaveLength(1000)
  expect(told({ 0: many, 61: [broken('1000')] }).at(-1)).toBe('61 project 1000')
})

test('of a sweep the first hundred problems are kept, and the number of the others', () => {
  const many = Array.from({ length: 500_000 }, (_, index) => broken(String(index)))
  const { problems } = withFewProblems(sweep(0, { problems: many }))
  expect(problems).toHaveLength(101)
  expect(problems.at(-1)).toEqual({ where: 'account', message: 'and 499,900 more' })
})
