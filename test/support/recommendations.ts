// Recommendations with quiet defaults: autosuspend off → 300 s on a compute of 0.25 CU.
import type { ReportSource } from '../../src/daemon/reports/build.ts'
import type { AdviceSummary, OpenRecommendation, Snapshot } from '../../src/model/output/snapshot.ts'
import type { Alternative, Recommendation, Withheld } from '../../src/model/policy/recommendation.ts'
import { cu, micros, ratio, seconds, type Micros } from '../../src/model/units.ts'
import { recommendationJson, type RecommendationContext } from '../../src/outputs/text/recommendation-json.ts'
import {
  recommendationSchema,
  type RecommendationJson,
} from '../../src/outputs/text/recommendation-schema.ts'
import { at } from './build.ts'
import { viewWith } from './view-with.ts'

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

/** A fixed size of 4 CU → a range: it restarts. */
export const sizingRecommendation = (over: Partial<Recommendation> = {}): Recommendation =>
  recommendation({
    id: 'ep-one.sizing.1',
    kind: 'sizing',
    from: { sizing: { fixed: cu(4) } },
    to: { sizing: { min: cu(0.5), max: cu(4) } },
    restarts: true,
    spend: amounts(305.28, 305.28, 305.28),
    saving: amounts(120, 190, 260),
    effect: {
      wakesPerDay: undefined,
      sessionsCut: undefined,
      connections: { peak: 40, limit: 202 },
      throttled: ratio(0.004),
    },
    confidence: 'high',
    alternatives: [],
    ...over,
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
  wakeLatency: seconds(1),
  ...over,
})

/** As a client of the API decodes it. */
export const decodedRecommendation = (over: Partial<Recommendation> = {}): RecommendationJson =>
  recommendationSchema.parse(recommendationJson(recommendation(over), recommendationContext()))

export const ALWAYS_ON: Micros = micros(19_080_000)

/** As in the view of a compute. */
export const openRecommendation = (over: Partial<Recommendation> = {}): OpenRecommendation => {
  const { id, kind, from, to, restarts, spend, saving, confidence, openedAt } = recommendation(over)
  return { id, kind, from, to, restarts, spend, saving, confidence, openedAt }
}

export const ADVICE: AdviceSummary = {
  saving: amounts(50, 60, 70),
  counts: new Map([
    ['delay/open', 1],
    ['sizing/implemented', 2],
    ['delay/dismissed', 1],
  ]),
  withheld: new Map([
    ['sizing/history-short', 2],
    ['pooler/fits', 1],
  ]),
  followedUp: new Map([['sizing', { likely: micros(9_000_000), realised: micros(8_500_000) }]]),
}

/** Each compute has `open`, by default the one of `recommendation()`; each account has `ADVICE`. */
export const withAdvice = (snapshot: Snapshot, open = [openRecommendation()]): Snapshot => ({
  ...snapshot,
  accounts: snapshot.accounts.map((account) => ({ ...account, advice: ADVICE })),
  computes: snapshot.computes.map((view) => viewWith(view, { advice: open })),
})

/** What reports of recommendations are made with. */
export const REPORTED_ADVICE: ReportSource['advice'] = {
  baseUrl: 'https://service.example/api/v2',
  minSaving: micros(1_000_000),
  windows: new Map(),
}
