import { smallestCu, largestCu } from '../../model/service/compute.ts'
import type { AccountView, ComputeView, DisplayedState, Snapshot } from '../../model/output/snapshot.ts'
import { sumOf } from '../../std/sum.ts'
import { html, type Html } from '../text/html.ts'
import { countWithNoun, moneyText, rangeText, shownRangeText } from '../text/amounts.ts'
import { budgetStanding, type BudgetStanding } from './budgets.ts'
import type { FleetPageInput } from './select-rows.ts'
import { labelledFigure } from './layout.ts'
import { fleetPath, fleetQuery } from './query.ts'

export function fleetFigures({ snapshot, priceOf }: Pick<FleetPageInput, 'snapshot' | 'priceOf'>): Html {
  const { accounts, computes } = snapshot
  const awake = countOf(computes, 'active')
  const unknown = countOf(computes, 'unknown')
  const wakesCaused = sumOf(accounts, ({ totals }) => totals.wakesCaused)
  const unowned = computes.filter(({ identity: { owner } }) => owner.team === '').length
  return html`<dl class="figures">
    ${labelledFigure('Awake now', awake, `of ${computes.length}${unknown > 0 ? `, ${unknown} not known` : ''}`)}
    ${spendRatesOf(computes, priceOf).map(spendRateFigure)}
    ${accounts.map((view) => monthFigure(view, accounts.length))} ${budgetFigure(snapshot)}
    ${accounts.map((view) => savingFigure(view, accounts.length))}
    ${labelledFigure('Wakes caused by readings', wakesCaused, wakesCaused === 0 ? 'as it should be' : 'it should be 0')}
    ${unowned > 0 && unowned < computes.length && labelledFigure('Without a team', html`<a href="${fleetPath({ ...fleetQuery({}), team: '' })}">${unowned}</a>`)}
  </dl>`
}

const countOf = (computes: readonly ComputeView[], wanted: DisplayedState) =>
  computes.filter(({ state }) => state.shown === wanted).length

/** Micros an hour; a compute of unknown size adds its smallest size to `low`, its largest to `high`. */
type SpendRate = {
  readonly currency: string
  low: number
  high: number
  counted: number
  unknown: number
}

function spendRatesOf(computes: readonly ComputeView[], priceOf: FleetPageInput['priceOf']) {
  const rates = new Map<string, SpendRate>()
  for (const { identity, state, reading } of computes) {
    const { ref, compute, currency } = identity
    const rate = rates.get(currency) ?? { currency, low: 0, high: 0, counted: 0, unknown: 0 }
    rates.set(currency, rate)
    if (state.shown === 'unknown') rate.unknown += 1
    else rate.counted += 1
    if (state.shown !== 'active') continue
    const price = priceOf(ref.account)
    rate.low += price * (reading.size?.cu ?? smallestCu(compute.sizing))
    rate.high += price * (reading.size?.cu ?? largestCu(compute.sizing))
  }
  return [...rates.values()]
}

function spendRateFigure({ currency, low, high, counted, unknown }: SpendRate) {
  const label = 'Spending now, per hour'
  if (counted === 0) return labelledFigure(label, NOT_KNOWN)
  const [least, most] = [moneyText(low, currency), moneyText(high, currency)]
  const notes = [
    ...(least === most ? [] : [`up to ${most}`]),
    ...(unknown > 0 ? [`without ${countWithNoun(unknown, 'compute')} of unknown state`] : []),
  ]
  return labelledFigure(label, least, notes.length > 0 && notes.join(', '))
}

const NOT_KNOWN = 'not known'

function monthFigure({ account, month, currency }: AccountView, accounts: number) {
  const label = accounts > 1 ? `This month, ${account}` : 'This month'
  if (!month) return labelledFigure(label, NOT_KNOWN, 'its days are not counted yet')
  const { spent, shown } = month
  const { forecast } = shown ?? month
  const textOf = (micros: number) => moneyText(micros, currency)
  const amount = textOf((shown?.amount ?? spent).likely)
  const source = shown ? `${shownRangeText(spent, shown, textOf)}; ` : ''
  if (!forecast) return labelledFigure(label, amount, `${source}no forecast before a day is over`)
  const range = rangeText({ low: forecast.p10, high: forecast.p90 }, textOf)
  const note = `likely ${textOf(forecast.p50)} at its end${range === undefined ? '' : `, ${range}`}`
  return labelledFigure(label, amount, `${source}${note}`)
}

function savingFigure({ account, advice, currency }: AccountView, accounts: number): Html | false {
  if (!advice) return false
  const label = accounts > 1 ? `Saving available, ${account}` : 'Saving available'
  const amount = html`<a href="/recommendations">${moneyText(advice.saving.likely, currency)}</a>`
  return labelledFigure(label, amount, 'in 30 days, with all recommendations applied')
}

function budgetFigure({ accounts }: Snapshot): Html | false {
  const standings = accounts.flatMap((view) => view.budgets.map(budgetStanding))
  if (standings.length === 0) return false
  const count = (wanted: BudgetStanding) => standings.filter((standing) => standing === wanted).length
  const note = `${count('over')} over, ${count('risk')} likely to go over`
  return labelledFigure('Budgets', html`<a href="/budgets">${standings.length}</a>`, note)
}
