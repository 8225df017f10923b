// `run` and `once`: the daemon, and one pass of it.
import { resolve } from 'node:path'
import { Command } from 'commander'
import { loadWithSource, type Config, type LoadedConfig } from '../../config/load.ts'
import { startDaemon, type Daemon } from '../../daemon/daemon.ts'
import { createLog } from '../../daemon/log.ts'
import { fleetJson } from '../../daemon/http/api/status-json.ts'
import type { Result } from '../../std/result.ts'
import { DEFAULT_CONFIG } from '../connect/service.ts'
import { fleetTable } from '../terminal/fleet-table.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, jsonText, failUsage, reportFindings, type CommandSession } from '../terminal/output.ts'
import { packageVersion } from '../version.ts'

type Options = { readonly config: string; readonly json?: boolean }

export const createRunCommand = ({ io, end }: CommandSession): Command =>
  new Command('run')
    .description('watch the accounts of a configuration until it is stopped')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .action(async (options: Options) => end(await runDaemon(options, io)))

export const createOnceCommand = ({ io, end }: CommandSession): Command =>
  new Command('once')
    .description('make one pass over the accounts of a configuration, say what it saw, and end')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await runOnce(options, io)))

async function runDaemon(options: Options, io: Io): Promise<ExitCode> {
  const read = (): Result<LoadedConfig, readonly string[]> =>
    loadWithSource(resolve(io.cwd, options.config), io.env)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const { config } = loaded.value
  const log = createLog(config.log.level)
  let reload: Daemon['reload'] | undefined
  // before there is anything to take it over the configuration has just been read
  io.onReload?.(() => void reload?.())
  const daemon = await started({ loaded: loaded.value, read, log, version: packageVersion() }, io)
  if (!daemon) return EXIT.failed
  reload = daemon.reload
  const { telemetryUrl, apiUrl } = daemon
  const accounts = config.accounts.map(({ name }) => name)
  log.info({ telemetryUrl, apiUrl, mode: config.mode, accounts }, 'watching')
  await daemon.run(io.signal)
  log.info('stopped')
  return EXIT.ok
}

async function runOnce(options: Options, io: Io): Promise<ExitCode> {
  const read = (): Result<LoadedConfig, readonly string[]> =>
    loadWithSource(resolve(io.cwd, options.config), io.env)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const quiet = { ...loaded.value, config: unheard(loaded.value.config) }
  const daemon = await started(
    { loaded: quiet, read, log: createLog('silent'), version: packageVersion() },
    io,
  )
  if (!daemon) return EXIT.failed
  await daemon.firstPass
  const snapshot = daemon.snapshot()
  await daemon.run(AbortSignal.abort())
  if (!snapshot) return EXIT.failed
  const fleet = fleetJson(snapshot)
  io.out(options.json ? jsonText(fleet) : fleetTable(fleet))
  const found = reportFindings(
    io,
    fleet.accounts.flatMap(({ problems }) => problems),
  )
  return snapshot.ready ? found : EXIT.failed
}

/** Nobody asks a daemon that lives for one pass; it must not stand in the way of another. */
const unheard = (config: Config): Config => {
  const anywhere = { host: '127.0.0.1', port: 0 }
  return { ...config, server: { ...config.server, telemetry: anywhere, api: anywhere } }
}

async function started(options: Parameters<typeof startDaemon>[0], io: Io): Promise<Daemon | undefined> {
  try {
    return await startDaemon(options, io.signal)
  } catch (cause) {
    io.err(`dormouse: ${cause instanceof Error ? cause.message : String(cause)}`)
    return undefined
  }
}
