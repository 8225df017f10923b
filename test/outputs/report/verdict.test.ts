// What the first sentences of a report say of budgets.
import { describe, expect, test } from 'vitest'
import { instant } from '../../../src/model/units.ts'
import { FLEETS, inputOf, told } from './fleets.ts'

const dayOf = (date: string) => {
  const from = Date.parse(date)
  return { from: instant(from), to: instant(from + 86_400_000) }
}

type BudgetPart = Readonly<{ share: number; over: number; day?: string }>

const verdictWith = (...parts: readonly BudgetPart[]): string => {
  const [first] = FLEETS.busy.planned?.budgets ?? []
  const budgets = parts.flatMap(({ share, over, day }, index) =>
    first?.forecast
      ? [
          {
            ...first,
            name: `b${index}`,
            share: share as typeof first.share,
            ...(day && { per: 'day' as const, period: dayOf(day) }),
            forecast: { ...first.forecast, probabilityOver: over as typeof first.share },
          },
        ]
      : [],
  )
  const { verdict } = told(inputOf({ computes: [], planned: { budgets, month: undefined } }))
  return verdict.replace('Nothing was awake, and nothing was spent. ', '')
}

describe('the verdict', () => {
  test.each([
    [[{ share: 0.3, over: 0.1 }], 'The budget is within its limit.'],
    [
      [
        { share: 0.3, over: 0.1 },
        { share: 0.9, over: 0.4 },
      ],
      'All 2 budgets are within their limits.',
    ],
    [
      [{ share: 0.3, over: 0.1, day: '2026-11-22' }],
      'The budget is within its limit at the end of the week.',
    ],
    [
      [
        { share: 1, over: 1, day: '2026-11-22' },
        { share: 1.5, over: 1, day: '2026-11-22' },
        { share: 1.1, over: 1 },
      ],
      'Budget b1 was over its limit: 212.00 USD of 200.00 USD, and so was 1 more budget. Budget b2 is over its limit: 212.00 USD of 200.00 USD.',
    ],
    [[{ share: 0.3, over: 0.83 }], 'Budget b0 will go over its limit with a chance of 83 %.'],
    [
      [
        { share: 1, over: 1 },
        { share: 1.5, over: 1 },
        { share: 1.1, over: 1 },
      ],
      'Budget b1 is over its limit: 212.00 USD of 200.00 USD, and so are 2 more budgets.',
    ],
  ])('%j', (parts, words) => {
    expect(verdictWith(...parts)).toBe(words)
  })
})
