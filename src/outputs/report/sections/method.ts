import { tableBlock, textBlock, type ReportSection } from '../blocks.ts'
import { displayName } from '../../text/display-name.ts'
import type { Report } from '../schema.ts'
import { KIND_TEXTS, WITHHELD_TEXTS } from '../../text/withheld-text.ts'
import { moneyText, priceText, instantText } from '../../text/amounts.ts'

/** The table must fit a line of a mail. */
const MAX_REASON_LENGTH = 120

type Group = Report['not_analysed'][number]

export const notAnalysedSection = ({ not_analysed: groups, ...report }: Report): ReportSection => ({
  id: 'not-analysed',
  title: 'Not fully analysed, and why',
  blocks: [
    ...tableBlock(['Why', '>Computes', '>Spend', 'Such as'], groups, (group) => [
      whyText(group),
      String(group.computes),
      moneyText(group.micros, report.currency),
      { computes: group.examples },
    ]),
    ...withheldBlocks(report.recommendations),
  ],
})

function withheldBlocks(advice: Report['recommendations']) {
  const groups = advice?.withheld.filter(({ because }) => because !== 'fits') ?? []
  const titles = ['No recommendation of', 'Why', '>Computes', 'First answer', 'Such as']
  return tableBlock(titles, groups, ({ kind, because, computes, until, examples }) => [
    KIND_TEXTS[kind],
    WITHHELD_TEXTS[because],
    String(computes),
    until === null ? 'not by waiting' : instantText(until),
    { computes: examples },
  ])
}

const whyText = ({ reason, because }: Group) =>
  reason === 'uncertain'
    ? 'its spend is uncertain by more than 20 %'
    : `nothing was read inside it, so who used it is not known${because === null ? '' : `: ${displayName(because, MAX_REASON_LENGTH)}`}`

export function pricesSection({ prices, currency, redacted }: Report): ReportSection {
  const [only] = prices
  const isSingle = only !== undefined && prices.length === 1
  const single = isSingle ? `A CU-hour cost ${priceText(only.cu_hour_micros, currency)}. ` : ''
  return {
    id: 'prices',
    title: 'Prices and method',
    blocks: [
      ...tableBlock(['From', '>A CU-hour'], isSingle ? [] : prices, ({ from, cu_hour_micros }) => [
        from === null ? 'before' : instantText(from),
        priceText(cu_hour_micros, currency),
      ]),
      textBlock(
        `${single}Spend is size times time awake times the price at that time: storage and transfer are not in it. ` +
          'Changes are split in this order: time awake, then size, then price.' +
          (redacted.length === 0 ? '' : ` Left out as configured: ${redacted.join(', ')}.`),
      ),
    ],
  }
}
