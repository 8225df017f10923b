import { Command, InvalidArgumentError, Option } from 'commander'
import { createClock } from '../../daemon/clock.ts'
import { isServicePlan, SERVICE_PLANS, type ServicePlan } from '../../model/policy/plan-limits.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import type { LocalEvent } from '../../local/log.ts'
import { startLocal, type Local, type LocalOptions } from '../../local/start.ts'
import { InvalidSeed } from '../../local/setup/seed.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { parseDuration } from '../../config/units.ts'
import { parseCu, parseDelay, parseFolderOption, parseLength, parseWholeFrom } from '../terminal/parse.ts'
import { EXIT, failUsage, type CommandSession, type Io } from '../terminal/io.ts'

type Options = Pick<
  LocalOptions,
  | 'folder'
  | 'port'
  | 'proxyPort'
  | 'plan'
  | 'preset'
  | 'allowShortDelays'
  | 'cacheScale'
  | 'loopbackHosts'
  | 'seed'
> & {
  readonly projects?: number
  readonly cu?: number
  readonly delay?: AutosuspendDelay
  readonly wakeLatency?: Seconds
  readonly activityLag?: Seconds
  readonly past?: Seconds
  readonly json?: boolean
}

export const createLocalCommand = ({ io, end }: CommandSession) =>
  new Command('local')
    .description('run the managed service on this machine, with real Postgres computes')
    .option('--folder <folder>', 'folder of its data', './dormouse-local')
    .option(
      '--projects <n>',
      'projects to create at the first start, each with a primary compute; by default 1, with a past 200',
      parseWholeFrom(0, MAX_PROJECTS),
    )
    .option(
      '--past <duration>',
      'give these projects a generated past of this length, 1d to 180d',
      pastArgument,
    )
    .option('--port <n>', 'port of the API; by default any free one', parseWholeFrom(0, MAX_PORT))
    .option(
      '--proxy-port <n>',
      'port for Postgres clients; by default any free one',
      parseWholeFrom(0, MAX_PORT),
    )
    .option(
      '--plan <plan>',
      'free, launch or scale: what it does not allow is refused; paid is another name of scale',
      planArgument,
      'scale',
    )
    .addOption(
      new Option(
        '--preset <name>',
        'sizes and what follows from them, and limits of plans: of the interface text, or of the documents',
      )
        .choices(['interface', '2026-03'])
        .default('interface'),
    )
    .option('--cu <size>', 'size of the computes created at the first start', parseCu)
    .option('--delay <duration>', 'their autosuspend delay', parseDelay)
    .option('--allow-short-delays', 'accept autosuspend delays under a minute')
    .option(
      '--wake-latency <duration>',
      'extra time of each start; by default 1 to 3 s at random',
      parseLength,
    )
    .option('--activity-lag <duration>', 'how late the API shows activity; by default 5 s', parseLength)
    .option(
      '--cache-scale <n>',
      'divide memory sizes, so that small tables show the file cache',
      parseWholeFrom(1, 1_000_000),
    )
    .option('--loopback-hosts', 'give every compute a loopback address with port 5432 as its host (Linux)')
    .option('--seed <n>', 'seed of all random numbers', parseWholeFrom(0, 999_999_999))
    .option('--json', 'print only one line of JSON when ready')
    .action((options: Options) => end(runLocal(options, io)))

async function runLocal(options: Options, io: Io) {
  if (options.past !== undefined && (options.cu !== undefined || options.delay !== undefined)) {
    const reason = 'its projects have many different sizes and delays'
    return failUsage(io, `--cu and --delay do not go with --past: ${reason}`)
  }
  const folder = parseFolderOption('--folder', options.folder, io)
  if (!folder.ok) return failUsage(io, folder.error)
  const started = await start(localOptions({ ...options, folder: folder.value ?? options.folder }, io))
  if (!started.ok) return failUsage(io, started.error)
  const local = started.value
  const { baseUrl, apiKey, proxyPort } = local
  io.out(options.json ? JSON.stringify({ baseUrl, apiKey, proxyPort }) : readyText(local))
  const clock = createClock()
  // oxlint-disable-next-line no-await-in-loop -- a clock can sleep for 24 days at a time
  while (!io.signal.aborted) await clock.sleep(MAX_SLEEP, io.signal)
  await local.stop()
  return EXIT.ok
}

/** The problem is one of an option that computes are created with. */
async function start(options: LocalOptions): Promise<Result<Local, string>> {
  try {
    return ok(await startLocal(options))
  } catch (cause) {
    if (!(cause instanceof InvalidSeed)) throw cause
    const { message } = cause.refusal
    return failed(
      message.replace(/^endpoint\.(\w+)/, (_, field) =>
        field === 'suspend_timeout_seconds' ? '--delay' : '--cu',
      ),
    )
  }
}

const MAX_SLEEP = seconds(1_000_000)
const MAX_PORT = 65_535
/** The largest past that was tested. */
const MAX_PROJECTS = 100_000

const localOptions = (options: Options, io: Io): LocalOptions => {
  const { projects: count, past: span, delay, cu, wakeLatency, activityLag, json, ...rest } = options
  const compute = {
    ...(cu !== undefined && { cu }),
    ...(delay !== undefined && { suspendTimeoutSeconds: delay === 'never' ? -1 : delay }),
  }
  const projects = count ?? (span === undefined ? 1 : PAST_PROJECTS)
  const { seed } = rest
  return {
    ...rest,
    ...(wakeLatency !== undefined && { wakeLatency: { min: wakeLatency, max: wakeLatency } }),
    ...(activityLag !== undefined && { lastActiveLag: activityLag }),
    ...(span === undefined
      ? { projects: Array.from({ length: projects }, (_, at) => ({ name: `project-${at + 1}`, ...compute })) }
      : { past: { span, projects, ...(seed !== undefined && { seed }) } }),
    log: createEventPrinter(io, json),
  }
}

const readyText = ({ baseUrl, apiKey, proxyPort, monitoringPassword }: Local) => `
The service is ready; it stops with Ctrl-C and keeps its data.

  base URL      ${baseUrl}
  API key       ${apiKey}
  Postgres      127.0.0.1:${proxyPort}, wakes the compute named by the option endpoint=…
  monitoring    role dormouse, password ${monitoringPassword}, in every project

  export DORMOUSE_API_KEY=${apiKey}
  npm run -s dormouse -- projects list --base-url ${baseUrl}
  psql "$(curl -s -H "Authorization: Bearer $DORMOUSE_API_KEY" \\
    "${baseUrl}/projects/PROJECT/connection_uri?database_name=app&role_name=app_owner" | sed 's/.*"uri":"//; s/".*//')"
`

/** Ports of computes that are printed: what to do next must stay on the screen. */
const MAX_PORTS = 8
const MORE_PORTS = 'the other computes have ports of their own, too: "port" in the answer to GET /_truth'

/** @param json only what a program needs: that its projects have no past */
function createEventPrinter(io: Io, json = false): (event: LocalEvent) => void {
  let ports = 0
  return (event) => {
    if (json && event.kind !== 'past-refused') return
    ports += event.kind === 'compute-port' ? 1 : 0
    if (event.kind !== 'compute-port' || ports <= MAX_PORTS) printEvent(event, io)
    else if (ports === MAX_PORTS + 1) io.out(MORE_PORTS)
  }
}

function printEvent(event: LocalEvent, { out, err }: Io) {
  switch (event.kind) {
    case 'past-made': {
      const { projects, from, seed } = event.past
      const made = `${event.operations} operations in ${event.seconds.toFixed(1)} s`
      return out(`generated a past of ${projects} projects since ${from} with seed ${seed}: ${made}`)
    }
    case 'past-refused':
      return err(`dormouse: ${pastRefusedText(event)}`)
    case 'started':
      return out(`${event.endpointId} started in ${event.seconds.toFixed(2)} s`)
    case 'stopped':
      return out(`${event.endpointId} suspended`)
    case 'start-failed':
    case 'died':
      return err(`${event.endpointId} ${event.kind}: ${event.message}`)
    case 'orphan-stopped':
      return out(`stopped a Postgres that an earlier service left behind (process ${event.pid})`)
    case 'problem':
      return err(event.message)
    case 'compute-port':
      return out(`${event.endpointId} is also on 127.0.0.1:${event.port}`)
    case 'listening':
      return out(event.postgres)
    case 'activity': // twice a second for every compute in use: for programs that start the service, not for people
  }
}

const pastRefusedText = ({ folder, kept }: Extract<LocalEvent, { kind: 'past-refused' }>) =>
  `a past is generated at the first start of a folder only, and ${folder} has been used before: it keeps ` +
  (kept
    ? `the past of ${kept.projects} projects from ${kept.from} to ${kept.to} it was made with`
    : 'its projects without one; choose another --folder')

/** Enough for every kind of use in every size. */
const PAST_PROJECTS = 200
/** The service forgets operations after about six months (service-facts 3). */
const PAST = { min: seconds(86_400), max: seconds(180 * 86_400) }

function pastArgument(text: string): Seconds {
  const span = parseDuration(text)
  if (span !== undefined && span >= PAST.min && span <= PAST.max) return span
  throw new InvalidArgumentError('Expected a length of time from 1d to 180d, such as 60d.')
}

function planArgument(text: string): ServicePlan {
  const plan = text === 'paid' ? 'scale' : text
  if (isServicePlan(plan)) return plan
  throw new InvalidArgumentError(`Expected one of ${SERVICE_PLANS.join(', ')}, paid.`)
}
