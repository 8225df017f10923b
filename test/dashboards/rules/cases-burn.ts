import { series, type Case, type Firing, type Series } from './case.ts'

const OFFICE = { budget: 'office', team: 'payments', tier: 'dev' } as const
const PERIOD = 30 * 86_400
/** A burn rate of 1 is 1 per second: sums of whole numbers are exact, and a counter that falls by a rounding error counts as reset. */
const LIMIT = PERIOD

const MINUTES = { '2m': 2, '15m': 15 } as const
type Step = keyof typeof MINUTES
type Stretch = readonly [hours: number, burn: number]

/** Spend from 0 on, at one burn rate after the other, each for some hours. */
function spending(step: Step, stretches: readonly Stretch[], replica?: string): Series {
  let total = 0
  const values = stretches.map(([hours, burn], at) => {
    const each = burn * 60 * MINUTES[step]
    const count = Math.round((hours * 60) / MINUTES[step])
    const begin = at === 0 ? total : total + each
    total += each * count
    return `${begin}+${each}x${at === 0 ? count : count - 1}`
  })
  return series('budget_spend_total', { ...OFFICE, unit: 'USD' }, values.join(' '), replica)
}

/** The other series of a budget, for `samples`; the usual burn rate is the same at every hour by default. */
const budget = (samples: number, maxBurn: number, usual = 1): readonly Series[] => [
  series('budget_period_seconds', OFFICE, `${PERIOD}x${samples}`),
  series('budget_limit', { ...OFFICE, unit: 'USD' }, `${LIMIT}x${samples}`),
  series('budget_max_burn', OFFICE, `${maxBurn}x${samples}`),
  ...['1h', '6h', '1d'].map((window) =>
    series('budget_expected_burn', { ...OFFICE, window }, `${usual}x${samples}`),
  ),
]

const burns = (severity: Firing['severity'], times: string): readonly Firing[] => [
  { severity, labels: OFFICE, summary: `Budget office is spent ${times} times as fast as planned.` },
]
const fast = (times: string): readonly Firing[] => burns('critical', times)
const slow = (times: string): readonly Firing[] => burns('warning', times)

const FAST: readonly Case[] = [
  {
    title: 'twenty times too fast for fifty minutes: the short window ends it',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [
      spending('2m', [
        [2, 1],
        [50 / 60, 20],
        [1, 0],
      ]),
      ...budget(115, 30),
    ],
    checks: [
      ['2h30m', []],
      ['2h44m', []],
      ['2h48m', fast('16.2')],
      ['2h58m', []],
    ],
  },
  {
    title: 'eight times too fast for six hours: the longer window sees it',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [
      spending('2m', [
        [6, 8],
        [1, 0],
      ]),
      ...budget(210, 30),
    ],
    checks: [
      ['4h', []],
      ['5h', fast('6.667')],
      ['6h40m', []],
    ],
  },
  {
    title: 'exactly as planned',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 1]]), ...budget(240, 2)],
    checks: [
      ['2h', []],
      ['8h', []],
    ],
  },
  {
    title: 'fourteen times is out of reach for a fleet that cannot burn more than five: four are enough',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[3, 4.5]]), ...budget(90, 5)],
    checks: [
      ['44m', []],
      ['2h', fast('4.5')],
    ],
  },
  {
    title: 'a fleet that can hardly exceed its limit: left to the forecast',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 1.8]]), ...budget(240, 1.8)],
    checks: [['8h', []]],
  },
  {
    title: 'office hours: four times as fast is usual by day',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 4]]), ...budget(240, 4.2, 4)],
    checks: [['8h', []]],
  },
  {
    title: 'office hours: at night it is not',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 4]]), ...budget(240, 4.2, 0.5)],
    checks: [['2h', fast('4')]],
  },
  {
    title: 'eight times is usual in these six hours',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 8]]), ...budget(240, 30, 6)],
    checks: [['8h', []]],
  },
  {
    title: 'three and a half times, seen by two replicas: not seven',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [spending('2m', [[8, 3.5]]), spending('2m', [[8, 3.5]], 'two:9477'), ...budget(240, 30)],
    checks: [['8h', []]],
  },
  {
    title: 'the counter begins anew: no leap',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [
      series('budget_spend_total', { ...OFFICE, unit: 'USD' }, '500+120x60 0+120x59'),
      ...budget(120, 30),
    ],
    checks: [
      ['2h4m', []],
      ['3h', []],
    ],
  },
  {
    title: 'twenty times too fast, and the counter begins anew: no less an alert',
    alert: 'BudgetBurnFast',
    step: '2m',
    series: [
      series('budget_spend_total', { ...OFFICE, unit: 'USD' }, '500+2400x60 0+2400x59'),
      ...budget(240, 30),
    ],
    checks: [['2h30m', fast('19.33')]],
  },
]

const SLOW: readonly Case[] = [
  {
    title: 'three times too fast for most of a day, until it ends',
    alert: 'BudgetBurnSlow',
    step: '15m',
    series: [
      spending('15m', [
        [20, 3],
        [4, 0],
      ]),
      ...budget(96, 30),
    ],
    checks: [
      ['15h', []],
      ['16h45m', []],
      ['18h', slow('2.25')],
      ['23h', []],
    ],
  },
  {
    title: 'exactly as planned, for four days',
    alert: 'BudgetBurnSlow',
    step: '15m',
    series: [spending('15m', [[96, 1]]), ...budget(384, 2)],
    checks: [
      ['24h', []],
      ['96h', []],
    ],
  },
  {
    title: 'what the faster tiers cannot see of a fleet that can hardly exceed its limit',
    alert: 'BudgetBurnSlow',
    step: '15m',
    series: [spending('15m', [[30, 1.7]]), ...budget(120, 1.8)],
    checks: [['28h', slow('1.7')]],
  },
  {
    title: 'three times as fast is usual on such a day',
    alert: 'BudgetBurnSlow',
    step: '15m',
    series: [spending('15m', [[48, 3]]), ...budget(192, 30, 2)],
    checks: [['48h', []]],
  },
]

export const BURN_CASES: readonly Case[] = [...FAST, ...SLOW]
