import { Command } from 'commander'
import type { BudgetJson, ForecastJson, MonthJson } from '../../daemon/http/api/budget-json.ts'
import { fleetJson, type FleetJson } from '../../daemon/http/api/status-json.ts'
import { HOST_NOT_ALLOWED } from '../../model/service/allowed-hosts.ts'
import { ok } from '../../std/result.ts'
import { sanitize } from '../../std/sanitize.ts'
import {
  budgetAmountText,
  countWithNoun,
  inBrackets,
  rangeText,
  spanText,
  toSecond,
} from '../../outputs/text/amounts.ts'
import { readFleet, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { printFleetAnswer } from '../connect/stored.ts'
import { fleetTable, partialLines } from '../terminal/fleet-table.ts'
import type { CommandSession } from '../terminal/io.ts'

export const createStatusCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('status'))
    .description('print what the daemon sees: every compute, its awake time and its cost')
    .option('--json', 'print JSON')
    .action((options: ApiOptions) =>
      end(
        printFleetAnswer(options, io, {
          ask: readFleet,
          answerFrom: (stored) => ok(fleetJson(stored)),
          text: (fleet, isStored) =>
            [
              ...insecureLines(fleet),
              ...fleet.accounts.map((account) => accountText(account, isStored)),
              '',
              fleetTable(fleet),
            ].join('\n'),
        }),
      ),
    )

const insecureLines = ({ insecure }: FleetJson) =>
  insecure.length === 0 ? [] : [`without encryption or authentication: ${insecure.join(', ')}`]

function accountText(account: FleetJson['accounts'][number], isStored: boolean) {
  const {
    service,
    spend,
    awake_seconds,
    observer,
    unreadable,
    hosts_not_allowed: refused,
    count,
    month,
  } = account
  return [
    `account ${account.account}: service ${isStored ? 'not asked' : service}; awake ${spanText(awake_seconds.likely * 1000)}, ` +
      `spend ${spentText(spend, spend.currency)}; ` +
      `wakes caused by readings ${observer.wakes_caused}, awake time added ${spanText(observer.awake_extension_seconds * 1000)}`,
    ...ageLines(account),
    ...(unreadable === null ? [] : [`  not read inside: ${unreadable}`]),
    ...(refused === 0
      ? []
      : [`  not read inside: ${countWithNoun(refused, 'compute')}, ${HOST_NOT_ALLOWED}`]),
    ...(month ? [monthLine(month, spend.currency)] : []),
    ...account.budgets.flatMap(budgetLines),
    ...(count.projects_off === 0
      ? []
      : [
          `  metering diverges from the ledger for ${count.projects_off} of ${count.projects_compared} projects`,
        ]),
    ...(isStored ? [] : partialLines(account).map((line) => `  ${line}`)),
    ...account.problems.map((problem) => `  not seen: ${sanitize(problem)}`),
  ].join('\n')
}

/** Nothing before the first sweep of a daemon, and without one. */
function ageLines({ service, stored, last_sweep_at, stored_at }: FleetJson['accounts'][number]) {
  const isReached = service === 'ok' || service === 'degraded'
  if (last_sweep_at === null || (stored && isReached)) return []
  const age = `the data is ${stored_at === null ? 'from before Dormouse started' : `as of ${toSecond(stored_at)}`}`
  return [stored ? `  ${age}` : `  the ledger cannot be stored: ${age}`]
}

const boundedText = (bounds: Readonly<{ low: number; likely: number; high: number }>, unit: string) =>
  budgetAmountText(bounds.likely, unit) +
  inBrackets(rangeText(bounds, (value) => budgetAmountText(value, unit)))

function spentText(spent: MonthJson['spent'], unit: string) {
  const { shown_low: low, shown_likely: likely, shown_high: high, shown_because: because } = spent
  return boundedText({ low, likely, high }, unit) + (because === null ? '' : `, ${because}`)
}

const sinceText = ({ counted_from, period }: Pick<MonthJson, 'counted_from' | 'period'>) =>
  counted_from > period.from ? `, known since ${toSecond(counted_from)}` : ''

const monthLine = (month: MonthJson, currency: string) =>
  `  this month: ${spentText(month.spent, currency)}${sinceText(month)}; ${forecastText(month.shown_forecast, currency)}`

function budgetLines(budget: BudgetJson) {
  const { unit, spent, shown_forecast: forecast } = budget
  const because = spent.shown_because === null ? '' : `, ${spent.shown_because}`
  const over = forecast ? `; chance of going over ${percent(forecast.probability_over)}` : ''
  const exhausted = forecast?.exhausted_at ? `, limit reached about ${toSecond(forecast.exhausted_at)}` : ''
  return [
    `  budget ${budget.budget} (${budget.scope}, per ${budget.per}): ${budgetAmountText(spent.shown_likely, unit)}` +
      ` of ${budgetAmountText(budget.limit, unit)}, ${percent(budget.shown_share)}${because}; until ${toSecond(budget.period.to)}${sinceText(budget)}`,
    `    burn ${budget.burns.map(burnText).join(', ')}; at most ${budget.max_burn.toFixed(1)}` +
      (budget.rungs.length === 0 ? '' : `; reached ${budget.rungs.join(', ')} %`),
    `    ${forecastText(forecast, unit)}${over}${exhausted}`,
  ]
}

function forecastText(forecast: ForecastJson | null, unit: string) {
  if (!forecast) return 'no forecast before a day is over'
  const { p10, p50, p90, learning, days } = forecast
  const amount = boundedText({ low: p10, likely: p50, high: p90 }, unit)
  return `at its end ${amount}${learning ? `, learning from ${countWithNoun(days, 'day')}` : ''}`
}

const burnText = ({ window_seconds, burn }: BudgetJson['burns'][number]) =>
  `${window_seconds / 3600} h ${burn === null ? 'not known yet' : burn.toFixed(2)}`

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
