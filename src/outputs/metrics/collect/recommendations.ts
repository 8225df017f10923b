import type { AccountView, ComputeView, OpenRecommendation } from '../../../model/output/snapshot.ts'
import { RECOMMENDATION_KINDS } from '../../../model/policy/recommendation.ts'
import { largestCu, smallestCu } from '../../../model/service/compute.ts'
import { sumOf } from '../../../std/sum.ts'
import { inMoney } from '../../text/compute-fields.ts'
import { appendLabel, inSeconds, type AddSample, type ComputeLabels } from '../exposition/samples.ts'

/** Recommendations of a compute, or of a project without an endpoint id. */
export function putRecommendations(
  { advice = [] }: Pick<ComputeView, 'advice'>,
  { labels, currency }: Readonly<{ labels: ComputeLabels; currency: string }>,
  put: AddSample,
): void {
  for (const recommendation of advice) putRecommendation(recommendation, { currency, labels }, put)
}

function putRecommendation(
  { kind, to, restarts, confidence, saving, openedAt }: OpenRecommendation,
  { currency, labels }: Readonly<{ currency: string; labels: ComputeLabels }>,
  put: AddSample,
) {
  const id = appendLabel(labels, kind)
  put('recommendation_info', [...id, String(restarts), confidence], 1)
  put('recommendation_saving_per_month', [...id, currency], inMoney(saving.likely))
  put('recommendation_cu_min', id, to.sizing && smallestCu(to.sizing))
  put('recommendation_cu_max', id, to.sizing && largestCu(to.sizing))
  put('recommendation_delay_seconds', id, to.delay === 'never' ? undefined : to.delay)
  put('recommendation_first_seen_timestamp_seconds', id, inSeconds(openedAt))
}

const COUNTED_STATES = ['open', 'implemented', 'dismissed'] as const

/** Accounts that were not evaluated yet have no series. */
export function putAdvice({ account, currency, advice }: AccountView, put: AddSample): void {
  if (!advice) return
  for (const kind of RECOMMENDATION_KINDS)
    for (const state of COUNTED_STATES)
      put('recommendations', [account, kind, state], advice.counts.get(`${kind}/${state}`) ?? 0)
  for (const [key, computes] of advice.withheld) {
    const [kind = '', because = ''] = key.split('/')
    if (computes > 0) put('recommendation_withheld', [account, kind, because], computes)
  }
  put('saving_available_per_month', [account, currency], inMoney(advice.saving.likely))
}

/** Kinds of which no follow-up ended lately have no series. */
export function putFollowUps(accounts: readonly AccountView[], put: AddSample): void {
  for (const [currency, views] of Map.groupBy(accounts, (view) => view.currency))
    for (const kind of RECOMMENDATION_KINDS) {
      const ended = views.flatMap(({ advice }) => advice?.followedUp?.get(kind) ?? [])
      if (ended.length === 0) continue
      put('saving_predicted_per_month', [kind, currency], inMoney(sumOf(ended, ({ likely }) => likely)))
      put('saving_realised_per_month', [kind, currency], inMoney(sumOf(ended, ({ realised }) => realised)))
    }
}
