import { Command, Option } from 'commander'
import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { effectivePrices } from '../../daemon/accounts/price-history.ts'
import { readStoredPast } from '../../daemon/history/stored-past.ts'
import { buildReport } from '../../daemon/reports/build.ts'
import type { ArchiveList, ReportQuery } from '../../daemon/reports/requests.ts'
import {
  archivedReportTexts,
  listArchive,
  parseArchiveRequest,
  parseReportRequest,
} from '../../daemon/reports/requests.ts'
import { reasonNotRead } from '../../daemon/reports/job.ts'
import { reasonNotReadable } from '../../daemon/accounts/ports.ts'
import { ok, type Result } from '../../std/result.ts'
import { REPORT_FORMATS } from '../../model/output/report.ts'
import { REPORT_RENDERINGS } from '../../outputs/report/formats/formats.ts'
import type { StoreReader } from '../../store/open-store.ts'
import { toSecond } from '../../outputs/text/amounts.ts'
import { askDaemon, daemonApi, failAnswer, refused, withApiOptions } from '../connect/daemon.ts'
import type { ApiOptions, ApiProblem, DaemonApi } from '../connect/daemon.ts'
import { withStore } from '../connect/stored.ts'
import {
  errorReason,
  EXIT,
  failUsage,
  jsonText,
  type CommandSession,
  type ExitCode,
  type Io,
} from '../terminal/io.ts'

type Options = ApiOptions & {
  readonly week?: string
  readonly format: string
  readonly account?: string
  readonly send?: boolean
  readonly kept?: boolean
  readonly team?: string
  readonly list?: boolean
}

/** Milliseconds without a byte: a daemon reads the report of many computes day by day, beside its passes. */
const REPORT_TIMEOUT = 120_000

export const createReportCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('report'))
    .description('print the report of a week: what was spent, by whom, why, and what was awake for nothing')
    .option('--week <week>', 'an ISO week such as 2026-W47 (default: the last complete week)')
    .addOption(
      new Option(
        '--format <format>',
        'html is for mail, html-full has charts and all computes, csv has a row per compute, slack is a message',
      )
        .choices(REPORT_FORMATS)
        .default('markdown'),
    )
    .option('--account <name>', 'account of the report; needed when the configuration has several')
    .option('--kept', 'print the newest archived report, or that of --week, as it was made')
    .addOption(new Option('--team <team>', 'with --kept: the part made for a team').implies({ kept: true }))
    .addOption(
      new Option('--list', 'list archived reports, as text or with --format json').conflicts([
        'week',
        'kept',
      ]),
    )
    .addOption(
      new Option(
        '--send',
        'make the report of the last week again in the daemon and send it to report.sinks',
      ).conflicts(['week', 'format', 'kept', 'list']),
    )
    .action((options: Options) => end(report(options, io)))

async function report(options: Options, io: Io) {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const { api, config } = target.value
  if (options.send) return sendReport(api, options, io)
  const answer = options.list
    ? await listOf(api, options, io)
    : await askForReport(api, 'report', { query: queryOf(options), io })
  if (answer.ok) return write(answer.value, io)
  const isStoreRead = answer.error.kind === 'unreached'
  const exitCode = config && isStoreRead ? await reportFromStore(config, options, io) : undefined
  return exitCode ?? failAnswer(io, answer.error)
}

async function listOf(api: DaemonApi, options: Options, io: Io): Promise<Result<string, ApiProblem>> {
  const reports = await listAllReports(async (page) => {
    const query = { ...queryOf(options), page: String(page) }
    const answer = await askForReport(api, 'reports', { query, io })
    return answer.ok ? ok(JSON.parse(answer.value) as ArchiveList) : answer
  })
  return reports.ok ? ok(reportList(reports.value, options)) : reports
}

const reportList = (reports: ArchiveList['reports'], { format }: Options) =>
  format === 'json' ? jsonText(reports) : reportListText(reports)

/** Only the daemon may send: it records the delivery. */
async function sendReport(api: DaemonApi, { account }: Options, io: Io) {
  const query = account === undefined ? '' : `?account=${encodeURIComponent(account)}`
  const request = { signal: io.signal, timeout: REPORT_TIMEOUT, method: 'POST' } as const
  const answer = await askDaemon(api, `/api/v1/report/send${query}`, request)
  return answer.ok ? write(await answer.value.text(), io) : failAnswer(io, answer.error)
}

const queryOf = ({ week, format, account, kept, team }: Options): ReportQuery => ({
  ...(kept && { kept: 'true' }),
  ...(team !== undefined && { team }),
  ...(week !== undefined && { week }),
  ...(account !== undefined && { account }),
  format,
})

async function askForReport(
  api: DaemonApi,
  route: 'report' | 'reports',
  { query, io: { signal } }: Readonly<{ query: ReportQuery; io: Io }>,
): Promise<Result<string, ApiProblem>> {
  const path = `/api/v1/${route}?${new URLSearchParams(query).toString()}`
  const answer = await askDaemon(api, path, { signal, timeout: REPORT_TIMEOUT })
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.text())
  } catch (cause) {
    return refused(`the report ended before it was complete: ${errorReason(cause)}`)
  }
}

/** @returns undefined if there is no store */
const reportFromStore = (config: Config, options: Options, io: Io) =>
  withStore(config, (store) => {
    const print = options.list ? printList : options.kept ? printArchived : printBuilt
    return print(config, { store, options }, io)
  })

type StoreInput = Readonly<{ store: StoreReader; options: Options }>

const namesOf = ({ accounts }: Config) => accounts.map(({ name }) => name)

async function printList(config: Config, { store, options }: StoreInput, io: Io) {
  const query = queryOf(options)
  const reports = await listAllReports((page) =>
    listArchive(store, { ...query, page: String(page) }, namesOf(config)),
  )
  return reports.ok ? write(reportList(reports.value, options), io) : failUsage(io, `--${reports.error}`)
}

async function printArchived(config: Config, { store, options }: StoreInput, io: Io) {
  const request = parseArchiveRequest(queryOf(options), namesOf(config))
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const texts = await archivedReportTexts(store, request.value)
  return texts.ok ? write(texts.value.join(''), io) : failUsage(io, texts.error)
}

async function printBuilt(config: Config, { store, options }: StoreInput, io: Io) {
  const { timezone: zone, owners } = config
  const clock = createClock()
  const now = clock.now()
  const request = parseReportRequest(queryOf(options), { accounts: namesOf(config), zone, now })
  if (!request.ok) return failUsage(io, `--${request.error}`)
  const { account: name, slot, format } = request.value
  const account = config.accounts.find((candidate) => candidate.name === name)
  if (!account) throw new Error(`there is no account ${name}`)
  io.err('dormouse: no daemon answers; this is from what the last one stored, without budgets and forecasts')
  const source = {
    history: store,
    ledger: await store.account(name).load(),
    prices: await effectivePrices(account, store, now),
    advice: {
      baseUrl: account.baseUrl,
      minSaving: config.report.minSaving,
      windows: config.windows,
      managerOf: config.policies.managerOf,
    },
    changes: {
      journal: store,
      freezes: config.changes.freeze.map((window) => [window, config.windows.get(window)] as const),
      holdOf: () => undefined,
    },
    zone,
    owners,
    plan: config.report.plan,
    unread: reasonNotRead(config, reasonNotReadable(account, config)),
    view: undefined,
    past: await readStoredPast(store, name, zone),
  }
  const built = await buildReport(source, { slot, madeAt: now }, clock)
  return write(REPORT_RENDERINGS[format].render(built).join(''), io)
}

/** `io.out` adds the line feed of the last line. */
function write(text: string, io: Io): ExitCode {
  io.out(text.replace(/\n$/, ''))
  return EXIT.ok
}

type ListedReport = ArchiveList['reports'][number]

/** Reports of all pages, newest first. */
async function listAllReports<Problem>(
  pageOf: (page: number) => Promise<Result<ArchiveList, Problem>>,
): Promise<Result<readonly ListedReport[], Problem>> {
  const reports: ListedReport[] = []
  for (let page: number | null = 1; page !== null;) {
    // oxlint-disable-next-line no-await-in-loop -- a page tells whether there is another
    const list: Result<ArchiveList, Problem> = await pageOf(page)
    if (!list.ok) return list
    reports.push(...list.value.reports)
    page = list.value.next_page
  }
  return ok(reports)
}

function reportListText(reports: readonly ListedReport[]) {
  if (reports.length === 0) return 'the archive is empty'
  const width = Math.max(...reports.map(({ week }) => week.length))
  return reports
    .map(({ week, made_at: madeAt, late, teams }) => {
      const part = teams.length > 0 ? `  teams: ${teams.join(', ')}` : ''
      return `${week.padEnd(width)}  made ${toSecond(madeAt)}${late ? '  late' : ''}${part}`
    })
    .join('\n')
}
