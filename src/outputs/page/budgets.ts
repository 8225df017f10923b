import {
  budgetUnit,
  amountInUnit,
  scopeText,
  type BudgetForecast,
  type BudgetLimit,
  type BurnRate,
  type BudgetWithForecast,
} from '../../model/policy/budget.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { forecastFanFigure } from '../charts/forecast-fan.ts'
import type { BudgetPlanJson } from '../text/change-schema.ts'
import { stepSavingText } from '../text/budget-plan-text.ts'
import { html, type HtmlPart } from '../text/html.ts'
import { tableHtml } from '../text/html-table.ts'
import {
  budgetAmountText,
  exactDurationText,
  percentText,
  rangeText,
  shownRangeText,
} from '../text/amounts.ts'
import { EMPTY_CELL, labelledFigure, type PageContext, type PageContent } from './layout.ts'
import { clockHtml, timeHtml, type LocalNow } from './timestamps.ts'

/** `plans`: what each budget changes, by its name; of budgets without one nothing is said. */
type BudgetsPageContext = PageContext & Readonly<{ plans?: ReadonlyMap<string, BudgetPlanJson> }>

export function budgetsPage(
  { accounts, takenAt }: Snapshot,
  { zone, plans = new Map() }: BudgetsPageContext,
): PageContent {
  const budgets = accounts.flatMap((view) => view.budgets)
  return {
    title: 'Budgets',
    path: '/budgets',
    main: html`<h1>Budgets</h1>
      ${budgets.length === 0 && html`<p class="nothing">No budgets are configured: they are defined in the section <code>budgets</code> of the configuration.</p>`}
      ${budgets.map((view) => budgetHtml(view, { now: takenAt, isOneOfMany: accounts.length > 1, zone, plan: plans.get(view.name) }))}`,
  }
}

/** There are several accounts, so that each budget names its own. */
type BudgetContext = LocalNow & { readonly isOneOfMany: boolean; readonly plan: BudgetPlanJson | undefined }

function budgetHtml(view: BudgetWithForecast, context: BudgetContext) {
  const { limit, spent, shown, period, knownFrom } = view
  const { forecast } = shown ?? view
  const fan = {
    name: view.name,
    period,
    now: context.now,
    countedFrom: knownFrom,
    limit: limit.amount,
    spent: (shown?.amount ?? spent).likely,
    forecast,
    spentByDay: view.spentByDay,
    amountOf: (value: number) => amountText(value, limit),
    dayOf: context.zone.dayOf,
  }
  const isByDay = view.spentByDay !== undefined && view.spentByDay.current.length > 0
  const firstPoint = knownFrom > period.from ? 'when counting began' : 'the beginning'
  const between = forecast ? 'now and the end' : `${firstPoint} and now`
  const linesText = isByDay ? '' : `Lines are straight between what is known: ${between}.`
  const standing = budgetStanding(view)
  return html`<section class="budget ${standing}">
    <h2><bdi>${view.name}</bdi> <span class="tag">${STANDING_TEXTS[standing]}</span></h2>
    ${aboutHtml(view, context)}
    <div class="two">
      ${forecastFanFigure(fan, { nowText: 'now', after: linesText })} ${figuresOf(view, context)}
    </div>
    ${forecast === undefined && html`<p class="about">No forecast until a whole day has been observed.</p>`}
    <details data-key="burn-${view.account}-${view.name}">
      <summary>Burn rate and thresholds</summary>
      ${burnTable(view)}
      <ul class="plain">
        <li>${rungText(view)}</li>
        ${shown && html`<li>${ledgerText(view)}</li>`} ${assumedHtml(view)}
        <li>
          With every compute awake at its largest size the burn rate would be ${burnText(view.maxBurn)}.
        </li>
      </ul>
    </details>
    ${rungsHtml(view, context)}
  </section>`
}

function aboutHtml(view: BudgetWithForecast, { isOneOfMany, zone }: BudgetContext) {
  const { account, limit, per, period, team, tier } = view
  const computes = scopeText(view.scope)
  return html`<p class="about">
    ${isOneOfMany && html`Account ${account}. `}${amountText(limit.amount, limit)} per ${per},
    ${timeHtml(period.from, zone)} to ${timeHtml(period.to, zone)}, of
    <bdi>${computes === 'all' ? 'all computes' : computes}</bdi
    >${ownerPart('team', team)}${ownerPart('tier', tier)}
  </p>`
}

const ownerPart = (label: string, name: string) => name !== '' && html`, ${label} <bdi>${name}</bdi>`

function figuresOf(view: BudgetWithForecast, context: BudgetContext) {
  const { limit, spent, shown } = view
  const { share, remaining, forecast } = shown ?? view
  const between = shownRangeText(spent, shown, (value) => amountText(value, limit))
  const range = between === undefined ? '' : `, ${between}`
  return html`<dl class="figures">
    ${labelledFigure('Spent', amountText((shown?.amount ?? spent).likely, limit), `${percentText(share)} of the limit${range}`)}
    ${labelledFigure(remaining < 0 ? 'Over by' : 'Left', amountText(Math.abs(remaining), limit))}
    ${forecast && forecastFigures(forecast, limit, context)}
  </dl>`
}

function forecastFigures(forecast: BudgetForecast, limit: BudgetLimit, { now, zone }: BudgetContext) {
  const { p10, p50, p90, learning, probabilityOver, exhaustedAt } = forecast
  const range = rangeText({ low: p10, high: p90 }, (value) => amountText(value, limit))
  const notes = [...(range === undefined ? [] : [range]), ...(learning ? ['still learning'] : [])]
  const reached = exhaustedAt !== undefined && html`limit reached about ${clockHtml(exhaustedAt, now, zone)}`
  return html`${labelledFigure('At the end', amountText(p50, limit), notes.length > 0 && notes.join(', '))}
  ${labelledFigure('Chance of going over', percentText(probabilityOver), reached)}`
}

const STANDING_TEXTS = { over: 'over', risk: 'likely to go over', fine: 'within' } as const
export type BudgetStanding = keyof typeof STANDING_TEXTS

/** Probability from which a budget is likely to go over. */
const LIKELY = 0.5

export function budgetStanding(view: BudgetWithForecast): BudgetStanding {
  const { share, forecast } = view.shown ?? view
  if (share >= 1) return 'over'
  return (forecast?.probabilityOver ?? 0) >= LIKELY ? 'risk' : 'fine'
}

const amountText = (value: number, limit: BudgetLimit) =>
  budgetAmountText(amountInUnit(value, limit), budgetUnit(limit))

function burnTable({ name, burns }: BudgetWithForecast) {
  const rows = burns.toSorted((a, b) => a.window - b.window)
  const hasOff = rows.some(({ off }) => off !== undefined)
  return html`<p class="about">How fast the budget is spent: 1 spends exactly the limit in one period.</p>
    ${tableHtml({
      label: `Burn rate of ${name}`,
      columns: [
        { title: 'Over the last', kind: 'name' },
        { title: 'Burn', kind: 'number' },
        { title: 'Usual at this time', kind: 'number' },
        { title: 'Alert from a burn of', kind: 'number' },
        ...(hasOff ? [{ title: 'Why it is off', kind: 'words' } as const] : []),
      ],
      rows: rows.map((rate) => [...burnCells(rate), ...(hasOff ? [rate.off && OFF_TEXTS[rate.off]] : [])]),
    })}`
}

const burnCells = ({ window, burn, usual, threshold, off }: BurnRate): readonly HtmlPart[] => [
  exactDurationText(window),
  burnHtml(burn),
  burnHtml(usual),
  off === undefined ? burnHtml(threshold) : 'off',
]

const burnHtml = (burn: number | undefined): HtmlPart => (burn === undefined ? EMPTY_CELL : burnText(burn))
const burnText = (burn: number) => burn.toFixed(2)

const OFF_TEXTS: Readonly<Record<NonNullable<BurnRate['off']>, string>> = {
  'out-of-reach': 'even all computes at full size could not reach it',
  'left-to-forecast': 'a burn of 1 is normal over such a window; the forecast alert covers it',
}

const rungText = ({ rungs }: BudgetWithForecast) =>
  rungs.length === 0
    ? 'No threshold is reached; the first is at 50 %.'
    : `Reached in this period: ${rungs.map((rung) => `${rung} %`).join(', ')}.`

const ledgerText = ({ spent, share, limit }: BudgetWithForecast) =>
  `Thresholds, burn rates and alerts count what the ledger takes as likely: ${amountText(spent.likely, limit)}, ${percentText(share)} of the limit.`

const assumedHtml = ({ assumed }: BudgetWithForecast) =>
  assumed > 0 && html`<li>${percentText(assumed)} of the amount is assumed: no observation covers it.</li>`

function actingText({ enforcement }: BudgetWithForecast) {
  switch (enforcement.kind) {
    case 'acts':
      return `Settings are changed where policies allow it, at ${enforcement.rungs.map((rung) => `${rung} %`).join(' and ')}.`
    case 'tells':
      return 'The budget covers the whole account: thresholds are only reported.'
    case 'held':
      return `The budget changes nothing: ${percentText(enforcement.share)} of the amount is assumed.`
  }
}

const rungsHtml = (view: BudgetWithForecast, { plan }: BudgetContext) =>
  html`<details data-key="rungs-${view.account}-${view.name}">
    <summary>What its thresholds change</summary>
    ${plan ? rungsTable(view, plan) : html`<p class="about">${actingText(view)}</p>`}
  </details>`

function rungsTable(view: BudgetWithForecast, { rungs, currency }: BudgetPlanJson) {
  return html`<p class="about">
      ${actingText(view)} What is changed is put back at the start of the next period. Each step is listed by
      <code>dormouse plan --budget ${view.name}</code>.
    </p>
    ${tableHtml({
      label: `Thresholds of ${view.name}`,
      columns: [
        { title: 'Threshold', kind: 'name' },
        { title: 'What it does', kind: 'words' },
        { title: 'Changes to make', kind: 'number' },
        { title: 'Not made', kind: 'number' },
        { title: 'Made', kind: 'number' },
        { title: 'Saves until the end', kind: 'number' },
      ],
      rows: rungs.map(({ rung, reached, does, steps, made, saving_micros: saving }) => [
        `${rung} %${reached ? ', reached' : ''}`,
        does,
        String(steps.filter(({ state }) => state !== null).length),
        String(steps.filter(({ state }) => state === null).length),
        String(made.length),
        saving ? stepSavingText(saving, currency) : EMPTY_CELL,
      ]),
    })}`
}
