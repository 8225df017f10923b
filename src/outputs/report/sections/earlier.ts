import { tableBlock, textBlock, type ReportBlock, type ReportSection } from '../blocks.ts'
import type { Report, ReportAdvice } from '../schema.ts'
import { moneyColumn } from '../../text/amounts.ts'
import { displayName } from '../../text/display-name.ts'
import { recommendationTitle, stateText } from '../../text/recommendation-text.ts'
import { KIND_TEXTS } from '../../text/withheld-text.ts'

/** Names of clients and reasons of people are part of it. */
const MAX_TITLE_LENGTH = 100
const MAX_STATE_LENGTH = 160

type Earlier = ReportAdvice['earlier']

/** Recommendations that ended, and what came of them. */
export const earlierSection = ({ recommendations, currency }: Report): ReportSection => ({
  id: 'earlier',
  title: 'What became of earlier recommendations',
  blocks: recommendations ? earlierBlocks(recommendations.earlier, currency) : [],
})

function earlierBlocks(earlier: Earlier, currency: string): readonly ReportBlock[] {
  const { listed, left, by_kind: kinds } = earlier
  const counts = countsText(earlier)
  const money = moneyColumn(
    kinds.flatMap((one) => [one.likely_micros, one.realised_micros]),
    currency,
  )
  const moneyOfListed = moneyColumn(
    listed.map((one) => promisedOf(one).likely),
    currency,
  )
  return [
    ...(counts === '' ? [] : [textBlock(counts)]),
    ...tableBlock(['Kind', '>Followed up', '>Likely in 30 days', '>Realised in 30 days'], kinds, (one) => [
      KIND_TEXTS[one.kind],
      String(one.count),
      money(one.likely_micros),
      money(one.realised_micros),
    ]),
    ...tableBlock(['Compute', 'What', '>Likely in 30 days', 'What became of it'], listed, (one) => [
      { computes: [one] },
      displayName(recommendationTitle(one), MAX_TITLE_LENGTH),
      moneyOfListed(promisedOf(one).likely),
      displayName(stateText(one, currency), MAX_STATE_LENGTH),
    ]),
    ...(left === 0 ? [] : [textBlock(`${left} older ones are not listed.`)]),
  ]
}

const promisedOf = ({ saving_micros_per_30_days: saving, ended }: Earlier['listed'][number]) =>
  ended?.promised_micros_per_30_days ?? saving

function countsText({ opened, superseded, withdrawn }: Earlier) {
  const parts = [
    ...(opened === 0 ? [] : [`${opened} opened`]),
    ...(superseded === 0 ? [] : [`${superseded} superseded by better ones`]),
    ...(withdrawn === 0 ? [] : [`${withdrawn} withdrawn`]),
  ]
  return parts.length === 0 ? '' : `In this week ${parts.join(', ')}.`
}
