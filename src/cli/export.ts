// `export`: the kept history as CSV or lines of JSON, from the running daemon or from what the last one kept.
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { loadConfig, type Config } from '../config/load.ts'
import { createClock } from '../daemon/clock.ts'
import { exportedAccount, EXPORTS, exportText, type ExportRequest } from '../daemon/export.ts'
import { exportRequestOf } from '../daemon/export-query.ts'
import { readEmbeddedStore } from '../store/embedded.ts'
import { DEFAULT_CONFIG } from './connect.ts'
import { apiUrlOf, askDaemon, whyOf } from './daemon-api.ts'
import type { ExitCode, Io } from './io.ts'
import { EXIT, usage, type Session } from './output.ts'

type Options = {
  readonly what?: string
  readonly from?: string
  readonly to?: string
  readonly config?: string
  readonly url?: string
  readonly json?: boolean
}

export const createExportCommand = ({ io, end }: Session): Command =>
  new Command('export')
    .description('write the ledger as CSV: days, awake intervals, or rollups of what was seen')
    .addOption(
      new Option('--what <what>', 'rollups are of an hour each, rollups-5m of five minutes')
        .choices(EXPORTS)
        .default('days'),
    )
    .option('--from <time>', 'what ends after it: a day (UTC) or an instant (default: all)')
    .option('--to <time>', 'what begins before it, likewise')
    .option('--json', 'a JSON object per line, in place of CSV')
    .option('--url <url>', "address of the daemon's API (default: that of the configuration)")
    .option('--config <file>', `configuration file (default: ${DEFAULT_CONFIG})`)
    .action(async (options: Options) => end(await exportHistory(options, io)))

async function exportHistory({ url, config: file, json, ...asked }: Options, io: Io): Promise<ExitCode> {
  const query = { ...asked, format: json ? 'jsonl' : 'csv' }
  const request = exportRequestOf(query)
  if (!request.ok) return usage(io, `--${request.error}`)
  const path = `/api/v1/export?${new URLSearchParams(query).toString()}`
  if (url !== undefined) {
    const answer = await askDaemon(url, path, io.signal)
    return answer.ok ? write(answer.value.setEncoding('utf8'), io) : fail(answer.error.message, io)
  }
  const config = loadConfig(resolve(io.cwd, file ?? DEFAULT_CONFIG), io.env)
  if (!config.ok) return usage(io, ...config.error)
  const answer = await askDaemon(apiUrlOf(config.value), path, io.signal)
  if (answer.ok) return write(answer.value.setEncoding('utf8'), io)
  if (answer.error.kind === 'refused') return fail(answer.error.message, io)
  return (await writeKept(config.value, request.value, io)) ?? fail(answer.error.message, io)
}

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
    return fail(`the export ended before it was complete: ${whyOf(cause)}`, io)
  }
  return EXIT.ok
}

function fail(message: string, io: Io): ExitCode {
  io.err(`dormouse: ${message}`)
  return EXIT.failed
}
