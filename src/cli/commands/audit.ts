// `audit`: what an account did and cost, from the service's own history, without an installation.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { auditAccount, type AuditOutcome, type AuditProgress } from '../../daemon/accounts/audit.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { shippedPrices } from '../../config/load.ts'
import type { RequestReport } from '../../service/http/request.ts'
import { createServiceTime } from '../../service/http/server-time.ts'
import { createService } from '../../service/service.ts'
import { openEmbeddedStore } from '../../store/sqlite/embedded.ts'
import {
  openServiceAccess,
  withConnectOptions,
  type ServiceAccess,
  type ConnectOptions,
} from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, failUsage, reportFindings, type CommandSession } from '../terminal/output.ts'
import { parseFolderOption } from '../terminal/folder.ts'
import { parseWholeFrom } from '../terminal/parse.ts'
import { auditText } from '../terminal/audit-text.ts'
import { auditJson } from '../terminal/audit-json.ts'

type Options = ConnectOptions & {
  readonly days: number
  readonly plan?: string
  readonly folder?: string
  readonly top: number
  readonly json?: boolean
}

/** What `--base-url` is priced as when nothing else is said. */
const USUAL_PLAN = 'launch'
/** Requests beyond the rate that may go out first. Doubled, 200 projects are read twenty seconds sooner, and nothing is left for people in that minute. */
const UNSPENT = 170
/** The service keeps the consumption of so many days. */
const MOST_DAYS = 400
/** As many computes as the largest accounts have. */
const MOST_LISTED = 100_000

export const createAuditCommand = ({ io, end }: CommandSession): Command =>
  withConnectOptions(
    new Command('audit').description(
      'say what an account did and cost, what never sleeps and what first to save, from the history that the service keeps; reads only',
    ),
  )
    .option('--days <n>', 'how far to look back', parseWholeFrom(1, MOST_DAYS), 60)
    .option('--plan <name>', `plan of the price file for --base-url (default: ${USUAL_PLAN})`)
    .option('--folder <folder>', 'keep here what was read, so that an audit that was stopped goes on')
    .option('--top <n>', 'how many computes to list', parseWholeFrom(1, MOST_LISTED), 15)
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await audit(options, io)))

async function audit(options: Options, io: Io): Promise<ExitCode> {
  const access = openServiceAccess(options, io)
  if (!access.ok) return failUsage(io, ...access.error)
  const prices = pricesFor(access.value, options)
  if (!prices.ok) return failUsage(io, ...prices.error)
  const kept = parseFolderOption('--folder', options.folder, io)
  if (!kept.ok) return failUsage(io, kept.error)
  const folder = kept.value
  const place = folder ?? mkdtempSync(join(tmpdir(), 'dormouse-audit-'))
  try {
    const outcome = await auditIn(place, { access: access.value, prices: prices.value, options }, io)
    return tell(outcome, options, io)
  } catch (cause) {
    io.err(`dormouse: ${cause instanceof Error ? cause.message : String(cause)}`)
    return EXIT.failed
  } finally {
    if (folder === undefined) rmSync(place, { recursive: true, force: true })
  }
}

type How = { readonly access: ServiceAccess; readonly prices: Prices; readonly options: Options }

async function auditIn(folder: string, { access, prices, options }: How, io: Io): Promise<AuditOutcome> {
  const { clock, random } = access.service
  let requests = 0
  const time = createServiceTime(clock)
  const onRequest = (report: RequestReport): void => {
    time.record(report)
    requests += 1
  }
  const service = createService({ ...access.service, unspent: UNSPENT, onRequest })
  const begun = clock.monotonic()
  const store = openEmbeddedStore(folder, clock)
  await using _ = { [Symbol.asyncDispose]: () => store.close() }
  const ports: Ports = {
    clock,
    time,
    random,
    service,
    readings: { readable: () => false, read: neverRead },
    store,
    history: store,
    send: () => Promise.resolve([]),
  }
  const plan = { prices, preset: createPreset('2026-03') }
  const account = options.account ?? 'audit'
  const { days } = options
  const outcome = await auditAccount(
    { account, ports, history: store, plan, days, onProgress: teller(options, io) },
    io.signal,
  )
  if (!options.json) io.err(`${requests} requests in ${(clock.monotonic() - begun).toFixed(0)} s`)
  return outcome
}

const neverRead = (): never => {
  throw new Error('an audit connects to no compute')
}

/** On the error stream, so that the audit itself can be piped. */
const teller =
  ({ json }: Options, io: Io) =>
  ({ looked, projects }: AuditProgress): void => {
    if (!json) io.err(`${looked} of ${projects} projects read`)
  }

function pricesFor({ prices }: ServiceAccess, { plan }: Options): Result<Prices, readonly string[]> {
  if (prices) return plan === undefined ? ok(prices) : failed(['--plan goes with --base-url'])
  const shipped = shippedPrices(plan ?? USUAL_PLAN)
  return shipped.ok ? shipped : failed(shipped.error.map((problem) => `--${problem}`))
}

function tell({ audit: found, problems }: AuditOutcome, options: Options, io: Io): ExitCode {
  if (io.signal.aborted) {
    io.err(
      options.folder === undefined
        ? 'dormouse: stopped; with --folder the next audit goes on from here'
        : `dormouse: stopped; the same command goes on from here`,
    )
    return EXIT.failed
  }
  if (!found) {
    for (const problem of problems) io.err(`dormouse: ${problem}`)
    return EXIT.failed
  }
  io.out(options.json ? auditJson(found) : auditText(found, options.top))
  return reportFindings(io, problems)
}
