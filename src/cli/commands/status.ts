// `status`: state and cost of every compute, from the running daemon or from the store of a stopped one.
import { Command } from 'commander'
import type { BudgetJson, ForecastJson, MonthJson } from '../../daemon/http/api/budget-json.ts'
import { fleetJson, type FleetJson } from '../../daemon/http/api/status-json.ts'
import { ok, type Result } from '../../std/result.ts'
import { daemonApi, withApiOptions, type ApiOptions, type ApiProblem } from '../connect/daemon.ts'
import {
  budgetAmountText,
  countWithNoun,
  inBrackets,
  rangeText,
  spanText,
} from '../../outputs/text/amounts.ts'
import { fleetTable } from '../terminal/fleet-table.ts'
import { readFleet } from '../connect/fleet.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { offlineSnapshot } from '../connect/offline.ts'
import {
  EXIT,
  failText,
  jsonText,
  failUsage,
  offlineNotice,
  type CommandSession,
} from '../terminal/output.ts'

type Options = ApiOptions & { readonly json?: boolean }

export const createStatusCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('status'))
    .description('print what the daemon sees: every compute, its awake time and its cost')
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await status(options, io)))

async function status(options: Options, io: Io): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const { api, config } = target.value
  const answer = await readFleet(api)
  if (answer.ok || answer.error.kind === 'refused' || !config) return show(answer, options, io)
  const stored = await offlineSnapshot(config)
  if (!stored) return show(answer, options, io)
  io.err(offlineNotice(answer.error.message))
  return show(ok(fleetJson(stored)), options, io)
}

function show(fleet: Result<FleetJson, ApiProblem>, options: Options, io: Io): ExitCode {
  if (!fleet.ok) return failText(io, fleet.error.message)
  io.out(options.json ? jsonText(fleet.value) : fleetText(fleet.value))
  return EXIT.ok
}

const fleetText = (fleet: FleetJson): string =>
  [...fleet.accounts.map(accountLine), '', fleetTable(fleet)].join('\n')

function accountLine({
  account,
  service,
  spend,
  awake_seconds,
  observer,
  unreadable,
  count,
  problems,
  month,
  budgets,
}: FleetJson['accounts'][number]): string {
  const money = (value: number): string => budgetAmountText(value, spend.currency)
  return [
    `account ${account}: service ${service}; awake ${spanText(awake_seconds.likely * 1000)}, ` +
      `spend ${money(spend.likely)}${inBrackets(rangeText(spend, money))}; ` +
      `wakes caused by readings ${observer.wakes_caused}, awake time added ${spanText(observer.awake_extension_seconds * 1000)}`,
    ...(unreadable === null ? [] : [`  not read inside: ${unreadable}`]),
    ...(month ? [monthLine(month, spend.currency)] : []),
    ...budgets.flatMap(budgetLines),
    ...(count.projects_off === 0
      ? []
      : [
          `  metering diverges from the ledger for ${count.projects_off} of ${count.projects_compared} projects`,
        ]),
    ...problems.map((problem) => `  not seen: ${problem}`),
  ].join('\n')
}

function monthLine(month: MonthJson, currency: string): string {
  const { period, counted_from, spent, forecast } = month
  const since = counted_from > period.from ? `, known since ${counted_from}` : ''
  return (
    `  this month: ${budgetAmountText(spent.likely, currency)}` +
    `${inBrackets(rangeText(spent, (value) => budgetAmountText(value, currency)))}${since}` +
    `; ${forecastText(forecast, currency)}`
  )
}

function budgetLines(budget: BudgetJson): readonly string[] {
  const { unit, period, counted_from, spent, forecast } = budget
  const since = counted_from > period.from ? `, known since ${counted_from}` : ''
  const over = forecast ? `; over the limit with ${percent(forecast.probability_over)}` : ''
  const exhausted = forecast?.exhausted_at ? `, expected at ${forecast.exhausted_at}` : ''
  return [
    `  budget ${budget.budget} (${budget.scope}, per ${budget.per}): ${budgetAmountText(spent.likely, unit)}` +
      ` of ${budgetAmountText(budget.limit, unit)}, ${percent(budget.share)}; until ${period.to}${since}`,
    `    burn ${budget.burns.map(burnText).join(', ')}; at most ${budget.max_burn.toFixed(1)}` +
      (budget.rungs.length === 0 ? '' : `; reached ${budget.rungs.join(', ')} %`),
    `    ${forecastText(forecast, unit)}${over}${exhausted}`,
  ]
}

function forecastText(forecast: ForecastJson | null, unit: string): string {
  if (!forecast) return 'no forecast before a day is over'
  const { p10, p50, p90, learning, days } = forecast
  const range = rangeText({ low: p10, high: p90 }, (value) => budgetAmountText(value, unit))
  return `at its end ${budgetAmountText(p50, unit)}${inBrackets(range)}${learning ? `, learning from ${countWithNoun(days, 'day')}` : ''}`
}

const burnText = ({ window_seconds, burn }: BudgetJson['burns'][number]): string =>
  `${window_seconds / 3600} h ${burn === null ? 'not known yet' : burn.toFixed(2)}`

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
