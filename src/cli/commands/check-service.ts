import { Command } from 'commander'
import { sanitize } from '../../std/sanitize.ts'
import { wrapText } from '../../std/wrap-text.ts'
import { createClient } from '../../service/http/client.ts'
import { createServiceOn } from '../../service/service.ts'
import { openServiceAccess, withConnectOptions, type ConnectOptions } from '../connect/service.ts'
import { EXIT, failUsage, failWith, jsonText, type CommandSession, type Io } from '../terminal/io.ts'
import type { Check } from '../check-service/finding.ts'
import { assessService } from '../check-service/assess.ts'
import { probeService } from '../check-service/probe.ts'
import type { Traffic } from '../check-service/probe-result.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { RequestReport } from '../../service/http/request.ts'

export const createCheckServiceCommand = ({ io, end }: CommandSession) =>
  withConnectOptions(
    new Command('check-service').description(
      'print what a service and a key can do, and what Dormouse therefore does or leaves out; reads only',
    ),
  )
    .option('--json', 'print JSON')
    .action((options: ConnectOptions) => end(checkService(options, io)))

async function checkService(options: ConnectOptions, io: Io) {
  const access = openServiceAccess(options, io)
  if (!access.ok) return failUsage(io, ...access.error)
  const { service: settings, plan, reader, hosts } = access.value
  const { baseUrl, projects, requestsPerMinute } = settings
  const log = createTrafficLog(settings.clock)
  const clients = createClient({ ...settings, onRequest: log.addReport })
  const client = clients.at('report')
  const service = createServiceOn(clients, settings).at('report')
  const probed = await probeService({ ...settings, client, service, reader, hosts, signal: io.signal })
  if (!probed.ok) return failWith(io, probed.error)
  const traffic = log.traffic()
  const named = projects === 'discover' ? undefined : projects.length
  const checks = assessService({ ...probed.value, traffic }, { requestsPerMinute, plan, named })
  const findings = checks.filter(({ verdict }) => verdict === 'less').length
  const report = { baseUrl, checks, traffic, findings }
  io.out(options.json ? jsonText(reportJson(report)) : reportText(report, io.columns))
  return findings === 0 ? EXIT.ok : EXIT.findings
}

type Report = Readonly<{
  baseUrl: string
  checks: readonly Check[]
  traffic: Traffic
  findings: number
}>

function reportText({ baseUrl, checks, traffic, findings }: Report, columns: number | undefined) {
  const head = `${baseUrl}: ${traffic.requests} requests, all of them GET\n`
  const end =
    findings === 0
      ? 'Dormouse can do everything with this service and key.'
      : `${findings} of ${checks.length} checks, marked "less", mean that Dormouse leaves something out or is less exact.`
  return `${head}\n${checksText(checks, columns)}\n\n${end}`
}

/** The offset is the service's clock minus ours, null if the service sends no time. */
const reportJson = ({ baseUrl, checks, traffic, findings }: Report) => ({
  base_url: baseUrl,
  requests: traffic.requests,
  latency_seconds: { median: traffic.median, longest: traffic.longest },
  clock_offset_seconds: traffic.clock ?? null,
  rate_headers: traffic.rateHeaders,
  findings,
  checks,
})

const SIGNS = { full: 'ok', less: 'less', unknown: '?' } as const satisfies Record<Check['verdict'], string>
/** Columns without a terminal, and the fewest that lines are filled to. */
const DEFAULT_WIDTH = 110
const MIN_WIDTH = 60

export function checksText(checks: readonly Check[], columns: number | undefined): string {
  const topicWidth = Math.max(...checks.map(({ topic }) => topic.length))
  const indent = ' '.repeat(6 + topicWidth + 2)
  const width = Math.max(MIN_WIDTH, columns ?? DEFAULT_WIDTH)
  return checks
    .flatMap(({ verdict, topic, seen, follows }) => {
      const head = `${SIGNS[verdict].padEnd(6)}${topic.padEnd(topicWidth)}  `
      const lines = [seen, `→ ${follows}`].flatMap((part) => wrapText(sanitize(part), width - indent.length))
      return lines.map((line, index) => (index === 0 ? head : indent) + line)
    })
    .join('\n')
}

/** Not in the interface. */
const RATE_HEADER = /rate-?limit|retry-after/

export function createTrafficLog(clock: Clock) {
  const latencies: Seconds[] = []
  const rateHeaders = new Set<string>()
  let refusedForRate = 0
  let [low, high] = [-Infinity, Infinity]
  return {
    addReport: ({ seconds: span, code, headers }: RequestReport) => {
      latencies.push(span)
      if (code === '429') refusedForRate += 1
      for (const [name, value] of Object.entries(headers))
        if (RATE_HEADER.test(name)) rateHeaders.add(`${name}: ${[value].flat().join(', ')}`)
      const date = Date.parse([headers['date']].flat()[0] ?? '')
      if (Number.isNaN(date)) return
      // the service wrote it within the second it names, between our request and its answer
      const now = clock.now()
      low = Math.max(low, (date - now) / 1000)
      high = Math.min(high, (date + 1000 - now) / 1000 + span)
    },
    traffic: (): Traffic => ({
      requests: latencies.length,
      refusedForRate,
      median: latencies.toSorted((a, b) => a - b)[latencies.length >> 1] ?? seconds(0),
      longest: seconds(Math.max(0, ...latencies)),
      // if a clock was set meanwhile, no offset fits all answers: then the ends are swapped
      clock: Number.isFinite(low)
        ? { low: seconds(Math.min(low, high)), high: seconds(Math.max(low, high)) }
        : undefined,
      rateHeaders: [...rateHeaders],
    }),
  }
}
