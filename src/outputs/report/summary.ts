// The report in a sentence or two: what was spent, how that compares, and whether a limit is in danger.
import { instantText, monthText } from '../text/dates.ts'
import { displayName } from '../text/display-name.ts'
import type { Report } from './schema.ts'
import { budgetAmountText, comparedText, countWithNoun, moneyText, percentText } from '../text/amounts.ts'

type Unjudged = Omit<Report, 'verdict'>
type Budget = NonNullable<Report['budgets']>[number]

export function summarySentence(report: Unjudged): string {
  if (report.known_from === null || report.known_from >= report.slot.to)
    return 'Nothing is known of this week: Dormouse did not count yet.'
  return [...spentText(report), ...budgetText(report)].join(' ')
}

function spentText(report: Unjudged): readonly string[] {
  const { spend, currency, made_at, slot, awake, known_from } = report
  const { week } = spend
  const since =
    known_from !== null && known_from > slot.from ? `, counted from ${instantText(known_from)} on` : ''
  const spent =
    awake.computes === 0
      ? `Nothing was awake, and nothing was spent${since}.`
      : `Spent ${moneyText(week.likely, currency)}${made_at < slot.to ? ' so far' : ''}${unsureText(report)}${since}${beforeText(report)}.`
  return [spent, ...courseText(report)]
}

/** A spend that may be another by more than this share of it is told with its bounds. Doubled, a bill differs by 10 % unannounced. */
const UNSURE = 0.05

function unsureText({ spend: { week }, currency }: Unjudged): string {
  const { low, likely, high } = week
  const [least, most] = [moneyText(low, currency), moneyText(high, currency)]
  if (high - low <= UNSURE * likely || least === most) return ''
  return ` (at least ${least}, at most ${most})`
}

function beforeText({ spend: { week, before }, currency, made_at, slot }: Unjudged): string {
  if (before === null || before === 0 || made_at < slot.to) return ''
  return `, ${comparedText(week.likely, before)} the week before (${moneyText(before, currency)})`
}

function courseText({ spend: { forecast, days }, currency }: Unjudged): readonly string[] {
  if (!forecast) return []
  const guess = forecast.learning ? ', a rough guess so far' : ''
  return [
    `${monthText(days.at(-1)?.date ?? '')} is on course for ${moneyText(forecast.p50, currency)}${guess}.`,
  ]
}

/** From this chance on, going over is what will probably happen. Doubled, nothing is ever probable. */
const PROBABLE = 0.5

function budgetText({ budgets }: Unjudged): readonly string[] {
  if (budgets === null || budgets.length === 0) return []
  const over = budgets.filter(({ share }) => share >= 1)
  const probable = budgets.filter(
    ({ share, probability_over: chance }) => share < 1 && chance !== null && chance >= PROBABLE,
  )
  if (over.length + probable.length === 0) return [withinText(budgets.length)]
  return [...some(over, overText), ...some(probable, probableText)]
}

const withinText = (count: number): string =>
  count === 1 ? 'The budget is within its limit.' : `All ${count} budgets are within their limits.`

/** The first, and how many more. */
function some(budgets: readonly Budget[], text: (budget: Budget) => string): readonly string[] {
  const [first, ...more] = budgets.toSorted((a, b) => b.share - a.share)
  if (!first) return []
  return [
    `${text(first)}${more.length === 0 ? '' : `, and so ${more.length === 1 ? 'is' : 'are'} ${countWithNoun(more.length, 'more budget')}`}.`,
  ]
}

const overText = ({ budget, spent, limit, unit }: Budget): string =>
  `Budget ${displayName(budget)} is over its limit: ${budgetAmountText(spent, unit)} of ${budgetAmountText(limit, unit)}`

const probableText = ({ budget, probability_over: chance }: Budget): string =>
  `Budget ${displayName(budget)} will go over its limit with a chance of ${percentText(chance ?? 0)}`
