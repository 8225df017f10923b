import { expect, test } from 'vitest'
import type { AdviceSummary, Snapshot } from '../../../../src/model/output/snapshot.ts'
import { cu, micros, seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { bodyText, FACTS, partsOf } from '../../../support/exposed.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { ADVICE, openRecommendation, withAdvice } from '../../../support/recommendations.ts'

const lines = (taken: Snapshot): string[] =>
  bodyText(partsOf(taken, FACTS))
    .split('\n')
    .filter((line) => /^dormouse_(recommendation|saving)/.test(line))

const C = 'project_id="project-0",endpoint_id="ep-0"'
const fleet = snapshotOf(1)
const OPEN = [
  openRecommendation(),
  openRecommendation({
    kind: 'sizing',
    to: { sizing: { min: cu(0.5), max: cu(4) } },
    restarts: true,
    saving: { low: micros(-3_000_000), likely: micros(-2_000_000), high: micros(-1_000_000) },
    confidence: 'high',
  }),
]
const withSummary = (taken: Snapshot, advice: AdviceSummary | undefined): Snapshot => ({
  ...taken,
  accounts: taken.accounts.map((account) => ({ ...account, advice })),
})

test.each([
  `dormouse_recommendation_info{${C},kind="delay",restarts="false",confidence="medium"} 1`,
  `dormouse_recommendation_info{${C},kind="sizing",restarts="true",confidence="high"} 1`,
  `dormouse_recommendation_saving_per_month{${C},kind="delay",currency="USD"} 12.25`,
  `dormouse_recommendation_saving_per_month{${C},kind="sizing",currency="USD"} -2`,
  `dormouse_recommendation_delay_seconds{${C},kind="delay"} 300`,
  `dormouse_recommendation_cu_min{${C},kind="sizing"} 0.5`,
  `dormouse_recommendation_cu_max{${C},kind="sizing"} 4`,
  `dormouse_recommendation_first_seen_timestamp_seconds{${C},kind="delay"} ${at(0) / 1000}`,
  'dormouse_recommendations{account="main",kind="delay",state="open"} 1',
  'dormouse_recommendations{account="main",kind="sizing",state="implemented"} 2',
  'dormouse_recommendations{account="main",kind="unused",state="dismissed"} 0',
  'dormouse_recommendation_withheld{account="main",kind="sizing",because="history-short"} 2',
  'dormouse_saving_available_per_month{account="main",currency="USD"} 60',
  'dormouse_saving_predicted_per_month{kind="sizing",currency="USD"} 9',
  'dormouse_saving_realised_per_month{kind="sizing",currency="USD"} 8.5',
])('%s', (line) => {
  expect(lines(withAdvice(fleet, OPEN))).toContain(line)
})

test('a compute without recommendations has no series, an account before its first evaluation neither', () => {
  const { followedUp: _, ...none } = { ...ADVICE, counts: new Map(), withheld: new Map() }
  const evaluated = lines(withSummary(fleet, none))
  expect(evaluated).toHaveLength(7 * 3 + 1)
  expect(evaluated.filter((line) => !line.endsWith(' 0'))).toEqual([
    'dormouse_saving_available_per_month{account="main",currency="USD"} 60',
  ])
  expect(lines(withSummary(fleet, undefined))).toEqual([])
})

test('a delay of never has no series', () => {
  const off = withAdvice(fleet, [openRecommendation({ to: { delay: 'never' } })])
  expect(lines(off).filter((line) => line.includes('_delay_seconds'))).toEqual([])
  const fixed = withAdvice(fleet, [openRecommendation({ to: { delay: seconds(60) } })])
  expect(lines(fixed)).toContain(`dormouse_recommendation_delay_seconds{${C},kind="delay"} 60`)
})

test('follow-ups of accounts with one currency are one sum; a hostile account stays inside its label', () => {
  const taken = withAdvice(fleet)
  const accounts = taken.accounts.flatMap((view) => [view, { ...view, account: 'b"} 1\nup{x="\\' }])
  const told = lines({ ...taken, accounts })
  expect(told).toContain('dormouse_saving_predicted_per_month{kind="sizing",currency="USD"} 18')
  expect(told).toContain(
    String.raw`dormouse_saving_available_per_month{account="b\"} 1\nup{x=\"\\",currency="USD"} 60`,
  )
})
