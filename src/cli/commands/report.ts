// `report`: what a week cost and why, made by the running daemon or from what the last one kept.
import { Command, Option } from 'commander'
import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { effectivePrices } from '../../daemon/accounts/price-history.ts'
import {
  listArchive,
  parseArchiveRequest,
  archivedReportTexts,
  type ArchiveList,
} from '../../daemon/reports/archive.ts'
import { buildReport } from '../../daemon/reports/build.ts'
import { parseReportRequest, type ReportQuery } from '../../daemon/reports/query.ts'
import { reasonNotRead } from '../../daemon/reports/sources.ts'
import { reasonNotReadable } from '../../daemon/accounts/ports.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { REPORT_FORMATS } from '../../model/output/report.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import { readEmbeddedStore, type StoreReader } from '../../store/sqlite/embedded.ts'
import {
  askDaemon,
  daemonApi,
  errorReason,
  withApiOptions,
  type ApiOptions,
  type ApiProblem,
  type DaemonApi,
} from '../connect/daemon.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, failUsage, type CommandSession } from '../terminal/output.ts'
import { listAllReports, reportListText } from '../terminal/report-list.ts'

type Options = ApiOptions & {
  readonly week?: string
  readonly format: string
  readonly account?: string
  readonly send?: boolean
  readonly kept?: boolean
  readonly team?: string
  readonly list?: boolean
}

/** Milliseconds: a report of many computes is read day by day beside everything else. Doubled, a daemon that hangs is noticed later. */
const PATIENCE = 120_000

export const createReportCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('report'))
    .description('write the report of a week: what was spent, by whom, why, and what was awake for nothing')
    .option('--week <week>', 'an ISO week such as 2026-W47 (default: the last that is over)')
    .addOption(
      new Option(
        '--format <format>',
        'html is for mail, html-full has charts and all computes, csv has a row per compute, slack is a message',
      )
        .choices(REPORT_FORMATS)
        .default('markdown'),
    )
    .option('--account <name>', 'needed where the configuration has several')
    .option('--kept', 'the newest that was made when it was due, or that of --week, as it was made')
    .addOption(
      new Option('--team <team>', 'with --kept: the part that was made for a team').implies({ kept: true }),
    )
    .addOption(
      new Option('--list', 'list those that are kept, as text or with --format json').conflicts([
        'week',
        'kept',
      ]),
    )
    .addOption(
      new Option(
        '--send',
        'have the daemon make the one of the last week anew and send it to report.sinks',
      ).conflicts(['week', 'format', 'kept', 'list']),
    )
    .action(async (options: Options) => end(await report(options, io)))

async function report(options: Options, io: Io): Promise<ExitCode> {
  const query = queryOf(options)
  const whom = daemonApi(options, io)
  if (!whom.ok) return failUsage(io, ...whom.error)
  const { api, config } = whom.value
  if (options.send) return sendReport(api, options, io)
  const answer = options.list ? await listOf(api, options, io) : await ofDaemon(api, 'report', { query, io })
  const isAlone = !answer.ok && answer.error.kind === 'unreached'
  const kept = config && isAlone ? await alone(config, options, io) : undefined
  return kept ?? show(answer, io)
}

async function listOf(api: DaemonApi, options: Options, io: Io): Promise<Result<string, ApiProblem>> {
  const all = await listAllReports(async (page) => {
    const query = { ...queryOf(options), page: String(page) }
    const answer = await ofDaemon(api, 'reports', { query, io })
    return answer.ok ? ok(JSON.parse(answer.value) as ArchiveList) : answer
  })
  return all.ok ? ok(listed(all.value, options)) : all
}

const listed = (reports: ArchiveList['reports'], { format }: Options): string =>
  format === 'json' ? JSON.stringify(reports, undefined, 2) : reportListText(reports)

/** Nothing but the daemon may send: it keeps what became of it. */
async function sendReport(api: DaemonApi, { account }: Options, io: Io): Promise<ExitCode> {
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`
  const asked = await askDaemon(api, `/api/v1/report/send${query}`, {
    signal: io.signal,
    patience: PATIENCE,
    method: 'POST',
  })
  return show(asked.ok ? ok(await asked.value.text()) : asked, io)
}

/** What is asked for, without whom. */
const queryOf = ({ week, format, account, kept, team }: Options): ReportQuery => ({
  ...(kept ? { kept: 'true' } : {}),
  ...(team === undefined ? {} : { team }),
  ...(week === undefined ? {} : { week }),
  ...(account === undefined ? {} : { account }),
  format,
})

async function ofDaemon(
  api: DaemonApi,
  route: 'report' | 'reports',
  { query, io: { signal } }: { readonly query: ReportQuery; readonly io: Io },
): Promise<Result<string, ApiProblem>> {
  const path = `/api/v1/${route}?${new URLSearchParams(query).toString()}`
  const answer = await askDaemon(api, path, { signal, patience: PATIENCE })
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.text())
  } catch (cause) {
    return failed({
      kind: 'refused',
      message: `the report ended before it was complete: ${errorReason(cause)}`,
    })
  }
}

function show(answer: Result<string, ApiProblem>, io: Io): ExitCode {
  if (answer.ok) return write(answer.value, io)
  io.err(`dormouse: ${answer.error.message}`)
  return EXIT.failed
}

/** @returns undefined where no daemon ever kept anything */
async function alone(config: Config, options: Options, io: Io): Promise<ExitCode | undefined> {
  const store = readEmbeddedStore(config.store.folder, createClock())
  if (!store) return undefined
  await using _ = { [Symbol.asyncDispose]: store.close }
  // Awaited here: the store must not be closed before all is read.
  if (options.kept || options.list) return await showKept(config, { store, options }, io)
  return await makeAlone(config, { store, options }, io)
}

type Left = { readonly store: StoreReader; readonly options: Options }

async function showKept({ accounts }: Config, { store, options }: Left, io: Io): Promise<ExitCode> {
  const [query, names] = [queryOf(options), accounts.map(({ name }) => name)]
  if (options.list) {
    const all = await listAllReports((page) => listArchive(store, { ...query, page: String(page) }, names))
    return all.ok ? write(listed(all.value, options), io) : failUsage(io, `--${all.error}`)
  }
  const request = parseArchiveRequest(query, names)
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const texts = await archivedReportTexts(store, request.value)
  if (texts.ok) return write(texts.value.join(''), io)
  io.err(`dormouse: ${texts.error}`)
  return EXIT.failed
}

async function makeAlone(config: Config, { store, options }: Left, io: Io): Promise<ExitCode> {
  const { accounts, timezone: zone, owners } = config
  const clock = createClock()
  const now = clock.now()
  const names = accounts.map(({ name }) => name)
  const request = parseReportRequest(queryOf(options), { accounts: names, zone, now })
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const { account: name, slot, format } = request.value
  const account = accounts.find((one) => one.name === name)
  if (!account) throw new Error(`there is no account ${name}`)
  io.err('dormouse: no daemon answers; this is from what the last one kept, without budgets and forecasts')
  const made = await buildReport(
    {
      history: store,
      ledger: await store.load(name),
      prices: await effectivePrices(account, store, now),
      zone,
      owners,
      plan: config.report.plan,
      unread: reasonNotRead(config, reasonNotReadable(account, config)),
      view: undefined,
    },
    { slot, madeAt: now },
    clock,
  )
  return write(REPORT_RENDERINGS[format].render(made).join(''), io)
}

/** Writing adds the line feed of the last line. */
function write(text: string, io: Io): ExitCode {
  io.out(text.replace(/\n$/, ''))
  return EXIT.ok
}
