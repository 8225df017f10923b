// `audit`: what an account did and cost, from the service's own history; needs no installation.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { auditAccount, type AuditOutcome, type AuditProgress } from '../../daemon/accounts/audit.ts'
import { sanitize } from '../../std/sanitize.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Prices } from '../../model/ledger/price.ts'
import { shippedPrices } from '../../config/load.ts'
import type { Audit } from '../../model/output/audit.ts'
import {
  COMPUTE_HEADINGS,
  computeLines,
  findingText,
  remainingFindingLines,
  totalLines,
  WEEK_HEADINGS,
  weekLines,
} from '../../outputs/text/audit-text.ts'
import type { RequestReport } from '../../service/http/request.ts'
import { createServiceTime } from '../../service/http/server-time.ts'
import { createService } from '../../service/service.ts'
import { openStore } from '../../store/open-store.ts'
import {
  openServiceAccess,
  withConnectOptions,
  type ServiceAccess,
  type ConnectOptions,
} from '../connect/service.ts'
import { EXIT, failUsage, reportFindings, textTable } from '../terminal/io.ts'
import type { CommandSession, ExitCode, Io } from '../terminal/io.ts'
import { parseFolderOption, parseWholeFrom } from '../terminal/parse.ts'
import { auditJson } from '../terminal/audit-json.ts'

type Options = ConnectOptions & {
  readonly days: number
  readonly plan?: string
  readonly folder?: string
  readonly top: number
  readonly json?: boolean
}

/** Service plan whose prices hold for `--base-url` without `--plan`. */
const DEFAULT_PLAN = 'launch'
/** Requests beyond the rate that may go out first, 170: nothing was sent in the minute before, and people keep the other half. */
const INITIAL_REQUESTS = 170
/** Days for which the service keeps consumption. */
const MAX_DAYS = 400
/** Computes of the largest accounts. */
const MAX_LISTED = 100_000

export const createAuditCommand = ({ io, end }: CommandSession): Command =>
  withConnectOptions(
    new Command('audit').description(
      'print what an account did and cost, which computes never suspend and where to save first, from the history that the service keeps; reads only',
    ),
  )
    .option('--days <n>', 'how many days to look back', parseWholeFrom(1, MAX_DAYS), 60)
    .option('--plan <name>', `plan of the price file for --base-url (default: ${DEFAULT_PLAN})`)
    .option('--folder <folder>', 'store what was read here, so that a stopped audit can be continued')
    .option('--top <n>', 'how many computes to list', parseWholeFrom(1, MAX_LISTED), 15)
    .option('--json', 'print JSON')
    .action((options: Options) => end(runAudit(options, io)))

async function runAudit(options: Options, io: Io): Promise<ExitCode> {
  const access = openServiceAccess(options, io)
  if (!access.ok) return failUsage(io, ...access.error)
  const prices = pricesFor(access.value, options)
  if (!prices.ok) return failUsage(io, ...prices.error)
  const given = parseFolderOption('--folder', options.folder, io)
  if (!given.ok) return failUsage(io, given.error)
  const folder = given.value ?? mkdtempSync(join(tmpdir(), 'dormouse-audit-'))
  try {
    const outcome = await auditIn(folder, { access: access.value, prices: prices.value, options }, io)
    return printOutcome(outcome, options, io)
  } finally {
    if (given.value === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

type AuditInput = { readonly access: ServiceAccess; readonly prices: Prices; readonly options: Options }

async function auditIn(
  folder: string,
  { access, prices, options }: AuditInput,
  io: Io,
): Promise<AuditOutcome> {
  const { clock, random } = access.service
  let requests = 0
  const time = createServiceTime(clock)
  const onRequest = (report: RequestReport): void => {
    time.record(report)
    requests += 1
  }
  const service = createService({ ...access.service, unspent: INITIAL_REQUESTS, onRequest })
  const startedAt = clock.monotonic()
  const account = options.account ?? 'audit'
  const store = openStore({ folder }, clock)
  await using _ = { [Symbol.asyncDispose]: () => store.close() }
  const ports: Ports = {
    clock,
    serviceTime: time,
    random,
    service,
    readings: {
      isReadable: () => false,
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: neverRead,
    },
    store: store.account(account),
    epoch: store.epoch,
    history: store,
    send: () => Promise.resolve([]),
  }
  const plan = { prices, preset: createPreset('2026-03') }
  const { days } = options
  const outcome = await auditAccount(
    { ports, plan, days, onProgress: createProgressPrinter(options, io) },
    io.signal,
  )
  if (!options.json) io.err(`${requests} requests in ${(clock.monotonic() - startedAt).toFixed(0)} s`)
  return outcome
}

const neverRead = (): never => {
  throw new Error('an audit connects to no compute')
}

/** Prints progress to standard error, so that the audit itself can be piped. */
const createProgressPrinter =
  ({ json }: Options, io: Io) =>
  ({ looked, projects }: AuditProgress): void => {
    if (!json) io.err(`${looked} of ${projects} projects read`)
  }

function pricesFor({ prices }: ServiceAccess, { plan }: Options): Result<Prices, readonly string[]> {
  if (prices) return plan === undefined ? ok(prices) : failed(['--plan goes with --base-url'])
  const shipped = shippedPrices(plan ?? DEFAULT_PLAN)
  return shipped.ok ? shipped : failed(shipped.error.map((problem) => `--${problem}`))
}

function printOutcome({ audit: result, problems }: AuditOutcome, options: Options, io: Io): ExitCode {
  if (io.signal.aborted) {
    io.err(
      options.folder === undefined
        ? 'dormouse: stopped; with --folder the next audit would continue from here'
        : 'dormouse: stopped; the same command continues from here',
    )
    return EXIT.failed
  }
  if (!result) {
    for (const problem of problems) io.err(`dormouse: ${problem}`)
    return EXIT.failed
  }
  io.out(options.json ? auditJson(result) : auditText(result, options.top))
  return reportFindings(io, problems)
}

/** @param top how many computes are listed */
function auditText(audit: Audit, top: number): string {
  const { findings, currency, byCompute } = audit
  const remaining = byCompute.length - Math.min(top, byCompute.length)
  return [
    textTable(['AUDIT', ''], totalLines(audit)),
    '',
    textTable(WEEK_HEADINGS, weekLines(audit)),
    '',
    textTable(COMPUTE_HEADINGS, computeLines(audit, top)),
    ...(remaining > 0 ? [`and ${remaining} more; --top ${byCompute.length} lists all`] : []),
    '',
    findings.length === 0 ? 'FINDINGS: none' : 'FINDINGS, in 30 days',
    ...findings.slice(0, top).map((finding) => sanitize(`- ${findingText(finding, currency)}`)),
    ...remainingFindingLines(findings.slice(top), currency).map((line) => `and ${line}`),
  ].join('\n')
}
