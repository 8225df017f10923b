// Weeks of stationary use with real passes, store and adviser. `test/daemon/advice/stability.test.ts` is the short form, with the adviser alone.
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import type { LifeOfCompute, Span } from './lives.ts'
import { DAY, runAccount } from './run-account.ts'
import type { Figures } from '../run.ts'
import { seeded } from '../../simulation/seeded.ts'

/** Longer than the follow-up of a recommendation from the first week. */
const DAYS = 36
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

/** Two of the computes follow their recommendation at the end of the day on which it is made. */
export async function stationaryAdvice(): Promise<Figures> {
  const rows = new Map<string, RecommendationRow>()
  const implementedOn = new Map<string, number>()
  await runAccount({
    lives,
    days: DAYS,
    // looks at most 120 s apart follow activity
    interval: '2m',
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
  const made = lives.map(
    ({ series }) => [...rows.values()].filter(({ project_name: name }) => name === series).length,
  )
  return {
    rows: [
      [`${DAYS} days of stationary use, ${lives.length} computes`, '', ''],
      ['  delay recommendations a compute, at most', `${Math.max(...made)}`, '1'],
      ['  at least', `${Math.min(...made)}`, '1'],
      ['  implemented', `${implementedOn.size}`, '2'],
      ['  the last on day', `${Math.max(...implementedOn.values())}`, `≤ ${DAYS - 28}`],
    ],
    json: { most: Math.max(...made), least: Math.min(...made), implemented: implementedOn.size },
  }
}
