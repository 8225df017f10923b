// The figures above the fleet.
import { smallestCu, largestCu } from '../../model/service/compute.ts'
import type {
  AccountView,
  ComputeView,
  MonthView,
  DisplayedState,
  Snapshot,
} from '../../model/output/snapshot.ts'
import { html, type Html } from '../text/html.ts'
import { countWithNoun, moneyText, rangeText } from '../text/amounts.ts'
import type { FleetPageInput } from './fleet.ts'
import { labelledFigure } from './layout.ts'
import { fleetPath, fleetQuery } from './query.ts'

export function fleetFigures({ snapshot, priceOf }: Pick<FleetPageInput, 'snapshot' | 'priceOf'>): Html {
  const { accounts, computes } = snapshot
  const awake = countOf(computes, 'active')
  const unknown = countOf(computes, 'unknown')
  const caused = accounts.reduce((sum, { totals }) => sum + totals.wakesCaused, 0)
  const unowned = computes.filter(({ owner }) => owner.team === '').length
  return html`<dl class="figures">
    ${labelledFigure('Awake now', awake, `of ${computes.length}${unknown > 0 ? `, ${unknown} not known` : ''}`)}
    ${ratesOf(computes, priceOf).map(rateFigure)}
    ${accounts.map((view) => monthFigure(view, accounts.length))} ${budgetFigure(snapshot)}
    ${labelledFigure('Wakes caused by Dormouse', caused, caused === 0 ? 'as it should be' : 'it should be 0')}
    ${unowned > 0 && unowned < computes.length && labelledFigure('Without a team', html`<a href="${fleetPath({ ...fleetQuery({}), team: '' })}">${unowned}</a>`)}
  </dl>`
}

const countOf = (computes: readonly ComputeView[], wanted: DisplayedState): number =>
  computes.filter(({ state }) => state === wanted).length

type Rate = {
  readonly currency: string
  low: number
  high: number
  /** Computes that it is made of, and those whose state is not known, which are not in it. */
  known: number
  unknown: number
}

/** Micros an hour; of a size that is not known, what the smallest and the largest would cost. */
function ratesOf(computes: readonly ComputeView[], priceOf: FleetPageInput['priceOf']): readonly Rate[] {
  const rates = new Map<string, Rate>()
  for (const { ref, state, compute, currency, currentCu } of computes) {
    const rate = rates.get(currency) ?? { currency, low: 0, high: 0, known: 0, unknown: 0 }
    rates.set(currency, rate)
    if (state === 'unknown') rate.unknown += 1
    else rate.known += 1
    if (state !== 'active') continue
    const price = priceOf(ref.account)
    rate.low += price * (currentCu?.cu ?? smallestCu(compute.sizing))
    rate.high += price * (currentCu?.cu ?? largestCu(compute.sizing))
  }
  return [...rates.values()]
}

function rateFigure({ currency, low, high, known, unknown }: Rate): Html {
  if (known === 0) return labelledFigure('Spending now, per hour', NOT_KNOWN)
  const notes = [
    ...(moneyText(high, currency) === moneyText(low, currency) ? [] : [`up to ${moneyText(high, currency)}`]),
    ...(unknown > 0 ? [`without ${countWithNoun(unknown, 'compute')} of unknown state`] : []),
  ]
  return labelledFigure(
    'Spending now, per hour',
    moneyText(low, currency),
    notes.length > 0 && notes.join(', '),
  )
}

const NOT_KNOWN = 'not known'

function monthFigure({ account, month, currency }: AccountView, accounts: number): Html {
  const label = accounts > 1 ? `This month, ${account}` : 'This month'
  if (!month) return labelledFigure(label, NOT_KNOWN, 'its days are not counted yet')
  return labelledFigure(label, moneyText(month.spent.likely, currency), aheadText(month, currency))
}

function aheadText({ forecast }: MonthView, currency: string): string {
  if (!forecast) return 'no forecast before a day is over'
  const told = (micros: number): string => moneyText(micros, currency)
  const range = rangeText({ low: forecast.p10, high: forecast.p90 }, told)
  return `likely ${told(forecast.p50)} at its end${range === undefined ? '' : `, ${range}`}`
}

function budgetFigure({ accounts }: Snapshot): Html | false {
  const budgets = accounts.flatMap((view) => view.budgets)
  if (budgets.length === 0) return false
  const over = budgets.filter(({ share }) => share >= 1).length
  const risk = budgets.filter(
    ({ share, forecast }) => share < 1 && (forecast?.probabilityOver ?? 0) >= LIKELY,
  ).length
  return labelledFigure(
    'Budgets',
    html`<a href="/budgets">${budgets.length}</a>`,
    `${over} over, ${risk} likely to go over`,
  )
}

/** Doubled, nothing is ever likely. */
const LIKELY = 0.5
