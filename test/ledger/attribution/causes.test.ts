import { expect, test } from 'vitest'
import { parseCulpritKey, attributeAt } from '../../../src/ledger/attribution/causes.ts'
import {
  attributionIn,
  mergeAttribution,
  addAttribution,
} from '../../../src/ledger/attribution/attribution.ts'
import type { AwakeInterval, Attribution, AttributedInterval } from '../../../src/model/ledger/evidence.ts'
import type { AccumulatedUsage } from '../../../src/model/ledger/reading-state.ts'
import type { AwakeIndicators, ClientGroup, Reading } from '../../../src/model/observation.ts'
import { millis, seconds } from '../../../src/model/units.ts'
import { at, evidence, operation, reading } from '../../support/build.ts'

const group = (application: string, over: Partial<ClientGroup> = {}): ClientGroup => ({
  application,
  user: 'app_owner',
  database: 'app',
  connections: 1,
  working: 0,
  idleInTransaction: 0,
  lastStatement: undefined,
  ...over,
})

function seeing(causes: Partial<AwakeIndicators>, clients: readonly ClientGroup[] = []): Reading {
  const quiet = reading()
  if ('missing' in quiet.causes) throw new Error('a quiet reading has causes')
  return { ...quiet, causes: { ...quiet.causes, ...causes }, clients }
}

const use = (arrivals: number, averageActive: number): AccumulatedUsage['last'] => ({
  span: millis(60_000),
  arrivals,
  averageActive,
})

/** Cause and application → seconds of a minute. */
const named = (held: Attribution): Record<string, number> =>
  Object.fromEntries(
    Object.entries(held).map(([key, time]) => {
      const { cause, application } = parseCulpritKey(key)
      return [application === '' ? cause : `${cause} ${application}`, time / 1000]
    }),
  )

const idle = group('web', { lastStatement: at(50) })
const older = group('cron', { lastStatement: at(10) })

test.each<[string, Reading, AccumulatedUsage['last'], Record<string, number>]>([
  ['nobody is there', seeing({}), undefined, {}],
  [
    'clients are at work',
    seeing({ working: 4, idleInTransaction: 1 }, [
      group('web', { working: 3 }),
      group('batch', { working: 1 }),
      idle,
    ]),
    undefined,
    { 'clients web': 45, 'clients batch': 15 },
  ],
  [
    'transactions are left open',
    seeing({ idleInTransaction: 1 }, [group('orm', { idleInTransaction: 1 }), idle]),
    undefined,
    { 'idle-in-transaction orm': 60 },
  ],
  ['a replica follows', seeing({ replication: 1 }, [idle]), undefined, { replication: 60 }],
  ['it subscribes', seeing({ subscriptions: 2 }), undefined, { subscription: 60 }],
  ['vacuum runs', seeing({ autovacuum: 1 }), undefined, { autovacuum: 60 }],
  ['clients are silent', seeing({}, [older, idle]), use(3, 0.2), { 'clients web': 60 }],
  [
    'nobody came and hardly anything ran',
    seeing({}, [older, idle]),
    use(0, 0.0001),
    { 'keep-alive web': 60 },
  ],
  ['nobody came and nothing ran', seeing({}, [idle]), use(0, 0), { 'clients web': 60 }],
])('what holds a compute when %s', (_, seen, used, expected) => {
  expect(named(attributeAt(seen, used, millis(60_000)))).toEqual(expected)
})

test('without the rights to see clients nobody is blamed', () => {
  expect(attributeAt({ ...seeing({}), causes: { missing: 'no rights' } }, undefined, millis(1000))).toEqual(
    {},
  )
})

test('names with any character come back as they were', () => {
  const odd = group('a/b c%2F', { user: 'ü', database: '', lastStatement: at(1) })
  const [key = ''] = Object.keys(attributeAt(seeing({}, [odd]), undefined, millis(1000)))
  expect(parseCulpritKey(key)).toEqual({ cause: 'clients', application: 'a/b c%2F', user: 'ü', database: '' })
})

const edge = (when: number) =>
  ({ earliest: at(when), likely: at(when), latest: at(when), source: 'record' }) as const
const interval = (from: number, to: number): AwakeInterval => ({
  from: edge(from),
  to: edge(to),
  knownUntil: at(to),
  restart: false,
})
const stretch = (from: number, to: number, by: Record<string, number>): AttributedInterval => ({
  from: at(from),
  to: at(to),
  by: Object.fromEntries(Object.entries(by).map(([key, length]) => [key, millis(length * 1000)])),
})
const inSeconds = (held: Attribution): Record<string, number> =>
  Object.fromEntries(Object.entries(held).map(([key, time]) => [key, time / 1000]))

test('an interval has of each stretch the part inside it', () => {
  const held = [stretch(-60, -30, { web: 30 }), stretch(80, 140, { web: 40, cron: 20 })]
  expect(inSeconds(attributionIn(interval(0, 110), evidence({ attributed: held }), seconds(300)))).toEqual({
    web: 20,
    cron: 10,
  })
})

test('autosuspend that is off holds all of the time, and so does a check that nobody followed', () => {
  const held = [stretch(10, 20, { web: 10 })]
  const all = (known: Parameters<typeof evidence>[0], delay: Parameters<typeof attributionIn>[2]) =>
    named(attributionIn(interval(0, 110), evidence({ attributed: held, ...known }), delay))
  const operations = [operation('check_availability', -1)]
  expect(all({}, 'never')).toEqual({ 'autosuspend-off': 110 })
  expect(all({ attributed: [], operations }, seconds(300))).toEqual({ 'availability-check': 110 })
  expect(all({ attributed: [], operations, activities: [at(40)] }, seconds(300))).toEqual({})
})

test('names stay bounded and no time is lost', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ [`name-${index}`]: millis(1000 + index) }))
  const sum = many.reduce<Attribution>(addAttribution, {})
  expect(Object.keys(sum)).toHaveLength(20)
  expect(Object.values(sum).reduce((all, time) => all + time, 0)).toBe(50 * 1000 + (49 * 50) / 2)
})

test('stretches of the open interval that are long over are kept as their sum', () => {
  const held = [
    stretch(-60, -30, { web: 30 }),
    stretch(10, 20, { web: 10 }),
    stretch(40, 60, { web: 5, cron: 15 }),
    stretch(900, 960, { web: 60 }),
  ]
  const merged = mergeAttribution(held, at(0), at(500))
  expect(
    merged.map(({ from, to, by }) => [(from - at(0)) / 1000, (to - at(0)) / 1000, inSeconds(by)]),
  ).toEqual([
    [-60, -30, { web: 30 }],
    [10, 60, { web: 15, cron: 15 }],
    [900, 960, { web: 60 }],
  ])
})
