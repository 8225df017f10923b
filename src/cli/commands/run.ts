import { Command } from 'commander'
import type { Config } from '../../config/load.ts'
import { secretFileWarnings } from '../../config/secret-files.ts'
import { startDaemon, type Daemon } from '../../daemon/daemon.ts'
import { createLog } from '../../daemon/log.ts'
import { fleetJson } from '../../daemon/http/api/status-json.ts'
import { sanitize } from '../../std/sanitize.ts'
import { CONFIG_TEXT, readConfiguration } from '../connect/configuration.ts'
import { fleetTable, partialLines } from '../terminal/fleet-table.ts'
import { EXIT, failUsage, jsonText, reportFindings, type CommandSession } from '../terminal/io.ts'

type Options = Readonly<{ config?: string; json?: boolean }>

export const createRunCommand = ({ end, ...session }: CommandSession) =>
  new Command('run')
    .description('watch the accounts of a configuration until stopped')
    .option('--config <file>', CONFIG_TEXT)
    .action((options: Options) => end(runDaemon(options, session)))

export const createOnceCommand = ({ end, ...session }: CommandSession) =>
  new Command('once')
    .description('make one pass over the accounts of a configuration, print the result, and end')
    .option('--config <file>', CONFIG_TEXT)
    .option('--json', 'print JSON')
    .action((options: Options) => end(runOnce(options, session)))

type Process = Omit<CommandSession, 'end'>

async function runDaemon(options: Options, { io, version }: Process) {
  const started = Promise.withResolvers<Daemon>()
  // during the start, too, which waits for the service: the file may be another one than was read
  io.onReload?.(() => void started.promise.then(({ reload }) => reload()))
  const read = () => readConfiguration(options.config, io)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const { config } = loaded.value
  const log = createLog(config.log.level, io.redact)
  const warnings = secretFileWarnings(config)
  if (warnings.length > 0) log.warn({ warnings }, 'other users of this machine can read files of secrets')
  const daemon = await startDaemon({ loaded: loaded.value, read, log, version, redactor: io }, io.signal)
  const { telemetryUrl, apiUrl } = daemon
  const accounts = config.accounts.map(({ name }) => name)
  log.info({ telemetryUrl, apiUrl, mode: config.mode, accounts }, 'watching')
  started.resolve(daemon)
  await daemon.run(io.signal)
  log.info('stopped')
  return EXIT.ok
}

async function runOnce(options: Options, { io, version }: Process) {
  const read = () => readConfiguration(options.config, io)
  const loaded = read()
  if (!loaded.ok) return failUsage(io, ...loaded.error)
  const onAnyPort = { ...loaded.value, config: withAnyPort(loaded.value.config) }
  const daemon = await startDaemon(
    { loaded: onAnyPort, read, log: createLog('silent', io.redact), version, redactor: io },
    io.signal,
  )
  await daemon.firstPass
  const snapshot = daemon.snapshot()
  await daemon.run(AbortSignal.abort())
  if (!snapshot) return EXIT.failed
  const fleet = fleetJson(snapshot)
  io.out(options.json ? jsonText(fleet) : fleetTable(fleet))
  for (const account of fleet.accounts)
    for (const line of partialLines(account))
      io.err(`dormouse: account ${sanitize(account.account)}: ${line}; run reads them`)
  const problems = fleet.accounts.flatMap((account) => account.problems)
  const exitCode = reportFindings(io, problems)
  return snapshot.ready ? exitCode : EXIT.failed
}

/** Any free port: a daemon of one pass must not block the ports of another. */
const withAnyPort = (config: Config): Config => {
  const anyPort = { host: '127.0.0.1', port: 0 }
  return { ...config, server: { ...config.server, telemetry: anyPort, api: anyPort } }
}
