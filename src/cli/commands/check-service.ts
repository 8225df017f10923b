// `check-service`: what a service and a key can do, and what that means. Reads only, and wakes nothing.
import { Command } from 'commander'
import { createClient } from '../../service/http/client.ts'
import { createServiceOn } from '../../service/service.ts'
import { openServiceAccess, withConnectOptions, type ConnectOptions } from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, failWith, jsonText, failUsage, type CommandSession } from '../terminal/output.ts'
import type { Check } from '../check-service/finding.ts'
import { assessService } from '../check-service/assess.ts'
import { probeService } from '../check-service/probe.ts'
import type { Traffic } from '../check-service/probe-result.ts'
import { checksText } from '../check-service/text.ts'
import { createTrafficLog } from '../check-service/traffic.ts'

type Options = ConnectOptions & { readonly json?: boolean }

export const createCheckServiceCommand = ({ io, end }: CommandSession): Command =>
  withConnectOptions(
    new Command('check-service').description(
      'say what a service and a key can do and what Dormouse will do or leave; reads only',
    ),
  )
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await checkService(options, io)))

async function checkService(options: Options, io: Io): Promise<ExitCode> {
  const access = openServiceAccess(options, io)
  if (!access.ok) return failUsage(io, ...access.error)
  const { service: how, plan, reader } = access.value
  const log = createTrafficLog(how.clock)
  const clients = createClient({ ...how, onRequest: log.heard })
  const seen = await probeService({
    client: clients.at('report'),
    service: createServiceOn(clients, how).at('report'),
    clock: how.clock,
    projects: how.projects,
    orgId: how.orgId,
    reader,
    signal: io.signal,
  })
  if (!seen.ok) return failWith(io, seen.error)
  const traffic = log.traffic()
  const checks = assessService(
    { ...seen.value, traffic },
    {
      requestsPerMinute: how.requestsPerMinute,
      plan,
      named: how.projects === 'discover' ? undefined : how.projects.length,
    },
  )
  const findings = checks.filter(({ verdict }) => verdict === 'less').length
  io.out(
    options.json
      ? jsonText(reportJson(how.baseUrl, { checks, traffic, findings }))
      : reportText(how.baseUrl, { checks, traffic, findings }, io.columns),
  )
  return findings === 0 ? EXIT.ok : EXIT.findings
}

type Report = {
  readonly checks: readonly Check[]
  readonly traffic: Traffic
  readonly findings: number
}

function reportText(
  baseUrl: string,
  { checks, traffic, findings }: Report,
  columns: number | undefined,
): string {
  const head = `${baseUrl}: ${traffic.requests} requests, all of them GET\n`
  const end =
    findings === 0
      ? 'Dormouse can do all it does with this service and key.'
      : `${findings} of ${checks.length} checks leave something out or make it less exact: marked "less".`
  return `${head}\n${checksText(checks, columns)}\n\n${end}`
}

/** Lengths in seconds; the offset is the service's clock less ours, null where it tells no time. */
const reportJson = (baseUrl: string, { checks, traffic, findings }: Report) => ({
  base_url: baseUrl,
  requests: traffic.requests,
  latency_seconds: { median: traffic.median, longest: traffic.longest },
  clock_offset_seconds: traffic.clock ?? null,
  rate_headers: traffic.rateHeaders,
  findings,
  checks,
})
