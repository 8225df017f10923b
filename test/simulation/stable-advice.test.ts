// Weeks of stationary use with real passes, store and adviser. `test/daemon/advice/stability.test.ts` is the short form.
import { expect } from 'vitest'
import type { RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import type { LifeOfCompute, Span } from '../bench/advice/lives.ts'
import { DAY, runAccount } from '../bench/advice/run-account.ts'
import { longTest } from '../support/tiers.ts'
import { seeded } from './seeded.ts'

/** Longer than the follow-up of a recommendation from the first week. */
const DAYS = 36
/** A pass takes a millisecond or two, ms. */
const TIMEOUT = 900_000

/** A minute of activity, then a pause of exponential length, and so on. */
function stationary(series: string, delay: number, mean: number): LifeOfCompute {
  const random = seeded(mean)
  const active: Span[] = []
  for (let from = 0; from < DAYS * DAY;) {
    active.push({ from, to: from + 60 })
    from += 120 + 60 * Math.round((-Math.log(1 - random.unit()) * mean) / 60)
  }
  return { series, delay, active }
}

const lives = [
  stationary('alone-never', -1, 5400),
  stationary('alone-default', 300, 3600),
  stationary('implemented-never', -1, 7200),
  stationary('implemented-default', 300, 2700),
]

type RecommendationRow = RecommendationsJson['recommendations'][number]

longTest(
  'stationary use: one delay recommendation a compute, and none in the 28 days after it was implemented',
  async () => {
    const rows = new Map<string, RecommendationRow>()
    const implementedOn = new Map<string, number>()
    await runAccount({
      lives,
      days: DAYS,
      dayEnded: async (day, account) => {
        const { recommendations } = await account.recommendations()
        for (const row of recommendations.filter(({ kind }) => kind === 'delay')) {
          const { id, state, request, project_name: name } = row
          rows.set(id, row)
          if (state !== 'open' || !request || !name?.startsWith('implemented')) continue
          await account.send(request)
          implementedOn.set(id, day)
        }
      },
    })
    const byCompute = Map.groupBy(rows.values(), ({ project_name: name }) => name)
    for (const { series } of lives) expect.soft(byCompute.get(series) ?? [], series).toHaveLength(1)
    expect(implementedOn.size).toBe(2)
    expect(Math.max(...implementedOn.values())).toBeLessThan(DAYS - 28)
  },
  TIMEOUT,
)
