import { resolve } from 'node:path'
import { Command } from 'commander'
import { configText } from '../config/defaults.ts'
import { effectiveConfig, loadConfig } from '../config/load.ts'
import { DEFAULT_CONFIG } from './connect.ts'
import type { ExitCode, Io } from './io.ts'
import { EXIT, json, usage, type Session } from './output.ts'

type Options = { readonly config: string; readonly json?: boolean }

export const createCheckConfigCommand = ({ io, end }: Session): Command =>
  new Command('check-config')
    .description('say all that is wrong with a configuration, or what it comes to')
    .option('--config <file>', 'configuration file', DEFAULT_CONFIG)
    .option('--json', 'print JSON')
    .action((options: Options) => end(checkConfig(options, io)))

function checkConfig(options: Options, io: Io): ExitCode {
  const path = resolve(io.cwd, options.config)
  const config = loadConfig(path, io.env)
  if (config.ok) {
    const effective = effectiveConfig(path)
    io.out(options.json ? json({ ok: true, config: effective }) : `ok\n\n${configText(effective)}`)
    return EXIT.ok
  }
  if (!options.json) return usage(io, ...config.error)
  io.out(json({ ok: false, problems: config.error }))
  return EXIT.usage
}
