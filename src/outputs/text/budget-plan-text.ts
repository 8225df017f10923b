// What a budget changes at each of its rungs, for terminals.
import { STEP_RUNGS, type BudgetView, type Rung, type StepRung } from '../../model/policy/budget.ts'
import { inBrackets, moneyText, percentText, rangeText, toSecond } from './amounts.ts'
import type { BudgetPlanJson, RungPlanJson } from './change-schema.ts'
import { planLines, stoppedLines } from './change-text.ts'

type StepJson = RungPlanJson['steps'][number]
type Amount = NonNullable<RungPlanJson['saving_micros']>

export const budgetPlanLines = (plan: BudgetPlanJson): readonly string[] => [
  ...stoppedLines(plan),
  `budget ${plan.budget}: ${percentText(plan.share)} spent in the period until ${toSecond(plan.period.to)}`,
  ...plan.rungs.flatMap((rung) => rungLines(rung, plan)),
]

function rungLines(rung: RungPlanJson, { currency }: Pick<BudgetPlanJson, 'currency'>): readonly string[] {
  const { steps, made } = rung
  return [
    `${rung.rung} %${rung.reached ? ', reached' : ''}: ${rung.does}${totalText(rung, currency)}`,
    ...made.map((one) => `  ${one.endpoint_id}: change ${one.change_id} is ${one.state}`),
    ...steps.flatMap((step) => stepLines(step, currency)).map((line) => `  ${line}`),
  ]
}

/** All of a change that is made; of another one what it would be, and why it is not made. */
function stepLines({ plan, state, because, saving_micros: saving }: StepJson, currency: string) {
  const [title = '', ...details] = planLines(plan)
  const amount = saving
    ? `${stepSavingText(saving, currency)} until the end of the period`
    : 'an unknown amount'
  return state === null
    ? [title, `  not made: ${because}; would save ${amount}`]
    : [title, ...details, `  ${STATE_TEXTS[state]}; saves ${amount}`]
}

const STATE_TEXTS = { scheduled: 'made by its policy', proposed: 'waits for an approval' } as const

const totalText = ({ saving_micros: saving }: RungPlanJson, currency: string): string =>
  saving ? `; saves ${stepSavingText(saving, currency)} until the end of the period` : ''

export const stepSavingText = ({ low, likely, high }: Amount, currency: string): string => {
  const textOf = (value: number) => moneyText(value, currency)
  return `${textOf(likely)}${inBrackets(rangeText({ low, high }, textOf))}`
}

const isStepRung = (rung: Rung): rung is StepRung => STEP_RUNGS.some((one) => one === rung)

const STEP_TEXTS: Readonly<Record<StepRung, string>> = {
  80: 'delays go to their floors; a larger size waits for a person',
  100: 'largest sizes go to their floors, when their policies allow a restart',
}

/** What a rung of a budget does. */
export function rungText({ enforcement }: Pick<BudgetView, 'enforcement'>, rung: Rung): string {
  if (!isStepRung(rung)) return 'notifies'
  if (enforcement.kind === 'tells') return 'notifies: the budget covers the whole account'
  if (enforcement.kind === 'held') return 'notifies: too much of the amount is assumed'
  return enforcement.rungs.includes(rung) ? `notifies; ${STEP_TEXTS[rung]}` : 'notifies: the budget is soft'
}
