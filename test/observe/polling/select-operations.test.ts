import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FailedAttempts } from '../../../src/model/observation.ts'
import { selectOperations, updatePendingOperations } from '../../../src/observe/polling/select-operations.ts'
import { at } from '../../support/build.ts'
import { check } from '../../support/property.ts'

const NOW = at(10_000)

/** Project id → since when it waits, and when it was tried last, in seconds; the welcome ones only by name. */
type Queue = {
  readonly needed: Readonly<Record<string, readonly [since: number, triedAt?: number] | undefined>>
  readonly atFirstSight?: readonly string[]
  readonly welcome?: readonly string[]
}

function chosen({ needed, atFirstSight = [], welcome = [] }: Queue, room: number): readonly string[] {
  const waiting = new Map(
    Object.entries(needed).flatMap(([id, entry]) => {
      if (!entry) return []
      const [since, triedAt] = entry
      const tried: FailedAttempts | undefined =
        triedAt === undefined ? undefined : { since: at(triedAt), at: at(triedAt) }
      return [[id, { since: at(since), failed: tried }] as const]
    }),
  )
  const wanted = {
    needed: new Map(Object.keys(needed).map((id) => [id, at(0)])),
    atFirstSight: new Set(atFirstSight),
    welcome: new Map(welcome.map((id) => [id, at(0)])),
  }
  return selectOperations(wanted, { waiting, room }, NOW).map(([id]) => id)
}

test('what waits for longest is read first, then what is welcome', () => {
  const queue = { needed: { new: undefined, late: [300], early: [100] }, welcome: ['named'] } as const
  expect(chosen(queue, 10)).toEqual(['early', 'late', 'new', 'named'])
  expect(chosen(queue, 2)).toEqual(['early', 'late'])
})

test('what is seen for the first time does not wait: later its operations tell less', () => {
  const queue = { needed: { new: undefined, early: [100] }, atFirstSight: ['new'] } as const
  expect(chosen(queue, 1)).toEqual(['new'])
})

test('what was asked for in vain stands behind, but not for ever', () => {
  const fresh = Array.from({ length: 30 }, (_, index) => [`fresh-${index}`, [5000 + index]] as const)
  const needed = Object.fromEntries([
    ['failed-late', [50, 9000]],
    ['failed-early', [100, 8000]],
    ...fresh,
  ]) as Queue['needed']
  expect(chosen({ needed }, 10)).toEqual([...fresh.slice(0, 9).map(([id]) => id), 'failed-early'])
})

test('no more is read than there is room, nothing twice, and room is left only when nothing waits', () => {
  const waits = fc.option(fc.tuple(fc.nat(9000), fc.nat(9000)), { nil: undefined })
  check(
    fc.property(fc.array(waits, { maxLength: 30 }), fc.nat(10), fc.nat(40), (entries, named, room) => {
      const needed = Object.fromEntries(entries.map((entry, index) => [`needed-${index}`, entry]))
      const welcome = Array.from({ length: named }, (_, index) => `welcome-${index}`)
      const ids = chosen({ needed, welcome }, room)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toHaveLength(Math.min(room, entries.length + named))
    }),
  )
})

test('what is needed and was not read waits on, since it was needed first', () => {
  const before = new Map([
    ['read', { since: at(100), failed: undefined }],
    ['failed', { since: at(200), failed: { since: at(300), at: at(300) } }],
    ['no-longer-needed', { since: at(100), failed: undefined }],
  ])
  const needed = new Map(['read', 'failed', 'left-out', 'failed-first'].map((id) => [id, at(0)]))
  const after = updatePendingOperations(
    before,
    { needed, read: new Set(['read']), failed: new Set(['failed', 'failed-first']) },
    NOW,
  )
  expect([...after]).toEqual([
    ['failed', { since: at(200), failed: { since: at(300), at: NOW } }],
    ['left-out', { since: NOW, failed: undefined }],
    ['failed-first', { since: NOW, failed: { since: NOW, at: NOW } }],
  ])
})
