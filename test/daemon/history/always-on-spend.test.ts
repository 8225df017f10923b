// What a compute without autosuspend costs in 30 days, beside its spend as people see it.
import { expect, test } from 'vitest'
import { adviceContext } from '../../../src/daemon/history/recommendations.ts'
import { DAY, instant, micros, millis } from '../../../src/model/units.ts'
import { eachBound } from '../../../src/model/ledger/quantities.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { withheld } from '../../support/recommendations.ts'
import { viewWith } from '../../support/view-with.ts'

test('what a compute without autosuspend costs is what people see that it cost', () => {
  const snapshot = snapshotOf(1)
  const [first] = snapshot.computes
  if (!first) throw new Error('the snapshot has a compute')
  const shown = {
    amount: { low: 44_000_000, likely: 45_000_000, high: 46_000_000 },
    basis: 'consumption',
    until: instant(0),
    untilDate: '2026-11-28',
  } as const
  const awake = eachBound(() => millis(10 * DAY))
  const spend = eachBound(() => micros(30_000_000))
  const costOf = (ledger: Partial<typeof first.ledger>) => {
    const computes = [viewWith(first, { state: { delay: 'never' }, ledger })]
    const context = adviceContext({ ...snapshot, computes }, first.identity.ref.account, {
      baseUrlOf: () => '',
    })
    return context.withheldOf(first.identity.ref, withheld({ kind: 'delay' })).always_on_micros_per_30_days
  }
  expect(costOf({ awake, spend })).toBe(90_000_000)
  expect(costOf({ awake, spend, shown })).toBe(135_000_000)
})
