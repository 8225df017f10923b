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
import { EXIT, failUsage, jsonText, reportFindings } from '../terminal/io.ts'
import type { CommandSession, ExitCode, Io } from '../terminal/io.ts'

type Options = { readonly config: string; readonly json?: boolean }
type RunOptions = Options & { readonly version: string }

export const createRunCommand = ({ io, end, version }: CommandSession): Command =>
  new Command('run')
    .description('watch the accounts of a configuration until stopped')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .action((options: Options) => end(runDaemon({ ...options, version }, io)))

export const createOnceCommand = ({ io, end, version }: CommandSession): Command =>
  new Command('once')
    .description('make one pass over the accounts of a configuration, print the result, and end')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .option('--json', 'print JSON')
    .action((options: Options) => end(runOnce({ ...options, version }, io)))

async function runDaemon(options: RunOptions, io: Io): Promise<ExitCode> {
  const read = (): Result<LoadedConfig, readonly string[]> =>
    loadWithSource(resolve(io.cwd, options.config), io.env)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const { config } = loaded.value
  const log = createLog(config.log.level)
  let reload: Daemon['reload'] | undefined
  // a request before the daemon has started needs no reload: the configuration has just been read
  io.onReload?.(() => void reload?.())
  const daemon = await startDaemon({ loaded: loaded.value, read, log, version: options.version }, io.signal)
  reload = daemon.reload
  const { telemetryUrl, apiUrl } = daemon
  const accounts = config.accounts.map(({ name }) => name)
  log.info({ telemetryUrl, apiUrl, mode: config.mode, accounts }, 'watching')
  await daemon.run(io.signal)
  log.info('stopped')
  return EXIT.ok
}

async function runOnce(options: RunOptions, io: Io): Promise<ExitCode> {
  const read = (): Result<LoadedConfig, readonly string[]> =>
    loadWithSource(resolve(io.cwd, options.config), io.env)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const onAnyPort = { ...loaded.value, config: withAnyPort(loaded.value.config) }
  const daemon = await startDaemon(
    { loaded: onAnyPort, read, log: createLog('silent'), version: options.version },
    io.signal,
  )
  await daemon.firstPass
  const snapshot = daemon.snapshot()
  await daemon.run(AbortSignal.abort())
  if (!snapshot) return EXIT.failed
  const fleet = fleetJson(snapshot)
  io.out(options.json ? jsonText(fleet) : fleetTable(fleet))
  const exitCode = reportFindings(
    io,
    fleet.accounts.flatMap(({ problems }) => problems),
  )
  return snapshot.ready ? exitCode : EXIT.failed
}

/** Listeners on any free port of loopback: a daemon of one pass must not block the ports of another. */
const withAnyPort = (config: Config): Config => {
  const anyPort = { host: '127.0.0.1', port: 0 }
  return { ...config, server: { ...config.server, telemetry: anyPort, api: anyPort } }
}
