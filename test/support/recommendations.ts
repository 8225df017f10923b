// Recommendations with quiet defaults: autosuspend off → 300 s on a compute of 0.25 CU.
import type { Alternative, Recommendation, Withheld } from '../../src/model/policy/recommendation.ts'
import { cu, micros, ratio, seconds, type Micros } from '../../src/model/units.ts'
import type { RecommendationContext } from '../../src/outputs/text/recommendation-json.ts'
import { at } from './build.ts'

const DAY_SECONDS = 86_400

export const amounts = (low: number, likely: number, high: number) => ({
  low: micros(low * 1e6),
  likely: micros(likely * 1e6),
  high: micros(high * 1e6),
})

export const recommendation = (over: Partial<Recommendation> = {}): Recommendation => ({
  id: 'ep-one.delay.1',
  hash: 'h1',
  ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
  kind: 'delay',
  from: { delay: 'never' },
  to: { delay: seconds(300) },
  restarts: false,
  spend: amounts(19.08, 19.08, 19.08),
  saving: amounts(9.5, 12.25, 14),
  effect: {
    wakesPerDay: { before: 0, after: 4.5 },
    sessionsCut: 2,
    connections: undefined,
  },
  confidence: 'medium',
  grounds: {
    from: at(-14 * DAY_SECONDS),
    to: at(0),
    days: 14,
    followed: ratio(0.98),
    cu: { low: cu(0.25), likely: cu(0.25), high: cu(0.25) },
    perCuHour: micros(106_000),
    gaps: [
      { low: seconds(60), high: seconds(120), count: 210 },
      { low: seconds(14_000), high: seconds(14_100), count: 63 },
    ],
  },
  alternatives: [
    alternative(60, 13, 9, 'wakes-more'),
    alternative(600, 11, 4.2, 'dearer'),
    alternative(3600, 7, 3, 'dearer'),
    alternative(86_400, 0.5, 0.2, 'dearer'),
  ],
  openedAt: at(0),
  confirmedAt: at(DAY_SECONDS),
  life: { state: 'open' },
  ...over,
})

const alternative = (
  delay: number,
  likely: number,
  after: number,
  because: Alternative['because'],
): Alternative => ({
  to: { delay: seconds(delay) },
  saving: amounts(likely - 1, likely, likely + 1),
  effect: { wakesPerDay: { before: 0, after }, sessionsCut: undefined, connections: undefined },
  because,
})

export const withheld = (over: Partial<Withheld> = {}): Withheld => ({
  kind: 'delay',
  because: 'history-short',
  have: 0.5,
  needs: 3,
  until: at(2.5 * DAY_SECONDS),
  ...over,
})

export const recommendationContext = (over: Partial<RecommendationContext> = {}): RecommendationContext => ({
  projectName: 'one',
  computeName: undefined,
  baseUrl: 'https://service.example/api/v2',
  request: {
    method: 'PATCH',
    path: '/projects/project-one/endpoints/ep-one',
    body: { endpoint: { suspend_timeout_seconds: 300 } },
  },
  wakeLatency: seconds(1),
  ...over,
})

export const ALWAYS_ON: Micros = micros(19_080_000)
