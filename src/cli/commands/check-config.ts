import { resolve } from 'node:path'
import { Command } from 'commander'
import { configText } from '../../config/defaults.ts'
import { loadWithSource, type Config } from '../../config/load.ts'
import { DEFAULT_CONFIG } from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, jsonText, failUsage, type CommandSession } from '../terminal/output.ts'
import { sendTest } from '../connect/send-test.ts'

type Options = { readonly config: string; readonly json?: boolean; readonly sendTest?: string }

export const createCheckConfigCommand = ({ io, end }: CommandSession): Command =>
  new Command('check-config')
    .description('say all that is wrong with a configuration, or what it comes to')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .option(
      '--send-test <receiver>',
      'send a test to a receiver of notifications or reports, and say what came of it',
    )
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await checkConfig(options, io)))

async function checkConfig(options: Options, io: Io): Promise<ExitCode> {
  const path = resolve(io.cwd, options.config)
  const loaded = loadWithSource(path, io.env)
  if (loaded.ok) {
    const { config, effective } = loaded.value
    if (options.sendTest !== undefined) return tested(config, options, io)
    io.out(options.json ? jsonText({ ok: true, config: effective }) : `ok\n\n${configText(effective)}`)
    return EXIT.ok
  }
  if (!options.json) return failUsage(io, ...loaded.error)
  io.out(jsonText({ ok: false, problems: loaded.error }))
  return EXIT.usage
}

async function tested(
  config: Config,
  { sendTest: name = '', json: isJson }: Options,
  io: Io,
): Promise<ExitCode> {
  const failed = (problem: string, code: ExitCode): ExitCode => {
    if (isJson) io.out(jsonText({ ok: false, problems: [problem] }))
    else io.err(`dormouse: ${problem}`)
    return code
  }
  const sent = await sendTest(config, name, io.signal)
  if (!sent.ok) return failed(sent.error, EXIT.usage)
  if (sent.value.kind !== 'delivered') return failed(`${name}: ${sent.value.because}`, EXIT.failed)
  io.out(isJson ? jsonText({ ok: true, delivered: name }) : `${name}: delivered`)
  return EXIT.ok
}
