import { Command, Option } from 'commander'
import type { Config } from '../../config/load.ts'
import type { ExportRequest } from '../../daemon/history/export.ts'
import { exportedAccount, EXPORT_NAMES, exportRequestOf, exportText } from '../../daemon/history/export.ts'
import { askDaemon, daemonApi, failAnswer, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { withStore } from '../connect/stored.ts'
import { EXIT, errorReason, failText, failUsage, type CommandSession, type Io } from '../terminal/io.ts'

type Options = ApiOptions & { readonly what?: string; readonly from?: string; readonly to?: string }

export const createExportCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('export'))
    .description(
      'print the ledger as CSV: days, awake intervals, rollups of looks and readings, or gaps between client activities',
    )
    .addOption(
      new Option('--what <what>', 'rollups: one row per hour; rollups-5m: one per five minutes')
        .choices(EXPORT_NAMES)
        .default('days'),
    )
    .option(
      '--from <time>',
      'only what ends after the start of this day (of timezone for days, else of UTC), or this instant (default: all)',
    )
    .option('--to <time>', 'only what begins before this day or instant')
    .option('--json', 'print a JSON object per line in place of CSV')
    .action((options: Options) => end(exportHistory(options, io)))

async function exportHistory(options: Options, io: Io) {
  const query = queryOf(options)
  const request = exportRequestOf(query)
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const { api, config } = target.value
  const answer = await askDaemon(api, `/api/v1/export?${new URLSearchParams(query).toString()}`, io)
  if (answer.ok) return write(answer.value.setEncoding('utf8'), io)
  const isStoreRead = answer.error.kind === 'unreached'
  const exitCode = config && isStoreRead ? await writeStored(config, request.value, io) : undefined
  return exitCode ?? failAnswer(io, answer.error)
}

const queryOf = ({ what, from, to, json }: Options): Record<string, string> => ({
  ...(what && { what }),
  ...(from && { from }),
  ...(to && { to }),
  format: json ? 'jsonl' : 'csv',
})

/** @returns undefined if there is no store */
const writeStored = (config: Config, request: ExportRequest, io: Io) =>
  withStore(config, async (store) => {
    io.err('dormouse: no daemon answers; this is what the last one stored')
    const accounts = await Promise.all(
      config.accounts.map(async ({ name, prices }) =>
        exportedAccount(await store.account(name).load(), prices.currency),
      ),
    )
    return write(exportText(store, accounts, request), io)
  })

/** Whole lines as they arrive; `io.out` adds the line feed of the last one. */
async function write(chunks: AsyncIterable<unknown>, io: Io) {
  let rest = ''
  try {
    for await (const chunk of chunks) {
      const text = rest + String(chunk)
      const end = text.lastIndexOf('\n')
      if (end !== -1) io.out(text.slice(0, end))
      rest = text.slice(end + 1)
    }
  } catch (cause) {
    return failText(io, `the export ended before it was complete: ${errorReason(cause)}`)
  }
  return EXIT.ok
}
