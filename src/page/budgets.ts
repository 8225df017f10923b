// Budgets: what is spent against what was planned, and how the period may end.
import {
  budgetUnit,
  inUnit,
  scopeText,
  type BudgetForecast,
  type BudgetLimit,
  type Burn,
  type ForecastBudget,
} from '../model/budget.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { Instant } from '../model/units.ts'
import { dayText } from '../report/dates.ts'
import { fanSvg } from '../report/fan.ts'
import { html, type Html, type Part } from '../report/markup.ts'
import { amount, chosenText, inBrackets, percent, rangeText } from '../report/words.ts'
import { EMPTY, figure, type House, type Page } from './layout.ts'
import { clockHtml, timeHtml } from './times.ts'

export function budgetsPage({ accounts, takenAt }: Snapshot, house: House): Page {
  const budgets = accounts.flatMap((view) => view.budgets)
  return {
    title: 'Budgets',
    path: '/budgets',
    main: html`<h1>Budgets</h1>
      ${budgets.length === 0 && html`<p class="nothing">There are none: the section <code>budgets</code> of the configuration names them.</p>`}
      ${budgets.map((view) => budgetHtml(view, { now: takenAt, isOneOfMany: accounts.length > 1, house }))}`,
  }
}

type Context = { readonly now: Instant; readonly isOneOfMany: boolean; readonly house: House }

function budgetHtml(view: ForecastBudget, context: Context): Html {
  const { limit, spent, forecast, period, countedFrom } = view
  const text = fanText(view)
  const fan = {
    period,
    now: context.now,
    countedFrom,
    limit: limit.amount,
    spent: spent.likely,
    forecast,
    text,
  }
  return html`<section class="budget ${standing(view)}">
    <h2><bdi>${view.name}</bdi> <span class="tag">${STANDING[standing(view)]}</span></h2>
    ${aboutHtml(view, context)}
    <div class="two">
      <figure>
        ${fanSvg(fan)}
        <p class="ends">
          <span>${dayOf(period.from, context)}</span><span>${dayOf(period.to, context)}</span>
        </p>
        <figcaption>
          <span class="key spent">spent</span>
          ${forecast && html`<span class="key likely">forecast, with its range</span>`}
          <span class="key limit">limit</span> <span class="key today">now</span> Lines are straight between
          what is known: ${forecast ? 'now and the end' : 'the beginning and now'}.
        </figcaption>
      </figure>
      ${figuresOf(view, context)}
    </div>
    ${forecast === undefined && html`<p class="about">No forecast before a day is over.</p>`}
    <details data-key="burn-${view.account}-${view.name}">
      <summary>Burn, rungs, and what follows</summary>
      ${burnTable(view)}
      <ul class="plain">
        <li>${rungText(view)}</li>
        <li>${actingText(view)}</li>
        <li>${percent(view.assumed)} of what is counted rests on no fact.</li>
        <li>With every compute awake at its largest the burn would be ${burnText(view.maxBurn)}.</li>
      </ul>
    </details>
  </section>`
}

const dayOf = (at: Instant, { house: { zone } }: Context): string => dayText(zone.dayOf(at).date)

function aboutHtml(
  { account, limit, per, period, scope, team, tier }: ForecastBudget,
  { isOneOfMany, house: { zone } }: Context,
): Html {
  const whose = scopeText(scope)
  return html`<p class="about">
    ${isOneOfMany && html`Account ${account}. `}${amountText(limit.amount, limit)} per ${per},
    ${timeHtml(period.from, zone)} to ${timeHtml(period.to, zone)}, of
    <bdi>${whose === 'all' ? 'all computes' : whose}</bdi>${named('team', team)}${named('tier', tier)}
  </p>`
}

const named = (what: string, name: string): Html | false => name !== '' && html`, ${what} <bdi>${name}</bdi>`

function figuresOf(view: ForecastBudget, context: Context): Html {
  const { limit, spent, share, remaining, forecast } = view
  const between = rangeText(spent, (value) => amountText(value, limit))
  const range = between === undefined ? '' : `, ${between}`
  return html`<dl class="figures">
    ${figure('Spent', amountText(spent.likely, limit), `${percent(share)} of the limit${range}`)}
    ${figure(remaining < 0 ? 'Over by' : 'Left', amountText(Math.abs(remaining), limit))}
    ${forecast && aheadOf(forecast, limit, context)}
  </dl>`
}

function aheadOf(forecast: BudgetForecast, limit: BudgetLimit, { now, house: { zone } }: Context): Html {
  const { p10, p50, p90, learning, probabilityOver, exhaustedAt } = forecast
  const range = rangeText({ low: p10, high: p90 }, (value) => amountText(value, limit))
  const notes = [...(range === undefined ? [] : [range]), ...(learning ? ['still learning'] : [])]
  const reached = exhaustedAt !== undefined && html`limit reached about ${clockHtml(exhaustedAt, now, zone)}`
  return html`${figure('At the end', amountText(p50, limit), notes.length > 0 && notes.join(', '))}
  ${figure('Chance of going over', percent(probabilityOver), reached)}`
}

type Standing = 'over' | 'risk' | 'fine'

const STANDING: Readonly<Record<Standing, string>> = {
  over: 'over',
  risk: 'likely to go over',
  fine: 'within',
}

/** Doubled, none is ever likely to go over. */
const LIKELY = 0.5

function standing({ share, forecast }: ForecastBudget): Standing {
  if (share >= 1) return 'over'
  return (forecast?.probabilityOver ?? 0) >= LIKELY ? 'risk' : 'fine'
}

const amountText = (value: number, limit: BudgetLimit): string =>
  amount(inUnit(value, limit), budgetUnit(limit))

function fanText({ spent, limit, forecast }: ForecastBudget): string {
  const now = `${amountText(spent.likely, limit)} of ${amountText(limit.amount, limit)} spent`
  if (!forecast) return now
  const { p10, p50, p90 } = forecast
  const range = rangeText({ low: p10, high: p90 }, (value) => amountText(value, limit))
  return `${now}; at the end likely ${amountText(p50, limit)}${inBrackets(range)}`
}

const burnTable = ({ burns }: ForecastBudget): Html =>
  html`<table>
    <caption>
      How fast it goes: 1 spends exactly the limit in one period
    </caption>
    <thead>
      <tr>
        <th scope="col">Over the last</th>
        <th scope="col" class="number">Burn</th>
        <th scope="col" class="number">As usual then</th>
        <th scope="col" class="number">Told from a burn of</th>
      </tr>
    </thead>
    <tbody>
      ${burns.map(burnRow)}
    </tbody>
  </table>`

const burnRow = (one: Burn): Html =>
  html`<tr>
    <th scope="row">${chosenText(one.window)}</th>
    <td class="number">${burnHtml(one.burn)}</td>
    <td class="number">${burnHtml(one.usual)}</td>
    <td class="number${one.off !== undefined && ' words'}">
      ${one.off === undefined ? burnHtml(one.threshold) : OFF[one.off]}
    </td>
  </tr>`

const burnHtml = (burn: number | undefined): Part => (burn === undefined ? EMPTY : burnText(burn))

const burnText = (burn: number): string => burn.toFixed(2)

const OFF: Readonly<Record<NonNullable<Burn['off']>, string>> = {
  'out-of-reach': 'off: out of reach of all computes together',
  'left-to-forecast': 'off: a burn of 1 is normal, the forecast tells',
}

const rungText = ({ rungs }: ForecastBudget): string =>
  rungs.length === 0
    ? 'No rung is reached; the first is at 50 %.'
    : `Reached in this period: ${rungs.map((rung) => `${rung} %`).join(', ')}.`

function actingText({ acting, mode }: ForecastBudget): string {
  switch (acting.kind) {
    case 'acts':
      return 'It is hard, and Dormouse changes nothing yet: a rung is told, and nothing follows.'
    case 'tells':
      return acting.because === 'soft'
        ? 'It is soft: a rung is told, and nothing follows.'
        : `It is ${mode}, and for the whole account: a rung is told, and nothing follows.`
    case 'held':
      return `It would not be acted upon: ${percent(acting.share)} of it rests on no fact.`
  }
}
