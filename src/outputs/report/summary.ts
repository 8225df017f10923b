import { displayName } from '../text/display-name.ts'
import type { Report, ReportBudget } from './schema.ts'
import {
  budgetAmountText,
  comparedText,
  countWithNoun,
  moneyText,
  percentText,
  instantText,
  monthText,
} from '../text/amounts.ts'

type ReportWithoutVerdict = Omit<Report, 'verdict'>
export function summarySentence(report: ReportWithoutVerdict): string {
  if (report.known_from === null || report.known_from >= report.slot.to)
    return 'Nothing is known of this week: Dormouse did not count yet.'
  return [...spentText(report), ...savingText(report), ...budgetText(report)].join(' ')
}

function spentText(report: ReportWithoutVerdict) {
  const { spend, currency, made_at, slot, awake, known_from: from } = report
  const { week } = spend
  const since = from !== null && from > slot.from ? `, counted from ${instantText(from)} on` : ''
  const spent =
    awake.computes === 0
      ? `Nothing was awake, and nothing was spent${since}.`
      : `Spent ${moneyText(week.likely, currency)}${made_at < slot.to ? ' so far' : ''}${boundsText(report)}${since}${beforeText(report)}.`
  return [spent, ...partialText(report), ...forecastText(report)]
}

const partialText = ({ projects_partial: partial = 0 }: ReportWithoutVerdict) =>
  partial === 0
    ? []
    : [
        `The spend of ${countWithNoun(partial, 'project')} is incomplete: ${partial === 1 ? 'its' : 'their'} past had not been read yet.`,
      ]

/** Wider bounds, as a share of the spend, are in the summary. */
const BOUNDS_SHOWN_ABOVE = 0.05

function boundsText({ spend: { week, week_shown: shown }, currency }: ReportWithoutVerdict) {
  const { low, high } = shown ?? week
  const { likely } = week
  const [least, most] = [moneyText(low, currency), moneyText(high, currency)]
  const distance = Math.max(high - low, high - likely, likely - low)
  if (distance <= BOUNDS_SHOWN_ABOVE * likely || least === most) return ''
  return ` (at least ${least}, at most ${most}${shown ? `; ${shown.because}` : ''})`
}

function beforeText({ spend: { week, before }, currency, made_at, slot }: ReportWithoutVerdict) {
  if (before === null || before === 0 || made_at < slot.to) return ''
  return `, ${comparedText(week.likely, before)} the week before (${moneyText(before, currency)})`
}

function forecastText({ spend: { forecast, days }, currency }: ReportWithoutVerdict) {
  if (!forecast) return []
  const guess = forecast.learning ? ', a rough guess so far' : ''
  const month = monthText(days.at(-1)?.date ?? '')
  return [`${month} is on course for ${moneyText(forecast.p50, currency)}${guess}.`]
}

function savingText({ recommendations, currency }: ReportWithoutVerdict) {
  if (!recommendations || recommendations.saving_micros_per_30_days.likely <= 0) return []
  const { open, saving_micros_per_30_days: saving } = recommendations
  const applied = open === 1 ? 'the open recommendation' : `all ${open} open recommendations`
  return [`Applying ${applied} saves ${moneyText(saving.likely, currency)} in 30 days.`]
}

/** Chance of going over a limit that the summary mentions: the likelier outcome. */
const PROBABLE = 0.5

function budgetText({ budgets, slot, made_at }: ReportWithoutVerdict) {
  if (budgets === null || budgets.length === 0) return []
  const over = budgets.filter(({ share }) => share >= 1)
  const likely = budgets.filter(({ share, probability_over: odds }) => share < 1 && (odds ?? 0) >= PROBABLE)
  if (over.length + likely.length === 0) return [withinText(budgets, slot)]
  const isEnded = ({ period }: ReportBudget) => period.to <= made_at
  return [
    ...fullestText(over.filter(isEnded), (budget) => `was ${overText(budget)}`, ['was', 'were']),
    ...fullestText(
      over.filter((budget) => !isEnded(budget)),
      (budget) => `is ${overText(budget)}`,
    ),
    ...fullestText(likely, likelyText),
  ]
}

/** Where a period began inside the week, earlier periods of that budget may have gone over. */
function withinText(budgets: readonly ReportBudget[], { from }: Report['slot']) {
  const when = budgets.some(({ period }) => period.from > from) ? ' at the end of the week' : ''
  return budgets.length === 1
    ? `The budget is within its limit${when}.`
    : `All ${budgets.length} budgets are within their limits${when}.`
}

function fullestText(
  budgets: readonly ReportBudget[],
  text: (budget: ReportBudget) => string,
  [one, many]: readonly [string, string] = ['is', 'are'],
) {
  const [first, ...more] = budgets.toSorted((a, b) => b.share - a.share)
  if (!first) return []
  const others = `, and so ${more.length === 1 ? one : many} ${countWithNoun(more.length, 'more budget')}`
  return [`Budget ${displayName(first.budget)} ${text(first)}${more.length === 0 ? '' : others}.`]
}

const overText = ({ spent, limit, unit }: ReportBudget) =>
  `over its limit: ${budgetAmountText(spent, unit)} of ${budgetAmountText(limit, unit)}`

const likelyText = ({ probability_over: chance }: ReportBudget) =>
  `will go over its limit with a chance of ${percentText(chance ?? 0)}`
