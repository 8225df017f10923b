import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import type { FleetJson } from '../../daemon/http/api/status-json.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { toIso } from '../../model/time.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { readFleet } from '../connect/daemon.ts'
import { EXIT, failText, type ExitCode, type Io } from '../terminal/io.ts'
import { CAST } from './cast.ts'
import { findPrograms, startMonitoring, type Monitoring, type Programs } from './monitoring/monitoring.ts'
import { startClients, superviseDaemon } from './players.ts'
import { notificationText } from './receiver.ts'
import { readRecommendations, recommendedLines, recommendedOf } from './recommendations.ts'
import { writeDemoReport, reportFolder } from './report.ts'
import { createScreen } from './screen.ts'
import { setStage, type StageSet } from './stage.ts'
import { buildSummary, summaryText, type Summary } from './summary.ts'

type DemoOptions = Readonly<{
  /** Undefined: until interrupted. */
  length: Seconds | undefined
  json: boolean
  withPrometheus: boolean
  /** Folder of the report; undefined: a new folder. */
  report: string | undefined
}>

export async function runDemo(options: DemoOptions, io: Io): Promise<ExitCode> {
  const programs = options.withPrometheus ? findPrograms(io.env['PATH']) : undefined
  if (options.withPrometheus && !programs) return failText(io, MISSING)
  const folder = reportFolder(options.report)
  const clock = createClock()
  const say = options.json ? () => undefined : io.out
  say('Starting the service, Postgres and Dormouse …')
  await using stack = new AsyncDisposableStack()
  const stage = stack.use(await setStage({ token: createRandom().uuid(), now: () => toIso(clock.now()) }))
  const play = stack.use(perform(stage, { clock, io, say }))
  const show: Show = { io, clock, until: clock.monotonic() + (options.length ?? MAX_LENGTH) }
  await waitUntilUp(stage, show)
  const monitoring = programs && stack.use(await startPrograms(programs, stage, show))
  play.begin()
  if (options.json) await clock.sleep(remainingTime(show), io.signal)
  else await watch(stage, show, introLines(stage, monitoring))
  const summary = await summarise(stage, { folder, monitoring, clock })
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

type Surroundings = Readonly<{ clock: Clock; io: Io; say: (text: string) => void }>

/** `begin` starts what waits until somebody watches. */
type Performance = AsyncDisposable & { readonly begin: () => void }

/** Runs daemon and clients until disposed of: an interrupt ends the watching only, the summary still needs the daemon. */
function perform(stage: StageSet, { clock, io, say }: Surroundings): Performance {
  const over = new AbortController()
  const { promise: watched, resolve: begin } = Promise.withResolvers<void>()
  const direction = { clock, say, watched, signal: over.signal }
  const daemon = superviseDaemon(stage, direction)
  const clients = startClients(stage, direction).catch((cause: unknown) =>
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

/** Waits for the first pass: otherwise Prometheus would begin with an alert that the daemon is down. */
async function waitUntilUp({ apiUrl }: StageSet, show: Show) {
  // oxlint-disable-next-line no-await-in-loop -- one by one
  while (isOn(show) && !(await readFleet({ url: apiUrl })).ok) await pause(show, 0.2)
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
      const notifications = notificationLines(stage, answer.value).map((line) => [line, line] as const)
      for (const [key, line] of [...notifications, ...(advice ? recommendedLines(advice) : [])])
        if (!news.has(key)) news.set(key, line)
      screen.show(answer.value, [...news.values()])
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
  clock: Clock
}>

async function summarise(
  { local, apiUrl, telemetryUrl, receiver }: StageSet,
  { folder, monitoring, clock }: Ending,
): Promise<Summary | undefined> {
  const answer = await readFleet({ url: apiUrl })
  const advice = await readRecommendations(apiUrl)
  if (!answer.ok || !advice) return undefined
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
    report &&
    buildSummary({
      fleet,
      truth: local.truth(fleet.taken_at),
      urls,
      told: receiver.notifications,
      recommended: recommendedOf(advice),
      report,
    })
  )
}

const introLines = (stage: StageSet, monitoring: Monitoring | undefined) => [
  'Five computes of a service on this machine, each a real Postgres, and Dormouse watching them:',
  ...CAST.map(
    ({ role, team, delay, about }) =>
      `  ${role.padEnd(9)} of ${team.padEnd(8)} ${delayText(delay).padEnd(27)} ${about}`,
  ),
  'Open',
  ...linksOf(stage, monitoring).map(([url, what]) => `  ${url.padEnd(40)} ${what}`),
  'Try in another terminal',
  `  npm run -s dormouse -- explain chatty --url ${stage.apiUrl}`,
  // Debian's has no page of its own
  ...(monitoring ? [`  amtool alert query --alertmanager.url=${monitoring.alertmanagerUrl}`] : []),
]

const delayText = (delay: number | 'never') =>
  delay === 'never' ? 'never sleeps, by settings:' : `sleeps after ${delay} s of silence:`

const linksOf = (
  { apiUrl, telemetryUrl, local, configFile }: StageSet,
  monitoring: Monitoring | undefined,
): readonly (readonly [string, string])[] => [
  [`${apiUrl}/`, 'the status page; /budgets is how fast the money goes'],
  [`${telemetryUrl}/metrics`, 'what Prometheus reads'],
  ...(monitoring ? ([[monitoring.alertsUrl, PROMETHEUS_TEXT]] as const) : []),
  [local.baseUrl, 'the service'],
  [configFile, 'the configuration of Dormouse'],
]

const PROMETHEUS_TEXT = 'Prometheus with dashboards/alerts.yaml, waiting a second in place of minutes'
