// The check that a container runs every half minute: it loads neither configuration nor store, only Node's own client.
import { Command } from 'commander'
import { createClock } from '../../daemon/clock.ts'
import { seconds } from '../../model/units.ts'
import { isLoopbackHost } from '../../std/unencrypted.ts'
import { errorReason, EXIT, failText, failUsage, type CommandSession, type Io } from '../terminal/io.ts'

/** Where the telemetry listener is without configuration, on loopback; a test compares it with the schema. */
export const DEFAULT_TELEMETRY_URL = 'http://127.0.0.1:9477'

/** Time for the answer: less than the 5 s after which the container's engine ends the check. */
const DEADLINE = seconds(2)

type Options = Readonly<{ url: string }>

export const createHealthCommand = ({ io, end }: CommandSession) =>
  new Command('health')
    .description(
      'ask a running daemon whether its loops run: exit code 0 or 1, for the health check of a container',
    )
    .option('--url <url>', "address of the daemon's telemetry listener", DEFAULT_TELEMETRY_URL)
    .action(({ url }: Options) => end(health(url, io)))

async function health(text: string, io: Io) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    return failUsage(io, `--url: expected an http or https address such as ${DEFAULT_TELEMETRY_URL}`)
  try {
    const status = await statusOf(new URL(`${text.replace(/\/+$/, '')}/-/healthy`))
    if (status !== 200) return failText(io, `not healthy: ${url.origin} answers ${status}`)
    io.out('healthy')
    return EXIT.ok
  } catch (cause) {
    return failText(io, `not healthy: no daemon answers at ${url.origin} (${errorReason(cause)})`)
  }
}

/** On loopback any certificate will do: that of the listener names other hosts, and nothing secret is sent. */
async function statusOf(url: URL): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  // not imported: an import reads every export, and some of them load Node's fetch, a third of the time of this check
  const { get } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const options = { rejectUnauthorized: !isLoopbackHost(url.hostname) }
  const request = get(url, options, ({ statusCode = 0 }) => resolve(statusCode)).on('error', reject)
  const ended = new AbortController()
  const late = new Error(`no answer within ${DEADLINE} s`)
  void createClock()
    .sleep(DEADLINE, ended.signal)
    .then(() => request.destroy(late))
  try {
    return await promise
  } finally {
    ended.abort()
  }
}
