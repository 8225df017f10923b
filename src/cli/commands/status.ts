// `status`: what the running daemon sees; where none answers, what the last one kept.
import { Command } from 'commander'
import { fleetJson, type FleetJson } from '../../daemon/http/api/status-json.ts'
import { ok, type Result } from '../../std/result.ts'
import { budgetLines, monthLine } from '../terminal/budget-lines.ts'
import { daemonApi, withApiOptions, type ApiOptions, type ApiProblem } from '../connect/daemon.ts'
import { budgetAmountText, inBrackets, rangeText, spanText } from '../../outputs/text/amounts.ts'
import { fleetTable } from '../terminal/fleet-table.ts'
import { readFleet } from '../connect/fleet.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { offlineSnapshot } from '../connect/offline.ts'
import { EXIT, jsonText, failUsage, type CommandSession } from '../terminal/output.ts'

type Options = ApiOptions & { readonly json?: boolean }

export const createStatusCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('status'))
    .description('show what the daemon sees: every compute, its time awake and its cost')
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await status(options, io)))

async function status(options: Options, io: Io): Promise<ExitCode> {
  const found = daemonApi(options, io)
  if (!found.ok) return failUsage(io, ...found.error)
  const { api, config } = found.value
  const answer = await readFleet(api)
  if (answer.ok || answer.error.kind === 'refused' || !config) return show(answer, options, io)
  const kept = await offlineSnapshot(config)
  if (!kept) return show(answer, options, io)
  io.err(`dormouse: ${answer.error.message}; this is what the last one kept, and no state is known now`)
  return show(ok(fleetJson(kept)), options, io)
}

function show(found: Result<FleetJson, ApiProblem>, options: Options, io: Io): ExitCode {
  if (!found.ok) {
    io.err(`dormouse: ${found.error.message}`)
    return EXIT.failed
  }
  io.out(options.json ? jsonText(found.value) : fleetText(found.value))
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
  const told = (value: number): string => budgetAmountText(value, spend.currency)
  return [
    `account ${account}: service ${service}; awake ${spanText(awake_seconds.likely * 1000)}, ` +
      `spend ${told(spend.likely)}${inBrackets(rangeText(spend, told))}; ` +
      `wakes caused by looking ${observer.wakes_caused}, awake time added ${spanText(observer.awake_extension_seconds * 1000)}`,
    ...(unreadable === null ? [] : [`  not read inside: ${unreadable}`]),
    ...(month ? [monthLine(month, spend.currency)] : []),
    ...budgets.flatMap(budgetLines),
    ...(count.projects_off === 0
      ? []
      : [
          `  the service counts something else of ${count.projects_off} of ${count.projects_compared} projects`,
        ]),
    ...problems.map((problem) => `  not seen: ${problem}`),
  ].join('\n')
}
