import { expect, test } from 'vitest'
import type { WarmUpPlan, WarmUpView } from '../../../src/model/policy/warm-up.ts'
import { warmUpLines } from '../../../src/outputs/text/policy-text.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'

const PLAN: WarmUpPlan = {
  gapFrom: at(0),
  starts: [at(3480)],
  because: undefined,
  backtest: { gaps: 240, predicted: 230, came: 228, saved: seconds(392_400) },
}
const RECORD =
  '  over its last 240 gaps: 230 starts, 228 clients came, saved 109 h of awake time, each wake at its price'

test.each<[string, WarmUpView, readonly string[]]>([
  [
    'awake',
    { plan: undefined, nextAt: undefined, hold: undefined },
    ['starts ahead of clients: none while it is awake'],
  ],
  [
    'planned',
    { plan: PLAN, nextAt: at(3480), hold: undefined },
    ['starts ahead of clients: next at 2026-01-05 00:58 UTC', RECORD],
  ],
  [
    'held',
    { plan: PLAN, nextAt: at(3480), hold: { because: 'budget', until: undefined } },
    [
      'starts ahead of clients: the one of 2026-01-05 00:58 UTC is held, a budget of the compute has reached 80 %',
      RECORD,
    ],
  ],
  [
    'made',
    { plan: PLAN, nextAt: undefined, hold: undefined },
    ['starts ahead of clients: no further one in this gap', RECORD],
  ],
  [
    'in loss',
    {
      plan: {
        ...PLAN,
        starts: [],
        because: 'in-loss',
        backtest: { ...PLAN.backtest, saved: seconds(-7200) },
      },
      nextAt: undefined,
      hold: undefined,
    },
    [
      'starts ahead of clients: none, starts would have cost more than they saved, and those since have not made that good',
      RECORD.replace('saved 109 h', 'cost 2 h'),
    ],
  ],
  [
    'without a past',
    {
      plan: {
        gapFrom: undefined,
        starts: [],
        because: 'few-gaps',
        backtest: { gaps: 2, predicted: 0, came: 0, saved: seconds(0) },
      },
      nextAt: undefined,
      hold: undefined,
    },
    ['starts ahead of clients: none, fewer than five gaps between clients were seen'],
  ],
])('a compute whose starts are %s', (_, view, expected) => {
  expect(warmUpLines(view)).toEqual(expected)
})
