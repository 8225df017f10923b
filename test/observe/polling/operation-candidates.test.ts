import { expect, test } from 'vitest'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Look } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { cu, seconds, type Seconds } from '../../../src/model/units.ts'
import {
  findOperationCandidates,
  type OperationCandidates,
} from '../../../src/observe/polling/operation-candidates.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'

const toRead = (...asked: Parameters<typeof findOperationCandidates>): OperationCandidates =>
  findOperationCandidates(...asked)

const known = (seen: Partial<Compute>, operations: readonly Operation[] = []): Ledger =>
  accounted(ledger(), sweep(100, { looks: [look(100, seen)], operations }), {
    prices,
    overhead: 0.01,
    now: at(100),
  }).ledger

const DAY = seconds(86_400)

type Wanted = 'needed' | 'welcome' | 'not'

function wanted(before: Ledger, seen: Look): Wanted {
  const { needed, welcome } = toRead({ ledger: before, looks: [seen], listed: [], history: DAY }, at(160))
  if (needed.has('project-one')) return 'needed'
  return welcome.has('project-one') ? 'welcome' : 'not'
}

const started = { state: 'active', startedAt: at(90) } as const

test.each<[string, Ledger, Partial<Compute>, Wanted]>([
  ['a compute never seen', ledger(), started, 'needed'],
  ['one that stayed asleep', known({}), {}, 'not'],
  ['one that stayed awake', known(started), { ...started, lastActive: at(150) }, 'not'],
  ['one that woke, dated', known({}), { ...started, startedAt: at(140) }, 'welcome'],
  ['one that woke, not dated', known({}), { state: 'active' }, 'needed'],
  [
    'one that woke after there was room for another interval',
    known({}),
    { ...started, startedAt: at(500) },
    'needed',
  ],
  [
    'one that was restarted',
    known(started),
    { ...started, startedAt: at(140), suspendedAt: at(139) },
    'needed',
  ],
  [
    'one that woke, was suspended by hand, and woke again',
    known({}),
    { ...started, startedAt: at(140), suspendedAt: at(139) },
    'needed',
  ],
  ['one that fell asleep', known(started), { ...started, state: 'idle', suspendedAt: at(150) }, 'welcome'],
  ['one whose size was changed', known(started), { ...started, sizing: { fixed: cu(2) } }, 'needed'],
  ['one that was changed otherwise', known(started), { ...started, updatedAt: at(140) }, 'welcome'],
  ['one that woke and slept, told by its activity alone', known({}), { lastActive: at(140) }, 'needed'],
  [
    'one with an operation still running',
    known(started, [operation('suspend_compute', 99, { status: 'running' })]),
    started,
    'needed',
  ],
])('the operations of %s', (_, before, seen, expected) => {
  expect(wanted(before, look(160, seen))).toBe(expected)
})

test('a list of projects that told of no activity leaves no room for another interval', () => {
  const woken = look(520, { ...started, startedAt: at(500) })
  expect(wanted(known({}), { ...woken, quietUntil: at(201) })).toBe('welcome')
  expect(wanted(known({}), { ...woken, quietUntil: at(200) })).toBe('needed')
})

test('operations are read from a quarter of an hour before the last look, so that none listed late is lost', () => {
  const woken = look(5000, { ...started, startedAt: at(4990) })
  const seen = { ledger: known({}), looks: [woken], listed: [], history: DAY }
  expect(toRead(seen, at(5000)).needed.get('project-one')).toBe(at(100 - 900))
})

test('of a compute never seen the history is read as far back as configured', () => {
  const seen = { ledger: ledger(), looks: [look(160, started)], listed: [], history: seconds(60 * 86_400) }
  expect(toRead(seen, at(160)).needed.get('project-one')).toBe(at(160 - 60 * 86_400))
})

test.each<[string, Partial<Compute>, 'needed' | 'welcome']>([
  ['that dates its last start', started, 'welcome'],
  ['of one that was never used', {}, 'welcome'],
  ['that dates nothing', { state: 'active' }, 'needed'],
])('in a very large account the history is welcome at most, of a record %s', (_, record, expected) => {
  const seen = { ledger: ledger(), looks: [look(160, record)], listed: [], history: undefined }
  expect(toRead(seen, at(160))[expected].has('project-one')).toBe(true)
})

test.each<[string, Seconds | undefined, Partial<Compute>, boolean]>([
  ['needed where histories are read', DAY, started, true],
  ['left in a very large account', undefined, started, false],
  ['needed there, too, where its record dates nothing', undefined, { state: 'active' }, true],
])('what came before the first look at a compute is %s', (_, history, record, expected) => {
  const before = accounted(ledger(), sweep(100, { looks: [look(100, record)], operationsReadOf: [] }), {
    prices,
    overhead: 0.01,
    now: at(100),
  }).ledger
  const found = toRead({ ledger: before, looks: [], listed: [], history }, at(160))
  expect(found.needed.has('project-one')).toBe(expected)
})

/** Since when the operations of a project are needed that was listed whole. */
const neededOf = (before: Ledger, looks: readonly Look[]): unknown => {
  const seen = { ledger: before, looks, listed: [{ projectId: 'project-one' }], history: DAY }
  return toRead(seen, at(160)).needed.get('project-one')
}

test('the history of a project is read until it was seen as a whole, also where no compute of it is new, or left', () => {
  const begin = at(160 - 86_400)
  expect(neededOf(known(started), [look(160, started)])).toBe(begin)
  expect(neededOf(ledger(), [])).toBe(begin)
  const listed = [{ projectId: 'project-one', answeredAt: at(100), endpointIds: ['ep-one'] }]
  const whole = sweep(100, { looks: [look(100, started)], listedComputes: listed })
  const seen = accounted(ledger(), whole, { prices, overhead: 0.01, now: at(100) }).ledger
  expect(neededOf(seen, [look(160, started)])).toBeUndefined()
})

test('an operation that does not end is asked about every five minutes, back to its beginning, for a day', () => {
  const running = operation('apply_config', 99, { status: 'running' })
  const readAt = (when: number): Ledger =>
    [100, when].reduce((before, second) => {
      const seen = sweep(second, {
        looks: [look(second, started)],
        operations: [running],
        operationsReadOf: ['project-one'],
      })
      return accounted(before, seen, { prices, overhead: 0.01, now: at(second) }).ledger
    }, ledger())
  const since = (read: number, now: number): unknown =>
    toRead({ ledger: readAt(read), looks: [], listed: [], history: DAY }, at(now)).needed.get('project-one')
  expect(since(7000, 7299)).toBeUndefined()
  expect(since(7000, 7300)).toBe(at(99))
  expect(since(86_498, 86_499 + 300)).toBeUndefined()
})
