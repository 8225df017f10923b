import { expect, test } from 'vitest'
import type { FinishedList } from '../../src/model/observation.ts'
import { affordableAge, looksToMake, pagesToRead, readsHistory } from '../../src/observe/plan.ts'
import { at } from '../support/build.ts'
import { POLL } from '../support/poll.ts'

const list = (pages: number): FinishedList => ({
  startedAt: at(0),
  endedAt: at(60),
  pages,
  projects: pages * 400,
  missing: new Set(),
})

test.each([
  ['a list of one page', 1, 1, 314],
  ['10,000 projects', 25, 25, 292],
  ['50,000 projects', 125, 125, 202],
  ['100,000 projects', 250, 125, 202],
  ['400,000 projects', 1000, 125, 202],
])('of %s a sweep reads part, and looks with what is left', (_, pages, read, looks) => {
  expect(pagesToRead(POLL, list(pages))).toBe(read)
  expect(looksToMake(POLL, read).most).toBe(looks)
})

test('a list never read is read to its end', () => {
  expect(pagesToRead(POLL, undefined)).toBe(Number.POSITIVE_INFINITY)
})

test.each([
  [10, 900],
  [1312, 900],
  [10_000, 6858],
  [100_000, 68_572],
])('of %d projects each is looked at within what a quarter of the budget affords', (projects, expected) => {
  expect(Math.ceil(affordableAge(POLL, projects))).toBe(expected)
})

test('the history of all is read of an account for which that takes an hour at the most', () => {
  expect([10_500, 10_501].map((projects) => readsHistory(POLL, projects))).toEqual([true, false])
})
