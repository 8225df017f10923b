import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ComputeAdvice, Recommendation, WithheldBecause } from '../../src/model/policy/recommendation.ts'
import type { AutosuspendDelay } from '../../src/model/service/compute.ts'
import { seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { check } from '../support/property.ts'
import { amounts, withheld } from '../support/recommendations.ts'
import { advance, DAY, delayAlternative, proposal, setting, type Evaluation } from './evaluation.ts'

/** One day of a compute: what its evaluation says of delays, and what people do. */
const dayOfLife = fc.record({
  days: fc.integer({ min: 0, max: 9 }),
  result: fc.oneof(
    fc.record({
      to: fc.constantFrom(60, 300, 600),
      likely: fc.integer({ min: -5, max: 19 }),
      kept: fc.integer({ min: -5, max: 19 }),
    }),
    fc.constantFrom<WithheldBecause>('fits', 'policy', 'not-followed', 'saving-small'),
  ),
  delay: fc.constantFrom<AutosuspendDelay | undefined>(
    undefined,
    undefined,
    'never',
    seconds(60),
    seconds(300),
  ),
  isDismissed: fc.constantFrom(false, false, false, true),
})

test('ids increase, at most one is open, what ended keeps its end, and a second evaluation changes nothing', () => {
  check(
    fc.property(fc.array(dayOfLife, { maxLength: 30 }), (days) => {
      const rows = new Map<string, Recommendation>()
      let made: ComputeAdvice['made'] = {}
      let delay: AutosuspendDelay = 'never'
      let day = 0
      for (const step of days) {
        day += step.days
        delay = step.delay ?? delay
        const evaluation = evaluationOf(step, delay)
        const previous = [...rows.values()]
        const first = advance({ ...evaluation, day, previous, made })
        for (const row of first.recommendations) {
          const before = rows.get(row.id)
          expect(before === undefined || before.life.state === 'open').toBe(true)
          rows.set(row.id, row)
        }
        made = first.made
        expect([...rows.keys()]).toEqual(Array.from(rows.keys(), (_, index) => `ep-one.delay.${index + 1}`))
        const opened = [...rows.values()].filter(({ life }) => life.state === 'open')
        expect(opened.length).toBeLessThanOrEqual(1)
        expect(opened.length + first.withheld.length).toBeLessThanOrEqual(1)
        const second = advance({ ...evaluation, day, previous: [...rows.values()], made })
        expect(second).toEqual({ ...first, recommendations: [] })
        for (const row of opened.filter(() => step.isDismissed)) {
          const life = {
            state: 'dismissed',
            at: at(day * DAY),
            until: undefined,
            reason: 'r',
            by: 'b',
          } as const
          rows.set(row.id, { ...row, life })
        }
      }
    }),
    300,
  )
})

function evaluationOf(
  { result }: Parameters<Parameters<typeof dayOfLife.map>[0]>[0],
  delay: AutosuspendDelay,
): Evaluation {
  const input = { settings: setting(delay) }
  if (typeof result === 'string') return { input, withheld: [withheld({ because: result })] }
  const { to, likely, kept } = result
  const others = [60, 300, 600].filter((other) => other !== to && other !== delay)
  return to === delay
    ? { input, withheld: [withheld({ because: 'fits' })] }
    : {
        input,
        proposals: [
          proposal({
            from: { delay },
            to: { delay: seconds(to) },
            saving: amounts(likely, likely, likely),
            alternatives: others.map((other) => delayAlternative(other, kept, 0)),
          }),
        ],
      }
}

test('30 days of noise around the same optimum make one recommendation', () => {
  check(
    fc.property(
      fc.array(
        fc.record({
          likely: fc.double({ min: 12, max: 12.9, noNaN: true }),
          kept: fc.double({ min: 12, max: 12.9, noNaN: true }),
          to: fc.constantFrom(60, 300),
          isShown: fc.constantFrom(true, true, false),
        }),
        { minLength: 30, maxLength: 30 },
      ),
      (days) => {
        const rows = new Map<string, Recommendation>()
        let made: ComputeAdvice['made'] = {}
        for (const [day, { likely, kept, to, isShown }] of days.entries()) {
          // at least twice a week the evaluation proposes something
          const hasProposal = isShown || day % 4 === 0
          const result = advance({
            day,
            previous: [...rows.values()],
            made,
            proposals: hasProposal
              ? [
                  proposal({
                    to: { delay: seconds(to) },
                    saving: amounts(likely - 1, likely, likely + 1),
                    effect: delayAlternative(to, likely, 0).effect,
                    alternatives: [delayAlternative(to === 60 ? 300 : 60, kept, 0)],
                  }),
                ]
              : [],
            withheld: hasProposal ? [] : [withheld({ because: 'saving-small' })],
          })
          for (const row of result.recommendations) rows.set(row.id, row)
          made = result.made
        }
        expect(made).toEqual({ delay: 1 })
        expect([...rows.values()].map(({ life }) => life.state)).toEqual(['open'])
      },
    ),
  )
})
