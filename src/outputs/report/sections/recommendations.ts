import { itemBlock, tableBlock, textBlock, type ReportBlock, type ReportSection } from '../blocks.ts'
import { computeNameText } from '../ownership.ts'
import type { Report, ReportAdvice, ReportRecommendation } from '../schema.ts'
import { moneyText, savingText } from '../../text/amounts.ts'
import { displayName } from '../../text/display-name.ts'
import { adviceCommands, implementationLines } from '../../text/recommendation-list.ts'
import {
  noWakeLines,
  recommendationLines,
  recommendationSummary,
  recommendationTitle,
} from '../../text/recommendation-text.ts'

/** The API, the page and the command have all. */
const MAX_DETAILED = 20

/** Names of clients are part of it. */
const MAX_TITLE_LENGTH = 100
const MAX_SUMMARY_LENGTH = 200

/** No section in reports of earlier versions, which did not recommend. */
export function recommendationSection({ recommendations, currency }: Report): ReportSection {
  const section = { id: 'recommendations', title: 'Recommendations' }
  if (recommendations === undefined) return { ...section, blocks: [] }
  if (recommendations === null)
    return {
      ...section,
      blocks: [textBlock('Not known: they are only in reports of this week and the last one.')],
    }
  const { listed } = recommendations
  return {
    ...section,
    blocks: [
      textBlock(totalText(recommendations, currency)),
      ...tableBlock(['Compute', 'What', '>In 30 days', 'Confidence', 'Restarts it'], listed, (one) => [
        { computes: [one] },
        displayName(recommendationTitle(one), MAX_TITLE_LENGTH),
        shortSavingText(one, currency),
        one.confidence,
        one.restarts ? 'yes' : 'no',
      ]),
      ...listed.slice(0, MAX_DETAILED).map((one) => detailBlock(one, currency)),
    ],
  }
}

function totalText(advice: ReportAdvice, currency: string) {
  const { open, below, left, min_saving_micros: least, saving_micros_per_30_days: saving } = advice
  if (open === 0) return 'There are no open recommendations.'
  const total = savingText(saving, currency)
  return [
    open === 1 ? `One is open: it ${total}.` : `${open} are open. Applying all of them together ${total}.`,
    ...(below === 0 ? [] : [unlistedText(below, `less than ${moneyText(least, currency)}`)]),
    ...(left === 0 ? [] : [unlistedText(left, 'less than those below')]),
  ].join(' ')
}

const unlistedText = (count: number, saved: string) =>
  `${count} of them ${count === 1 ? 'saves' : 'save'} ${saved} and ${count === 1 ? 'is' : 'are'} not listed.`

/** What costs more says so. */
const shortSavingText = ({ saving_micros_per_30_days: { likely } }: ReportRecommendation, currency: string) =>
  likely < 0 ? `costs ${moneyText(-likely, currency)} more` : `saves ${moneyText(likely, currency)}`

function detailBlock(one: ReportRecommendation, currency: string): ReportBlock {
  const { request, patch } = one
  const lines = [...recommendationLines(one, currency), ...noWakeLines(one.no_wake, currency)]
  const body = request?.body ? ` ${JSON.stringify(request.body)}` : ''
  return itemBlock({
    title: `${computeNameText(one)}: ${displayName(recommendationSummary(one, currency), MAX_SUMMARY_LENGTH)}`,
    lines,
    code: [
      ...(request && !patch ? [`${request.method} ${request.path}${body}`] : []),
      ...implementationLines(one),
      ...adviceCommands(one),
    ],
  })
}
