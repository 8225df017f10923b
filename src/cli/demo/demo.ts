// The whole product on this machine: the local service, clients, the daemon as a process of its own, and who is told of things.
import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import type { FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { toIso } from '../../model/time.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { readFleet } from '../connect/fleet.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT } from '../terminal/output.ts'
import { introLines } from './intro.ts'
import { findPrograms, startMonitoring, type Monitoring, type Programs } from './monitoring/monitoring.ts'
import { startClients, superviseDaemon } from './players.ts'
import { notificationText } from './receiver.ts'
import { writeDemoReport, reportFolder } from './report.ts'
import { createScreen } from './screen.ts'
import { setStage, type StageSet } from './stage.ts'
import { buildSummary, summaryText, type Summary } from './summary.ts'

export type DemoOptions = {
  /** Undefined: until it is interrupted. */
  readonly length: Seconds | undefined
  readonly json: boolean
  readonly withPrometheus: boolean
  /** Where the report is left; undefined: in a new folder. */
  readonly report: string | undefined
}

export async function runDemo(options: DemoOptions, io: Io): Promise<ExitCode> {
  const programs = options.withPrometheus ? findPrograms(io.env['PATH']) : undefined
  if (options.withPrometheus && !programs) {
    io.err(`dormouse: ${MISSING}`)
    return EXIT.failed
  }
  const folder = reportFolder(options.report)
  const clock = createClock()
  const say = options.json ? () => undefined : io.out
  say('Starting the service, Postgres and Dormouse …')
  await using stack = new AsyncDisposableStack()
  const stage = stack.use(await setStage({ token: createRandom().uuid(), now: () => toIso(clock.now()) }))
  const play = stack.use(perform(stage, { clock, io, say }))
  const show: Show = { io, clock, until: clock.monotonic() + (options.length ?? FOR_EVER) }
  await isUp(stage, show)
  const monitoring = programs && stack.use(await startPrograms(programs, stage, show))
  play.begin()
  if (options.json) await clock.sleep(left(show), io.signal)
  else await watch(stage, show, introLines(stage, monitoring))
  const summary = await summaryNow(stage, { folder, monitoring, clock })
  if (!summary) {
    io.err('the daemon did not answer at the end, so there is no summary')
    return EXIT.failed
  }
  io.out(options.json ? JSON.stringify(summary) : summaryText(summary))
  return EXIT.ok
}

const MISSING =
  '--with-prometheus needs Prometheus and Alertmanager, and this machine has not both: on Debian, apt install prometheus prometheus-alertmanager'

/** A clock cannot sleep longer than this at a time; a demo that is watched for 24 days may end. */
const FOR_EVER = 2_000_000

/** `until` is of the monotonic clock. */
type Show = { readonly io: Io; readonly clock: Clock; readonly until: number }

const left = ({ clock, until }: Show): Seconds => seconds(Math.max(0, until - clock.monotonic()))

type House = { readonly clock: Clock; readonly io: Io; readonly say: (text: string) => void }

/** `begin` tells those who wait for an audience that it is there. */
type Performance = AsyncDisposable & { readonly begin: () => void }

/** Everybody acts until it is disposed of: an interrupt ends the watching, not yet the play, as the summary asks the daemon. */
function perform(stage: StageSet, { clock, io, say }: House): Performance {
  const over = new AbortController()
  const { promise: watched, resolve: begin } = Promise.withResolvers<void>()
  const direction = { clock, say, watched, signal: over.signal }
  const daemon = superviseDaemon(stage, direction)
  const clients = startClients(stage, direction).catch((cause: unknown) =>
    io.err(`no clients play: ${String(cause)}`),
  )
  return {
    begin,
    [Symbol.asyncDispose]: async () => {
      over.abort()
      begin()
      await Promise.all([daemon, clients])
    },
  }
}

/** Resolves when the daemon has looked once: Prometheus would otherwise begin with an alert that it is down. */
async function isUp({ apiUrl }: StageSet, show: Show): Promise<void> {
  while (!show.io.signal.aborted && left(show) > 0) {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    if ((await readFleet({ url: apiUrl })).ok) return
    // oxlint-disable-next-line no-await-in-loop -- as above
    await show.clock.sleep(seconds(Math.min(0.2, left(show))), show.io.signal)
  }
}

/** @returns undefined where the demo was interrupted, which ends programs that are starting. @throws when one does not start */
async function startPrograms(
  programs: Programs,
  { folder, telemetryUrl, receiver, tokenFile }: StageSet,
  { io, clock }: Show,
): Promise<Monitoring | undefined> {
  if (io.signal.aborted) return undefined
  try {
    return await startMonitoring({
      programs,
      folder: `${folder}/monitoring`,
      jobs: { dormouse: new URL(telemetryUrl).host },
      telling: { url: receiver.url, tokenFile },
      clock,
    })
  } catch (cause) {
    if (io.signal.aborted) return undefined
    throw cause
  }
}

async function watch(stage: StageSet, show: Show, intro: readonly string[]): Promise<void> {
  const { io, clock } = show
  const screen = createScreen(io, intro)
  while (!io.signal.aborted && left(show) > 0) {
    // oxlint-disable-next-line no-await-in-loop -- a screen is drawn once a second
    const answer = await readFleet({ url: stage.apiUrl })
    if (answer.ok) screen.show(answer.value, toldLines(stage, answer.value))
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.sleep(seconds(Math.min(1, left(show))), io.signal)
  }
}

/** With the names of the table above in place of ids. */
const toldLines = ({ receiver }: StageSet, { computes }: FleetJson): readonly string[] =>
  receiver.told.map((told) =>
    computes.reduce(
      (line, { project_id, project_name }) => line.replaceAll(project_id, project_name ?? project_id),
      notificationText(told),
    ),
  )

type Ending = {
  /** Where the report is left. */
  readonly folder: string
  readonly monitoring: Monitoring | undefined
  readonly clock: Clock
}

async function summaryNow(
  { local, apiUrl, telemetryUrl, receiver }: StageSet,
  { folder, monitoring, clock }: Ending,
): Promise<Summary | undefined> {
  const answer = await readFleet({ url: apiUrl })
  if (!answer.ok) return undefined
  const report = await writeDemoReport(apiUrl, { folder, now: clock.now() })
  const fleet = answer.value
  const urls = {
    page: `${apiUrl}/`,
    metrics: `${telemetryUrl}/metrics`,
    api: `${apiUrl}/api/v1/computes`,
    service: local.baseUrl,
    ...(monitoring && { prometheus: monitoring.prometheusUrl, alertmanager: monitoring.alertmanagerUrl }),
  }
  return (
    report && buildSummary({ fleet, truth: local.truth(fleet.taken_at), urls, told: receiver.told, report })
  )
}
