// `report`: what a week cost and why, made by the running daemon or from what the last one kept.
import { Command, Option } from 'commander'
import type { Config } from '../config/load.ts'
import { createClock } from '../daemon/clock.ts'
import { keptPrices } from '../daemon/kept-prices.ts'
import { makeReport } from '../daemon/make-report.ts'
import { reportRequestOf, type ReportQuery } from '../daemon/report-query.ts'
import { whyUnread } from '../daemon/report-sources.ts'
import { whyUnreadable } from '../daemon/wire.ts'
import { failed, ok, type Result } from '../model/result.ts'
import { REPORT_FORMATS } from '../model/report.ts'
import { atOnce } from '../model/steps.ts'
import { RENDERINGS } from '../report/formats.ts'
import { readEmbeddedStore } from '../store/embedded.ts'
import {
  askDaemon,
  daemonApi,
  whyOf,
  withApiOptions,
  type ApiOptions,
  type ApiProblem,
  type DaemonApi,
} from './daemon-api.ts'
import type { ExitCode, Io } from './io.ts'
import { EXIT, usage, type Session } from './output.ts'

type Options = ApiOptions & {
  readonly week?: string
  readonly format: string
  readonly account?: string
  readonly send?: boolean
}

/** Milliseconds: a report of many computes is read day by day beside everything else. Doubled, a daemon that hangs is noticed later. */
const PATIENCE = 120_000

export const createReportCommand = ({ io, end }: Session): Command =>
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
    .addOption(
      new Option(
        '--send',
        'have the daemon make the one of the last week anew and send it to report.sinks',
      ).conflicts(['week', 'format']),
    )
    .action(async (options: Options) => end(await report(options, io)))

async function report(options: Options, io: Io): Promise<ExitCode> {
  const query = queryOf(options)
  const whom = daemonApi(options, io)
  if (!whom.ok) return usage(io, ...whom.error)
  const { api, config } = whom.value
  if (options.send) return sendReport(api, options, io)
  const answer = await ofDaemon(api, query, io)
  const isAlone = !answer.ok && answer.error.kind === 'unreached'
  const kept = config && isAlone ? await showKept(config, query, io) : undefined
  return kept ?? show(answer, io)
}

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
const queryOf = ({ week, format, account }: Options): ReportQuery => ({
  ...(week === undefined ? {} : { week }),
  ...(account === undefined ? {} : { account }),
  format,
})

async function ofDaemon(
  api: DaemonApi,
  query: ReportQuery,
  { signal }: Io,
): Promise<Result<string, ApiProblem>> {
  const path = `/api/v1/report?${new URLSearchParams(query).toString()}`
  const answer = await askDaemon(api, path, { signal, patience: PATIENCE })
  if (!answer.ok) return answer
  try {
    return ok(await answer.value.text())
  } catch (cause) {
    return failed({ kind: 'refused', message: `the report ended before it was complete: ${whyOf(cause)}` })
  }
}

function show(answer: Result<string, ApiProblem>, io: Io): ExitCode {
  if (answer.ok) return write(answer.value, io)
  io.err(`dormouse: ${answer.error.message}`)
  return EXIT.failed
}

/** @returns undefined where no daemon ever kept anything */
async function showKept(config: Config, query: ReportQuery, io: Io): Promise<ExitCode | undefined> {
  const clock = createClock()
  const { accounts, timezone: zone, owners } = config
  const now = clock.now()
  const request = reportRequestOf(query, { accounts: accounts.map(({ name }) => name), zone, now })
  if (!request.ok) return usage(io, `--${request.error}`)
  const { account: name, slot, format } = request.value
  const account = accounts.find((one) => one.name === name)
  const store = readEmbeddedStore(config.store.folder, clock)
  if (!store || !account) return undefined
  await using _ = { [Symbol.asyncDispose]: store.close }
  io.err('dormouse: no daemon answers; this is from what the last one kept, without budgets and forecasts')
  const made = await makeReport(
    {
      history: store,
      ledger: await store.load(name),
      prices: await keptPrices(account, store, now),
      zone,
      owners,
      plan: config.report.plan,
      unread: whyUnread(config, whyUnreadable(account, config)),
      view: undefined,
    },
    slot,
    now,
  )
  return write(atOnce(RENDERINGS[format].of(made)), io)
}

/** Writing adds the line feed of the last line. */
function write(text: string, io: Io): ExitCode {
  io.out(text.replace(/\n$/, ''))
  return EXIT.ok
}
