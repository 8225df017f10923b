// `run` and `once`: the daemon, and one pass of it.
import { environment, loadConfig, type Config } from '../config/load.ts'
import { startDaemon, type Daemon } from '../daemon/daemon.ts'
import { createLog } from '../daemon/log.ts'
import { fleetOf } from '../daemon/status.ts'
import { fleetLines } from './fleet-table.ts'
import type { ExitCode, Io } from './io.ts'
import { version } from './version.ts'

/** The daemon until it is asked to stop. */
export async function runDaemon(configFile: string, io: Io): Promise<ExitCode> {
  const config = configured(configFile, io)
  if (!config) return 2
  const log = createLog(config.log.level)
  const daemon = await started(config, { log, io })
  if (!daemon) return 1
  const { telemetryUrl, apiUrl } = daemon
  log.info(
    { telemetryUrl, apiUrl, mode: config.mode, accounts: config.accounts.map(({ name }) => name) },
    'watching',
  )
  await daemon.run(io.signal)
  log.info('stopped')
  return 0
}

/** One pass over every account, and what it saw. */
export async function runOnce(configFile: string, json: boolean, io: Io): Promise<ExitCode> {
  const config = configured(configFile, io)
  if (!config) return 2
  const anyPort = { host: '127.0.0.1', port: 0 }
  const quiet = { ...config, server: { telemetry: anyPort, api: anyPort } }
  const daemon = await started(quiet, { log: createLog('silent'), io })
  if (!daemon) return 1
  const snapshot = daemon.snapshot()
  await daemon.run(AbortSignal.abort())
  if (!snapshot) return 1
  const fleet = fleetOf(snapshot)
  io.out(json ? JSON.stringify(fleet) : fleetLines(fleet).join('\n'))
  for (const problem of fleet.accounts.flatMap(({ problems }) => problems)) io.err(problem)
  return snapshot.ready ? 0 : 1
}

function configured(file: string, io: Io): Config | undefined {
  const config = loadConfig(file, environment())
  if (config.ok) return config.value
  for (const problem of config.error) io.err(`${file}: ${problem}`)
  return undefined
}

async function started(
  config: Config,
  { log, io }: { readonly log: ReturnType<typeof createLog>; readonly io: Io },
): Promise<Daemon | undefined> {
  try {
    return await startDaemon({ config, version: version(), log }, io.signal)
  } catch (cause) {
    io.err(cause instanceof Error ? cause.message : String(cause))
    return undefined
  }
}
