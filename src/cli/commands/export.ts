// `export`: the kept history as CSV or lines of JSON, from the running daemon or from what the last one kept.
import { Command, Option } from 'commander'
import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { exportedAccount, EXPORT_NAMES, exportText, type ExportRequest } from '../../daemon/history/export.ts'
import { exportRequestOf } from '../../daemon/history/export-query.ts'
import { readEmbeddedStore } from '../../store/sqlite/embedded.ts'
import { askDaemon, daemonApi, errorReason, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, failUsage, type CommandSession } from '../terminal/output.ts'

type Options = ApiOptions & {
  readonly what?: string
  readonly from?: string
  readonly to?: string
  readonly json?: boolean
}

export const createExportCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('export'))
    .description('write the ledger as CSV: days, awake intervals, or rollups of what was seen')
    .addOption(
      new Option('--what <what>', 'rollups are of an hour each, rollups-5m of five minutes')
        .choices(EXPORT_NAMES)
        .default('days'),
    )
    .option('--from <time>', 'what ends after it: a day (UTC) or an instant (default: all)')
    .option('--to <time>', 'what begins before it, likewise')
    .option('--json', 'a JSON object per line, in place of CSV')
    .action(async (options: Options) => end(await exportHistory(options, io)))

async function exportHistory(options: Options, io: Io): Promise<ExitCode> {
  const query = queryOf(options)
  const request = exportRequestOf(query)
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const whom = daemonApi(options, io)
  if (!whom.ok) return failUsage(io, ...whom.error)
  const { api, config } = whom.value
  const answer = await askDaemon(api, `/api/v1/export?${new URLSearchParams(query).toString()}`, io)
  if (answer.ok) return write(answer.value.setEncoding('utf8'), io)
  const { kind, message } = answer.error
  const kept = config && kind === 'unreached' ? await writeKept(config, request.value, io) : undefined
  return kept ?? fail(message, io)
}

/** What is asked for, without whom. */
const queryOf = ({ what, from, to, json }: Options): Record<string, string> => ({
  ...(what && { what }),
  ...(from && { from }),
  ...(to && { to }),
  format: json ? 'jsonl' : 'csv',
})

/** @returns undefined where no daemon ever kept anything */
async function writeKept(config: Config, request: ExportRequest, io: Io): Promise<ExitCode | undefined> {
  const store = readEmbeddedStore(config.store.folder, createClock())
  if (!store) return undefined
  await using _ = { [Symbol.asyncDispose]: store.close }
  io.err('dormouse: no daemon answers; this is what the last one kept')
  const accounts = await Promise.all(
    config.accounts.map(async ({ name, prices }) => exportedAccount(await store.load(name), prices.currency)),
  )
  // Awaited here: the store must not be closed before all is read.
  return await write(exportText(store, accounts, request), io)
}

/** Writes whole lines as they come: a line has its end already, and writing adds the line feed of the last one. */
async function write(pieces: AsyncIterable<unknown>, io: Io): Promise<ExitCode> {
  let rest = ''
  try {
    for await (const piece of pieces) {
      const text = rest + String(piece)
      const end = text.lastIndexOf('\n')
      if (end !== -1) io.out(text.slice(0, end))
      rest = text.slice(end + 1)
    }
  } catch (cause) {
    return fail(`the export ended before it was complete: ${errorReason(cause)}`, io)
  }
  return EXIT.ok
}

function fail(message: string, io: Io): ExitCode {
  io.err(`dormouse: ${message}`)
  return EXIT.failed
}
