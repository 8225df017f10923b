import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import type { FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { readFleet, type DaemonApi } from '../connect/daemon.ts'
import { EXIT, failText, type ExitCode, type Io } from '../terminal/io.ts'
import { isActing } from './cast.ts'
import { findPrograms, startMonitoring, type Monitoring, type Programs } from './monitoring/monitoring.ts'
import { startClients, superviseDaemon } from './players.ts'
import { changedOf, changeNews, readChanges, reportedChanges } from './changes.ts'
import { notificationText } from './receiver.ts'
import { readRecommendations, recommendedLines, recommendedOf } from './recommendations.ts'
import { reportFolder, sendReport, writeDemoReport } from './report.ts'
import { createScreen } from './screen.ts'
import { setStage, type StageSet } from './stage.ts'
import { introLines } from './intro.ts'
import { buildSummary, summaryText, type Summary } from './summary.ts'

type DemoOptions = Readonly<{
  /** Undefined: until interrupted. */
  length: Seconds | undefined
  json: boolean
  withPrometheus: boolean
  /** Folder of the report; undefined: a new folder. */
  report: string | undefined
  /** Whether steps to try are shown. */
  tour: boolean
  /** Whether somebody approves the recommended size. */
  approves: boolean
}>

export async function runDemo(options: DemoOptions, io: Io): Promise<ExitCode> {
  const programs = options.withPrometheus ? findPrograms(io.env['PATH']) : undefined
  if (options.withPrometheus && !programs) return failText(io, MISSING)
  const folder = reportFolder(options.report)
  const clock = createClock()
  const say = options.json ? () => undefined : io.out
  say('Starting the service, Postgres and Dormouse …')
  await using stack = new AsyncDisposableStack()
  const stage = stack.use(await setStage({ token: createRandom().uuid(), clock, signal: io.signal }))
  const play = stack.use(perform(stage, { clock, io, say, approves: options.approves }))
  const show: Show = { io, clock, until: clock.monotonic() + (options.length ?? MAX_LENGTH) }
  await waitUntilReady(stage, show)
  const monitoring = programs && stack.use(await startPrograms(programs, stage, show))
  play.begin()
  if (options.json) await clock.sleep(remainingTime(show), io.signal)
  else await watch(stage, show, introLines(stage, { monitoring, tour: options.tour }))
  const summary = await summarise(stage, { folder, monitoring })
  if (!summary) {
    io.err('the daemon did not answer at the end, so there is no summary')
    return EXIT.failed
  }
  io.out(options.json ? JSON.stringify(summary) : summaryText(summary))
  return EXIT.ok
}

const MISSING =
  '--with-prometheus needs Prometheus and Alertmanager on this machine: on Debian, apt install prometheus prometheus-alertmanager'

/** Seconds, 23 days: a clock cannot sleep longer at a time. */
const MAX_LENGTH = 2_000_000

/** `until`: of the monotonic clock. */
type Show = Readonly<{ io: Io; clock: Clock; until: number }>
const remainingTime = ({ clock, until }: Show) => seconds(Math.max(0, until - clock.monotonic()))

type Surroundings = Readonly<{
  clock: Clock
  io: Io
  say: (text: string) => void
  approves: boolean
}>

/** `begin` starts what waits until somebody watches. */
type Performance = AsyncDisposable & { readonly begin: () => void }

/** Runs daemon and clients until disposed of: an interrupt ends the watching only, the summary still needs the daemon. */
function perform(stage: StageSet, { clock, io, say, approves }: Surroundings): Performance {
  const over = new AbortController()
  const { promise: watched, resolve: begin } = Promise.withResolvers<void>()
  const direction = { clock, say, watched, signal: over.signal }
  const daemon = superviseDaemon(stage, direction)
  const clients = startClients(stage, { ...direction, approves }).catch((cause: unknown) =>
    io.err(`the clients have stopped: ${String(cause)}`),
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

/** Waits until the daemon knows, forecasts and has evaluated every compute, and lets it make the report of last week. */
async function waitUntilReady({ api, local }: StageSet, show: Show) {
  const existing = local.truth().computes.filter(({ port }) => port !== null)
  // oxlint-disable-next-line no-await-in-loop -- one by one
  while (isOn(show) && !(await isReady(api, existing.length))) await pause(show, 0.2)
  if (isOn(show) && !(await sendReport(api))) show.io.err('the report of last week could not be made')
}

async function isReady(api: DaemonApi, computes: number): Promise<boolean> {
  const fleet = await readFleet(api)
  if (!fleet.ok || fleet.value.computes.length < computes) return false
  const advice = await readRecommendations(api.url)
  const evaluated = [...(advice?.recommendations ?? []), ...(advice?.withheld ?? [])]
  const isForecast = fleet.value.accounts.every(({ month }) => month?.forecast)
  return isForecast && new Set(evaluated.map(({ endpoint_id }) => endpoint_id)).size >= computes
}

const isOn = (show: Show) => !show.io.signal.aborted && remainingTime(show) > 0
const pause = (show: Show, most: number) =>
  show.clock.sleep(seconds(Math.min(most, remainingTime(show))), show.io.signal)

/** @returns undefined if interrupted, which ends programs that are starting. @throws when one does not start */
async function startPrograms(
  programs: Programs,
  { folder, telemetryUrl, receiver, tokenFile }: StageSet,
  { io, clock }: Show,
) {
  if (io.signal.aborted) return undefined
  try {
    return await startMonitoring({
      programs,
      folder: `${folder}/monitoring`,
      jobs: { dormouse: new URL(telemetryUrl).host },
      target: { url: receiver.url, tokenFile },
      clock,
    })
  } catch (cause) {
    if (io.signal.aborted) return undefined
    throw cause
  }
}

async function watch(stage: StageSet, show: Show, intro: readonly string[]) {
  const screen = createScreen(show.io, intro)
  /** In the order in which they appeared, by a key of each. */
  const news = new Map<string, string>()
  while (isOn(show)) {
    // oxlint-disable-next-line no-await-in-loop -- a screen is drawn once a second
    const answer = await readFleet({ url: stage.apiUrl })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const advice = await readRecommendations(stage.apiUrl)
    if (answer.ok) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      const changes = changeNews(await readChanges(stage.apiUrl))
      const notifications = notificationLines(stage, answer.value).map((line) => [line, line] as const)
      for (const [key, line] of [...notifications, ...(advice ? recommendedLines(advice) : []), ...changes])
        if (!news.has(key)) news.set(key, line)
      const computes = answer.value.computes.filter(
        ({ project_name, state }) => isActing(project_name) || state !== 'idle',
      )
      screen.show({ ...answer.value, computes }, [...news.values()])
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(show, 1)
  }
}

const notificationLines = ({ receiver }: StageSet, { computes }: FleetJson) =>
  receiver.notifications.map((notification) =>
    computes.reduce(
      (line, { project_id, project_name }) => line.replaceAll(project_id, project_name ?? project_id),
      notificationText(notification),
    ),
  )

type Ending = Readonly<{
  folder: string
  monitoring: Monitoring | undefined
}>

async function summarise(
  { local, since, apiUrl, telemetryUrl, receiver }: StageSet,
  { folder, monitoring }: Ending,
): Promise<Summary | undefined> {
  const answer = await readFleet({ url: apiUrl })
  const advice = await readRecommendations(apiUrl)
  if (!answer.ok || !advice) return undefined
  const changes = await readChanges(apiUrl)
  const report = await writeDemoReport(apiUrl, folder)
  const fleet = answer.value
  const urls = {
    page: `${apiUrl}/`,
    metrics: `${telemetryUrl}/metrics`,
    api: `${apiUrl}/api/v1/computes`,
    service: local.baseUrl,
    ...(monitoring && { prometheus: monitoring.prometheusUrl, alertmanager: monitoring.alertmanagerUrl }),
  }
  return (
    report &&
    buildSummary({
      fleet,
      truth: local.truth(fleet.taken_at),
      past: local.truth(since),
      urls,
      told: receiver.notifications,
      recommended: recommendedOf(advice),
      changed: changedOf(changes, local.truth()),
      reported: changes.length === 0 ? [] : await reportedChanges(apiUrl, createClock().now()),
      report,
    })
  )
}
