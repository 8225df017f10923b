// `audit`: from the service's own history; needs no installation.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { auditAccount, type AuditOutcome, type AuditPlan } from '../../daemon/accounts/audit.ts'
import { sanitize } from '../../std/sanitize.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { DEFAULT_ADVICE_NEEDS, DEFAULT_MIN_SAVING } from '../../model/policy/advice-policy.ts'
import { createPolicies } from '../../model/policy/policies.ts'
import { planLimits } from '../../model/policy/plan-limits.ts'
import { shippedPrices } from '../../config/price-file.ts'
import type { Audit } from '../../model/output/audit.ts'
import {
  COMPUTE_HEADINGS,
  computeLines,
  findingSections,
  totalLines,
  WEEK_HEADINGS,
  weekLines,
} from '../../outputs/text/audit-text.ts'
import { createServiceTime } from '../../service/http/server-time.ts'
import { createService } from '../../service/service.ts'
import { openStore } from '../../store/open-store.ts'
import { NO_PROJECTS, openServiceAccess, withConnectOptions } from '../connect/service.ts'
import type { ConnectOptions, ServiceAccess } from '../connect/service.ts'
import { EXIT, failText, failUsage, reportFindings, textTable } from '../terminal/io.ts'
import type { CommandSession, ExitCode, Io } from '../terminal/io.ts'
import { parseFolderOption, parseWholeFrom } from '../terminal/parse.ts'
import { createProgress, INITIAL_REQUESTS } from '../terminal/progress.ts'
import { auditJson } from '../terminal/audit-json.ts'

type Options = ConnectOptions & {
  readonly days: number
  readonly plan?: string
  readonly folder?: string
  readonly top: number
}

/** Prices for `--base-url` without `--plan`. */
const DEFAULT_PLAN = 'launch'
/** The service keeps consumption for so long. */
const MAX_DAYS = 400
/** Computes of the largest accounts. */
const MAX_LISTED = 100_000

export const createAuditCommand = ({ io, end }: CommandSession) =>
  withConnectOptions(
    new Command('audit').description(
      'print what an account did and cost, which computes never suspend and where to save first, from the history that the service keeps; reads only',
    ),
  )
    .option('--days <n>', 'how many days to look back', parseWholeFrom(1, MAX_DAYS), 60)
    .option(
      '--plan <name>',
      `service plan for --base-url, for prices and for what may be recommended (default: prices of ${DEFAULT_PLAN}, limits of the plan that the service names)`,
    )
    .option('--folder <folder>', 'store what was read here, so that a stopped audit can be continued')
    .option('--top <n>', 'how many computes to list', parseWholeFrom(1, MAX_LISTED), 15)
    .option('--json', 'print JSON')
    .action((options: Options) => end(runAudit(options, io)))

async function runAudit(options: Options, io: Io) {
  const access = openServiceAccess(options, io)
  if (!access.ok) return failUsage(io, ...access.error)
  const plan = auditPlan(access.value, options)
  if (!plan.ok) return failUsage(io, ...plan.error)
  const given = parseFolderOption('--folder', options.folder, io)
  if (!given.ok) return failUsage(io, given.error)
  const folder = given.value ?? mkdtempSync(join(tmpdir(), 'dormouse-audit-'))
  try {
    const input = { folder, access: access.value, plan: plan.value }
    return printOutcome(await auditWith(input, options, io), input, { options, io })
  } finally {
    if (given.value === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

type AuditInput = Readonly<{ folder: string; access: ServiceAccess; plan: AuditPlan }>

async function auditWith(input: AuditInput, options: Options, io: Io): Promise<AuditOutcome> {
  const { clock, random } = input.access.service
  // standard error, so that the audit itself can be piped
  const report = options.json ? () => undefined : io.err
  const progress = createProgress(
    { json: options.json, rate: input.access.service.requestsPerMinute },
    io,
    clock,
  )
  const serviceTime = createServiceTime(clock)
  const service = createService({
    ...input.access.service,
    unspent: INITIAL_REQUESTS,
    onRequest(request) {
      serviceTime.record(request)
      progress.countRequest()
    },
  })
  const history = openStore({ folder: input.folder }, clock)
  await using _ = { [Symbol.asyncDispose]: () => history.close() }
  const store = history.account(options.account ?? 'audit')
  const ports = {
    clock,
    serviceTime,
    random,
    service,
    store,
    epoch: history.epoch,
    history,
    redact: io.redact,
    ...NO_OUTSIDE,
  }
  const hasConfiguredProjects = input.access.service.projects !== 'discover'
  const outcome = await auditAccount(
    { ports, plan: input.plan, hasConfiguredProjects, days: options.days, onProgress: progress.show },
    io.signal,
  )
  report(progress.end())
  return outcome
}

/** An audit connects to no compute and sends nothing. */
const NO_OUTSIDE: Pick<Ports, 'readings' | 'send'> = {
  readings: {
    refusalOf: () => 'no-dsn',
    prepare: () => Promise.resolve(undefined),
    evict: () => undefined,
    read() {
      throw new Error('an audit connects to no compute')
    },
  },
  send: () => Promise.resolve([]),
}

/** Without a configuration the service is taken to be what its documents say. */
const PRESET = '2026-03'

function auditPlan({ advice }: ServiceAccess, { plan }: Options): Result<AuditPlan, readonly string[]> {
  if (advice && plan !== undefined) return failed(['--plan goes with --base-url'])
  if (advice) return ok({ ...advice, limitsOf: () => advice.plan })
  const prices = shippedPrices(plan ?? DEFAULT_PLAN)
  if (!prices.ok) return failed(prices.error.map((problem) => `--${problem}`))
  return ok({
    prices: prices.value,
    preset: createPreset(PRESET),
    needs: DEFAULT_ADVICE_NEEDS,
    policies: createPolicies([]),
    minSaving: DEFAULT_MIN_SAVING,
    limitsOf: (subscribed) => planLimits(PRESET, plan ?? subscribed ?? ''),
  })
}

type Printing = Readonly<{ options: Options; io: Io }>

function printOutcome(
  { audit, problems }: AuditOutcome,
  { access }: AuditInput,
  { options, io }: Printing,
): ExitCode {
  if (io.signal.aborted) {
    const advice =
      options.folder === undefined
        ? 'with --folder the next audit would continue from here'
        : 'the same command continues from here'
    return failText(io, `stopped; ${advice}`)
  }
  if (!audit) {
    for (const problem of problems) io.err(`dormouse: ${problem}`)
    return EXIT.failed
  }
  io.out(options.json ? auditJson(audit, access.service.baseUrl) : auditText(audit, options.top))
  return reportFindings(io, audit.projects === 0 ? [...problems, `no projects: ${NO_PROJECTS}`] : problems)
}

function auditText(audit: Audit, top: number) {
  const { byCompute } = audit
  const remaining = byCompute.length - Math.min(top, byCompute.length)
  return [
    textTable(['AUDIT', ''], totalLines(audit)),
    '',
    textTable(WEEK_HEADINGS, weekLines(audit)),
    '',
    textTable(COMPUTE_HEADINGS, computeLines(audit, top)),
    ...(remaining > 0 ? [`and ${remaining} more; --top ${byCompute.length} lists all`] : []),
    ...findingSections(audit, top).flatMap((lines) => ['', ...lines.map((line) => sanitize(line))]),
  ].join('\n')
}
