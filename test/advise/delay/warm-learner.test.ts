// Which gaps are planned with warm-ups, and the record of them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFleetHazard } from '../../../src/advise/delay/fleet-hazard.ts'
import { createDelayLearner } from '../../../src/advise/delay/learner.ts'
import { createWarmUpLearner } from '../../../src/advise/delay/warm-learner.ts'
import type { WarmUpTerms } from '../../../src/advise/delay/warm-plan.ts'
import { createWarmUpRecord } from '../../../src/advise/delay/warm-record.ts'
import { check } from '../../support/property.ts'

const TERMS: WarmUpTerms = { wakeCost: 15, floor: 1, startCost: 1 / 12, hasSuspendLever: true }

/** A learner that is played gap by gap; `next` gives the plan of the gap that begins. */
function played(terms: WarmUpTerms) {
  const learner = createWarmUpLearner(terms, createFleetHazard())
  let at = 1
  return {
    next() {
      const delay = learner.decide(at)
      return { delay, warmUps: learner.warmUps(delay) }
    },
    end(length: number) {
      learner.learn(length)
      at += length + 1
    },
    record: learner.record,
  }
}

/** A client every 20 minutes. */
const TIMER = 19

describe('a timer', () => {
  test('is met a minute ahead, not before five gaps', () => {
    const one = played(TERMS)
    const plans = Array.from({ length: 12 }, () => {
      const plan = one.next()
      one.end(TIMER)
      return plan
    })
    expect(plans.slice(0, 5).flatMap(({ warmUps }) => warmUps)).toEqual([])
    expect(plans.at(-1)).toEqual({ delay: 1, warmUps: [{ from: 18, length: 1 }] })
  })

  test('the record has each prediction, the clients that came and what was saved; a loss ends warm-ups, and gains begin them', () => {
    const one = played(TERMS)
    for (let gap = 0; gap < 12; gap += 1) {
      one.next()
      one.end(TIMER)
    }
    const before = one.record()
    expect(before.predicted).toBe(before.came)
    expect(before.saved).toBeGreaterThan(before.came * 5)
    const counts = { ...before }
    let silences = 0
    for (; one.next().warmUps.length > 0 && silences < 200; silences += 1) one.end(5000)
    const after = one.record()
    expect(after.came).toBe(counts.came)
    expect(after.predicted).toBeGreaterThan(counts.predicted)
    expect(after.saved).toBeLessThan(counts.saved)
    expect(silences).toBeLessThan(200)
    one.end(TIMER)
    const again = Array.from({ length: 60 }, () => {
      const plan = one.next()
      one.end(TIMER)
      return plan.warmUps.length
    })
    expect(again.at(-1)).toBe(1)
  })
})

test.each([
  ['shorter than a warm-up', 18, { predicted: 0, came: 0, saved: 5 + 15 - (1 + 15) }],
  ['of its end', 21, { predicted: 1, came: 1, saved: 5 + 15 - (1 + 2 + 0.5) }],
  ['longer', 500, { predicted: 1, came: 0, saved: 5 + 15 - (1 + 2 + 0.5 + 15) }],
])('a record of one gap, %s', (_, length, expected) => {
  const record = createWarmUpRecord({ wakeCost: 15, startCost: 0.5 })
  record.add(length, { plan: { delay: 1, warmUps: [{ from: 19, length: 2 }] }, alone: 5 })
  expect(record.totals()).toEqual({ ...expected, balance: expected.saved })
})

test('a record is in loss while its balance is below 0; held back, a loss counts whole and a gain a quarter, up to 0', () => {
  const record = createWarmUpRecord({ wakeCost: 15, startCost: 1 })
  const wanted = { plan: { delay: 1, warmUps: [{ from: 19, length: 6 }] }, alone: 1 }
  // of a gap of 500 the start and six steps are lost; of one of 20, whose wake costs 15, a start and a step are paid
  const states = [500, 500, 20, 20, 20, 20, 20, 20, 500, 500].map((length) => {
    record.add(length, wanted)
    const { saved, balance } = record.totals()
    return [saved, balance, record.isInLoss()]
  })
  expect(states).toEqual([
    [-7, -7, true],
    [-14, -14, true],
    [-1, -10.75, true],
    [12, -7.5, true],
    [25, -4.25, true],
    [38, -1, true],
    [51, 0, false],
    [64, 13, false],
    [57, 6, false],
    [50, -1, true],
  ])
})

const anyTerms = fc.record({
  wakeCost: fc.constantFrom(2, 5, 15, 30),
  floor: fc.integer({ min: 1, max: 4 }),
  startCost: fc.constantFrom(1 / 12, 1),
  hasSuspendLever: fc.boolean(),
})

/** Gaps of a timer, some of them disturbed. */
const lengths = fc
  .tuple(
    fc.integer({ min: 2, max: 40 }),
    fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 8, maxLength: 60 }),
  )
  .map(([period, noise]) => noise.map((one) => (one < 30 ? period : Math.max(1, period + 3 * (one - 35)))))

test('no warm-up before five gaps, in loss, or of a delay that a wake does not outweigh', () => {
  check(
    fc.property(anyTerms, lengths, (terms, some) => {
      const one = played(terms)
      for (const [gap, length] of some.entries()) {
        const isInLoss = one.record().balance < 0
        const { delay, warmUps } = one.next()
        const isOutweighed = !terms.hasSuspendLever && terms.wakeCost <= delay + 1
        const isForbidden = gap < 5 || isInLoss || isOutweighed
        expect(isForbidden ? warmUps : []).toEqual([])
        expect(delay).toBeGreaterThanOrEqual(terms.floor)
        one.end(length)
      }
    }),
    100,
  )
})

test('where no warm-up is worth it, the delays are those of the learner without them', () => {
  check(
    fc.property(lengths, (some) => {
      const terms = { ...TERMS, wakeCost: 15, startCost: 100 }
      const one = played(terms)
      const alone = createDelayLearner(terms, createFleetHazard())
      let at = 1
      for (const length of some) {
        expect(one.next()).toEqual({ delay: alone.decide(at), warmUps: [] })
        one.end(length)
        alone.learn(length)
        at += length + 1
      }
    }),
    40,
  )
})
