// The figures above the fleet.
import { smallestCu, largestCu } from '../model/compute.ts'
import type { AccountView, ComputeView, Snapshot } from '../model/snapshot.ts'
import { html, type Html } from '../report/markup.ts'
import { money } from '../report/words.ts'
import type { Fleet } from './fleet.ts'
import { figure } from './layout.ts'
import { fleetPath, fleetQuery } from './query.ts'

export function fleetFigures({ snapshot, priceOf }: Pick<Fleet, 'snapshot' | 'priceOf'>): Html {
  const { accounts, computes } = snapshot
  const awake = computes.filter(({ state }) => state === 'active').length
  const caused = accounts.reduce((sum, { totals }) => sum + totals.wakesCaused, 0)
  const unowned = computes.filter(({ owner }) => owner.team === '').length
  return html`<dl class="figures">
    ${figure('Awake now', awake, `of ${computes.length}`)}
    ${ratesOf(computes, priceOf).map(({ currency, low, high }) => figure('Spending now, an hour', money(low, currency), high > low && `up to ${money(high, currency)}`))}
    ${accounts.map((view) => monthFigure(view, accounts.length))} ${budgetFigure(snapshot)}
    ${figure('Wakes caused by Dormouse', caused, caused === 0 ? 'as it should be' : 'it should be 0')}
    ${unowned > 0 && unowned < computes.length && figure('Without a team', html`<a href="${fleetPath({ ...fleetQuery({}), team: '' })}">${unowned}</a>`)}
  </dl>`
}

type Rate = { readonly currency: string; low: number; high: number }

/** Micros an hour; of a size that is not known, what the smallest and the largest would cost. */
function ratesOf(computes: readonly ComputeView[], priceOf: Fleet['priceOf']): readonly Rate[] {
  const rates = new Map<string, Rate>()
  for (const { ref, state, compute, currency, currentCu } of computes) {
    const rate = rates.get(currency) ?? { currency, low: 0, high: 0 }
    rates.set(currency, rate)
    if (state !== 'active') continue
    const price = priceOf(ref.account)
    rate.low += price * (currentCu?.cu ?? smallestCu(compute.sizing))
    rate.high += price * (currentCu?.cu ?? largestCu(compute.sizing))
  }
  return [...rates.values()]
}

function monthFigure({ account, month, currency }: AccountView, accounts: number): Html | false {
  if (!month) return false
  const { forecast, spent } = month
  const ahead = forecast
    ? `likely ${money(forecast.p50, currency)} at its end, ${money(forecast.p10, currency)} to ${money(forecast.p90, currency)}`
    : 'no forecast before a day is over'
  return figure(accounts > 1 ? `This month, ${account}` : 'This month', money(spent.likely, currency), ahead)
}

function budgetFigure({ accounts }: Snapshot): Html | false {
  const budgets = accounts.flatMap((view) => view.budgets)
  if (budgets.length === 0) return false
  const over = budgets.filter(({ share }) => share >= 1).length
  const risk = budgets.filter(
    ({ share, forecast }) => share < 1 && (forecast?.probabilityOver ?? 0) >= LIKELY,
  ).length
  return figure(
    'Budgets',
    html`<a href="/budgets">${budgets.length}</a>`,
    `${over} over, ${risk} likely to be`,
  )
}

/** Doubled, nothing is ever likely. */
const LIKELY = 0.5
