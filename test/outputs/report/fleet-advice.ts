// Recommendations of the fleets that reports are made of.
import type { ComputeRef, TargetRef } from '../../../src/model/service/compute.ts'
import type { ComputeAdvice, Recommendation } from '../../../src/model/policy/recommendation.ts'
import { cu, instant, micros, seconds } from '../../../src/model/units.ts'
import { isInReportPlan, type ComputeIdentity } from '../../../src/outputs/report/ownership.ts'
import { createAdviceCollector, type AdviceInput } from '../../../src/outputs/report/advice.ts'
import { recommendationJson } from '../../../src/outputs/text/recommendation-json.ts'
import type { NoWakeCosts } from '../../../src/outputs/text/recommendation-schema.ts'
import { refOf } from '../../store/build.ts'
import { amounts, recommendation, sizingRecommendation, withheld } from '../../support/recommendations.ts'

const DAY = 86_400_000
/** Begin of 2026-W47. */
const WEEK = Date.UTC(2026, 10, 16)
const onDay = (day: number) => instant(WEEK + day * DAY)

type Change = Partial<Recommendation> & { readonly endpointId: string; readonly projectId: string }

const of = (
  make: (over: Partial<Recommendation>) => Recommendation,
  { endpointId, projectId, ...over }: Change,
): Recommendation => {
  const made = make({ ref: refOf(endpointId, projectId), openedAt: onDay(2), confirmedAt: onDay(6), ...over })
  const { grounds } = made
  return {
    ...made,
    id: `${endpointId}.${made.kind}.${over.openedAt === undefined ? 2 : 1}`,
    grounds: { ...grounds, from: onDay(-8), to: onDay(6) },
  }
}

const shopMain = { endpointId: 'ep-shop-main', projectId: 'p-shop' }
const blog = { endpointId: 'ep-blog', projectId: 'p-blog' }
const dearer = { endpointId: 'ep-dearer', projectId: 'p-blog' }
const alwaysOn = { endpointId: 'ep-always-on', projectId: 'p-old' }
const earlier = { openedAt: onDay(-30) }

export const BUSY_RECOMMENDATIONS: readonly Recommendation[] = [
  of(recommendation, {
    ...alwaysOn,
    dismissedBefore: {
      id: 'ep-always-on.delay.1',
      to: { delay: seconds(300) },
      saving: amounts(5, 6, 8),
      at: onDay(-40),
      until: undefined,
      reason: 'tests run at night',
      by: 'ann',
    },
  }),
  of(recommendation, {
    ...blog,
    from: { delay: seconds(300) },
    to: { delay: seconds(240) },
    spend: amounts(28, 29, 30),
    saving: amounts(0.1, 0.4, 0.7),
    alternatives: [],
  }),
  of(recommendation, {
    ...blog,
    ...earlier,
    from: { delay: seconds(900) },
    to: { delay: seconds(300) },
    saving: amounts(4, 6, 8),
    life: { state: 'implemented', at: onDay(-24), realised: amounts(5.1, 5.25, 5.4) },
  }),
  of(sizingRecommendation, {
    ...dearer,
    from: { sizing: { min: cu(0.25), max: cu(1) } },
    to: { sizing: { min: cu(0.25), max: cu(2) } },
    spend: amounts(6, 6.34, 7),
    saving: amounts(-4, -2.5, -1),
    confidence: 'low',
  }),
  of(recommendation, {
    ...dearer,
    ...earlier,
    to: { delay: seconds(60) },
    life: {
      state: 'dismissed',
      at: onDay(3),
      until: onDay(40),
      reason: 'the demo must not wait',
      by: 'ann',
    },
  }),
  of(sizingRecommendation, shopMain),
  of(sizingRecommendation, {
    ...shopMain,
    ...earlier,
    life: { state: 'superseded', at: onDay(2), by: 'ep-shop-main.sizing.2' },
  }),
]

const evaluated = (ref: ComputeRef, reasons: ComputeAdvice['withheld']) => ({ ref, withheld: reasons })

export const BUSY_WITHHELD = [
  evaluated(refOf(shopMain.endpointId, shopMain.projectId), [
    withheld({ because: 'not-followed', until: onDay(9) }),
    withheld({ kind: 'pooler', because: 'fits', until: undefined }),
  ]),
  evaluated(refOf('ep-shop-reports', 'p-shop'), [withheld({ because: 'not-followed', until: onDay(8) })]),
]

export const BROKEN_WITHHELD = [
  evaluated(refOf('ep-shut'), [
    withheld({ kind: 'sizing', because: 'no-readings', until: undefined }),
    withheld({ until: onDay(10) }),
  ]),
]

/** As the report job makes it, without a ledger. */
export const jsonIn =
  (identityOf: (ref: TargetRef) => ComputeIdentity): AdviceInput['jsonOf'] =>
  (one) => {
    const { projectName, name: computeName } = identityOf(one.ref)
    const baseUrl = 'https://service.example/api/v2'
    const context = { projectName, computeName, baseUrl, wakeLatency: seconds(0.5) }
    return recommendationJson(one, context)
  }

/** Costs of no wake, of one delay. */
export const BUSY_NO_WAKE = new Map([
  ['ep-always-on.delay.2', [{ window: 'office hours', micros: micros(2_100_000), wakes_per_day: 3.5 }]],
])

/** Recommendations of a fleet, compute by compute; undefined: not known. */
export type FleetAdvice = {
  readonly recommendations?: readonly Recommendation[]
  readonly withheld?: readonly Pick<ComputeAdvice, 'ref' | 'withheld'>[]
  readonly noWake?: NoWakeCosts
}

export function adviceOf(
  { recommendations, withheld: reasons = [], noWake = new Map() }: FleetAdvice,
  input: AdviceInput,
) {
  if (!recommendations) return null
  const collector = createAdviceCollector(input)
  const isIn = ({ ref }: Pick<Recommendation, 'ref'>) => isInReportPlan(input.plan, input.identityOf(ref))
  for (const one of recommendations.filter(isIn)) collector.addRecommendation(one)
  for (const one of reasons.filter(isIn)) collector.addWithheld(one)
  return collector.done(noWake)
}
