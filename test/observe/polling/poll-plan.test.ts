import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FinishedList } from '../../../src/model/observation.ts'
import {
  affordableAge,
  MIN_REQUESTS,
  longestAge,
  lookAllowance,
  pagesToRead,
  planShare,
  readsHistory,
  adaptToThroughput,
  sweepsPerInterval,
} from '../../../src/observe/polling/poll-plan.ts'
import { CONFIGURED_PAGE } from '../../../src/model/ports/service.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { POLL } from '../../support/poll.ts'
import { check } from '../../support/property.ts'

const list = (pages: number): FinishedList => ({
  startedAt: at(0),
  endedAt: at(60),
  pages,
  readAt: new Map(),
  followedSince: new Map(),
  missing: new Set(),
})

test.each([
  ['a list of one page', 1, 1, 314],
  ['10,000 projects', 25, 25, 292],
  ['50,000 projects', 125, 125, 218],
  ['100,000 projects', 250, 125, 218],
  ['400,000 projects', 1000, 125, 218],
])('of %s a sweep reads part, and looks with what is left', (_, pages, read, looks) => {
  expect(pagesToRead(POLL, list(pages))).toBe(read)
  expect(lookAllowance(POLL, { pages: read, projects: pages * 400 }).most).toBe(looks)
})

test('a list never read is read as far as a sweep affords, which is to the end of one of 100,000 projects', () => {
  expect(pagesToRead(POLL, undefined)).toBe(280)
})

test.each([
  ['is not known yet', undefined, 350, 1],
  ['fits in one sweep', 140, 350, 1],
  ['takes two', 250, 350, 2],
  ['takes more than there are requests for', 1000, 350, 2],
  ['takes eight, where a sweep asks for much', 2500, 800, 6],
])('an interval whose list %s is cut into sweeps', (_, pages, requests, expected) => {
  const count = sweepsPerInterval({ requests }, pages === undefined ? undefined : list(pages))
  expect(count).toBe(expected)
  const part = planShare({ ...POLL, requests }, count)
  expect(part.requests).toBeGreaterThanOrEqual(MIN_REQUESTS)
  expect(part.requests * count).toBeLessThanOrEqual(requests)
  expect(part.interval * count).toBe(POLL.interval)
})

test('a list that is read in parts costs no sweep more than its part of the requests', () => {
  check(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(1000), (pages, requests) => {
      const most = pagesToRead({ requests }, list(pages))
      expect(most).toBeLessThanOrEqual(Math.max(MIN_REQUESTS, requests) * 0.4)
      // and one that is short no more than it is long
      expect(most).toBeLessThanOrEqual(pages)
    }),
  )
})

test('what the kinds of looks get first is there, whatever the list took', () => {
  check(
    fc.property(fc.nat(1000), fc.double({ min: 0, max: 0.8, noNaN: true }), (requests, listed) => {
      const all = Math.max(MIN_REQUESTS, requests)
      const { most, shares } = lookAllowance(
        { ...POLL, requests },
        { pages: Math.floor(all * listed), projects: 1000 },
      )
      const first = Object.values(shares).reduce((sum, share) => sum + share, 0)
      expect(first).toBeLessThanOrEqual(most)
      expect(shares.age).toBeGreaterThan(0)
      expect(most + Math.floor(all * listed)).toBeLessThan(all)
    }),
  )
})

test.each([
  [10, 900],
  [1312, 900],
  [10_000, 6858],
  [100_000, 68_572],
])('of %d projects each is looked at within what a quarter of the budget affords', (projects, expected) => {
  expect(Math.ceil(affordableAge(POLL, projects))).toBe(expected)
})

test.each([
  [10, 1, 1020],
  [1312, 4, 3420],
  [10_000, 25, 26_958],
  [100_000, 125, 341_392],
])(
  'of %d projects each is looked at within a time that its share of the looks makes sure of',
  (projects, pages, expected) => {
    expect(Math.ceil(longestAge(POLL, { projects, pages }))).toBe(expected)
  },
)

test('whatever a request takes, a pass soon ends within its interval, and asks for as much as that allows', () => {
  const each = fc.double({ min: 0.02, max: 0.7, noNaN: true })
  check(
    fc.property(each, fc.double({ min: 0, max: 15, noNaN: true }), (request, fixed) => {
      const tookOf = (asked: number): number => asked * request + fixed
      let asked = POLL.requests
      const took: number[] = []
      for (let pass = 0; pass < 20; pass += 1) {
        asked = adaptToThroughput(POLL, { requestsMade: asked, took: seconds(tookOf(asked)) })
        took.push(tookOf(asked))
      }
      expect(Math.max(...took.slice(3))).toBeLessThanOrEqual(Math.max(POLL.interval, tookOf(MIN_REQUESTS)))
      const affordable = Math.floor((0.93 * POLL.interval - fixed) / request)
      expect(asked).toBeGreaterThanOrEqual(Math.min(POLL.requests, affordable))
    }),
  )
})

test('the history of all is read of an account for which that takes an hour at the most', () => {
  expect([10_500, 10_501].map((projects) => readsHistory(POLL, projects))).toEqual([true, false])
})

test('configured projects take a request each: a list of 600 takes several sweeps', () => {
  const plan = { requests: 343, hasConfiguredProjects: true }
  expect(pagesToRead(plan, undefined) * CONFIGURED_PAGE).toBeLessThanOrEqual(343)
  const last = list(30)
  expect(pagesToRead(plan, last) * CONFIGURED_PAGE).toBeLessThanOrEqual(343 / 2)
  expect(sweepsPerInterval(plan, last)).toBe(2)
})
