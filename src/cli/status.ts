// `status`: what the running daemon sees; where none answers, what the last one kept.
import { resolve } from 'node:path'
import { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { fleetOf, type Fleet } from '../daemon/status.ts'
import { failed, ok, type Result } from '../model/result.ts'
import { budgetLines, monthLine } from './budget-lines.ts'
import { DEFAULT_CONFIG } from './connect.ts'
import { fleetTable, lengthText, moneyText } from './fleet-table.ts'
import { readFleet } from './fleet.ts'
import type { ExitCode, Io } from './io.ts'
import { keptSnapshot } from './kept.ts'
import { EXIT, json, usage, type Session } from './output.ts'

type Options = { readonly config?: string; readonly url?: string; readonly json?: boolean }

export const createStatusCommand = ({ io, end }: Session): Command =>
  new Command('status')
    .description('show what the daemon sees: every compute, its time awake and its cost')
    .option('--url <url>', "address of the daemon's API (default: that of the configuration)")
    .option('--config <file>', `configuration file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await status(options, io)))

async function status(options: Options, io: Io): Promise<ExitCode> {
  if (options.url !== undefined) return show(await ofDaemon(options.url), options, io)
  const config = loadConfig(resolve(io.cwd, options.config ?? DEFAULT_CONFIG), io.env)
  if (!config.ok) return usage(io, ...config.error)
  const { host, port } = config.value.server.api
  const answer = await ofDaemon(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  if (answer.ok) return show(answer, options, io)
  const kept = await keptSnapshot(config.value)
  if (!kept) return show(answer, options, io)
  io.err(`dormouse: ${answer.error}; this is what the last one kept, and no state is known now`)
  return show(ok(fleetOf(kept)), options, io)
}

async function ofDaemon(url: string): Promise<Result<Fleet, string>> {
  const answer = await readFleet(url.replace(/\/+$/, ''))
  return 'fleet' in answer ? ok(answer.fleet) : failed(answer.problem)
}

function show(found: Result<Fleet, string>, options: Options, io: Io): ExitCode {
  if (!found.ok) {
    io.err(`dormouse: ${found.error}`)
    return EXIT.failed
  }
  io.out(options.json ? json(found.value) : fleetText(found.value))
  return EXIT.ok
}

const fleetText = (fleet: Fleet): string =>
  [...fleet.accounts.map(accountLine), '', fleetTable(fleet)].join('\n')

function accountLine({
  account,
  service,
  spend,
  awake_seconds,
  observer,
  unreadable,
  problems,
  month,
  budgets,
}: Fleet['accounts'][number]): string {
  const money = (amount: number): string => moneyText(amount, spend.currency)
  return [
    `account ${account}: service ${service}; awake ${lengthText(awake_seconds.likely)}, ` +
      `spend ${money(spend.likely)} (${money(spend.low)} to ${money(spend.high)}); ` +
      `wakes caused by looking ${observer.wakes_caused}, awake time added ${lengthText(observer.awake_extension_seconds)}`,
    ...(unreadable === null ? [] : [`  not read inside: ${unreadable}`]),
    ...(month ? [monthLine(month, spend.currency)] : []),
    ...budgets.flatMap(budgetLines),
    ...problems.map((problem) => `  not seen: ${problem}`),
  ].join('\n')
}
