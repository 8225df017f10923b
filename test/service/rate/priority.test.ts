import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../support/property.ts'
import type { Priority } from '../../../src/model/ports/service.ts'
import { selectNextWaiting } from '../../../src/service/rate/rate-limiter.ts'

const CLASSES: readonly Priority[] = ['verify', 'apply', 'poll', 'report']

type One = { readonly priority: Priority; readonly order: number }
type Turn = { readonly next: One; readonly waiting: readonly One[] }

/** Every turn until nobody waits. Before turn `i` those of `arrivals[i]` ask. */
function turnsOf(arrivals: readonly (readonly Priority[])[]): Turn[] {
  const turns: Turn[] = []
  let waiting: One[] = []
  let asked = 0
  let overtaken = 0
  for (let index = 0; index < arrivals.length || waiting.length > 0; index += 1) {
    for (const priority of arrivals[index] ?? []) waiting.push({ priority, order: (asked += 1) })
    const [first, ...others] = waiting
    if (!first) continue
    const line = selectNextWaiting([first, ...others], overtaken)
    overtaken = line.overtaken
    turns.push({ next: line.next, waiting })
    waiting = waiting.filter((one) => one !== line.next)
  }
  return turns
}

const arriving = fc.array(fc.array(fc.constantFrom(...CLASSES), { maxLength: 4 }), { maxLength: 60 })
const rank = ({ priority }: One): number => CLASSES.indexOf(priority)

test('the most urgent class goes first, each in order of asking', () => {
  const turns = turnsOf([['report', 'poll', 'verify', 'apply', 'poll', 'verify']])
  expect(turns.map(({ next }) => `${next.priority} ${next.order}`)).toEqual([
    'verify 3',
    'verify 6',
    'apply 4',
    'poll 2',
    'poll 5',
    'report 1',
  ])
})

test('one request goes beside a class that fills every turn, after fifteen of it', () => {
  const turns = turnsOf([['report', 'poll'], ...Array.from({ length: 40 }, (): Priority[] => ['poll'])])
  expect(turns.findIndex(({ next }) => next.priority === 'report')).toBe(15)
})

describe('in any order of asking', () => {
  test('everybody goes once', () => {
    check(
      fc.property(arriving, (arrivals) => {
        const gone = turnsOf(arrivals).map(({ next }) => next.order)
        expect(gone.toSorted((a, b) => a - b)).toEqual(arrivals.flat().map((_, index) => index + 1))
      }),
    )
  })

  test('a class is served in order of asking', () => {
    check(
      fc.property(arriving, (arrivals) => {
        const gone = turnsOf(arrivals).map(({ next }) => next)
        for (const priority of CLASSES) {
          const orders = gone.filter((one) => one.priority === priority).map(({ order }) => order)
          expect(orders).toEqual(orders.toSorted((a, b) => a - b))
        }
      }),
    )
  })

  test('of sixteen turns in a row at most one is of a lower class than one that waits', () => {
    check(
      fc.property(arriving, (arrivals) => {
        const passedOver = turnsOf(arrivals).map(({ next, waiting }) =>
          waiting.some((one) => rank(one) < rank(next)),
        )
        const most = Math.max(
          0,
          ...passedOver.map((_, at) => passedOver.slice(at, at + 16).filter(Boolean).length),
        )
        expect(most).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('one with n before it goes after at most 16 (n + 1) turns', () => {
    check(
      fc.property(arriving, (arrivals) => {
        const turns = turnsOf(arrivals)
        for (const [at, { next }] of turns.entries()) {
          const asked = turns.findIndex(({ waiting }) => waiting.includes(next))
          const before = (turns[asked]?.waiting ?? []).filter(({ order }) => order < next.order).length
          expect(at - asked + 1).toBeLessThanOrEqual(16 * (before + 1))
        }
      }),
    )
  })
})
