// Each broken rule of the product is caught by the simulation of changes.
/* oxlint-disable no-await-in-loop -- one seed after the other */
import { expect, test } from 'vitest'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { bySize, runInBackground } from '../../support/tiers.ts'
import { BROKEN_RULES, type BrokenRule } from './broken-rules.ts'
import { RULES } from './run-seeds.ts'
import { runSeed } from './run-seed.ts'

/** Only ends what hangs: a day takes some 10 s of a core, and several times that beside other tests. */
const LONGEST = 1_800_000

runInBackground()

/** Seeds that caught it within a day. Another product lives other lives: then one of the next seeds must. */
const CAUGHT_BY: Readonly<Record<BrokenRule, number>> = {
  'blind-resend': 1,
  'no-settle': 1,
  'window-checked-when-planned': 6,
  'hold-ignored': 1,
  'kill-switch-ignored': 5,
  'persons-value-overwritten': 1,
  'revert-of-a-revert': 1,
  'rung-fired-twice': 13,
  'brake-off': 1,
  'two-restarts-for-two-fields': 1,
}

const TRIED = 6

test.each(bySize(RULES, ['blind-resend'] as const))(
  'a broken rule is caught: %s',
  async (rule) => {
    const self = createSelfMetrics()
    const caught: unknown[] = []
    for (let more = 0; more < TRIED && caught.length === 0; more += 1) {
      const job = { seed: CAUGHT_BY[rule] + more, days: 1, broken: BROKEN_RULES[rule] }
      const { violation } = await runSeed({ ...job, self })
      if (violation) caught.push(violation.invariant)
    }
    expect(caught).toHaveLength(1)
  },
  LONGEST,
)
