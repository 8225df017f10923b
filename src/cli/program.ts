import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError, type Option } from 'commander'
import { createAuditCommand } from './commands/audit.ts'
import { createCheckConfigCommand } from './commands/check-config.ts'
import { createCheckServiceCommand } from './commands/check-service.ts'
import { createComputesCommand } from './commands/computes.ts'
import { createDismissCommand } from './commands/dismiss.ts'
import { createDemoCommand } from './commands/demo.ts'
import { createExplainCommand } from './commands/explain.ts'
import { createExportCommand } from './commands/export.ts'
import { createInitCommand } from './commands/init.ts'
import { createKeysCommand } from './commands/keys.ts'
import { EXIT, failText, type CommandSession, type ExitCode, type Io } from './terminal/io.ts'
import { createLocalCommand } from './commands/local.ts'
import { createProjectsCommand } from './commands/projects.ts'
import { createRecommendationsCommand } from './commands/recommendations.ts'
import { createReloadCommand } from './commands/reload.ts'
import { createReplayCommand } from './commands/replay.ts'
import { createReportCommand } from './commands/report.ts'
import { createOnceCommand, createRunCommand } from './commands/run.ts'
import { createStatusCommand } from './commands/status.ts'
import { errorReason } from './connect/daemon.ts'

/** In the order of the help. */
const COMMANDS: readonly ((session: CommandSession) => Command)[] = [
  createAuditCommand,
  createRunCommand,
  createOnceCommand,
  createStatusCommand,
  createExplainCommand,
  createExportCommand,
  createReportCommand,
  createRecommendationsCommand,
  createDismissCommand,
  createReplayCommand,
  createReloadCommand,
  createDemoCommand,
  createLocalCommand,
  createCheckConfigCommand,
  createCheckServiceCommand,
  createInitCommand,
  createProjectsCommand,
  createComputesCommand,
  createKeysCommand,
]

/** `argv`: without node and script. Never rejects: errors are printed and become the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const version = packageVersion()
  const end: CommandSession['end'] = async (exitCode) => {
    code = await exitCode
  }
  const program = new Command('dormouse')
    .description(
      'Autosuspend and cost monitoring for managed Postgres computes that cost money while they are awake',
    )
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
  for (const create of COMMANDS) program.addCommand(inheritSettings(create({ io, end, version }), program))
  rejectRepeatedAndEmpty(program)
  try {
    await program.parseAsync(withUnknownTopic(program, argv), { from: 'user' })
    return code
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.ok : EXIT.usage
    return failText(io, errorReason(cause))
  }
}

/** `help nonsense` becomes `nonsense`, which is refused with a suggestion: commander would print the whole help without a word of it. */
function withUnknownTopic(command: Command, argv: readonly string[]): readonly string[] {
  const [first, topic] = argv
  const commandOf = (name: string | undefined) => command.commands.find((one) => one.name() === name)
  const inner = commandOf(first)
  if (first !== undefined && inner) return [first, ...withUnknownTopic(inner, argv.slice(1))]
  const isUnknown = first === 'help' && topic !== undefined && topic !== 'help' && !commandOf(topic)
  return isUnknown && command.commands.length > 0 ? [topic] : argv
}

/** Output and exit of the parent, for a command created apart from it. */
function inheritSettings(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const inner of command.commands) inheritSettings(inner, parent)
  return command
}

/** So that a script with an unset variable fails. */
function rejectRepeatedAndEmpty(program: Command) {
  program.hook('preAction', (_, command) => rejectEmpty(command))
  for (const command of commandsOf(program))
    for (const option of command.options) if (option.required) rejectRepeated(command, option)
}

const commandsOf = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap((inner) => commandsOf(inner)),
]

function rejectRepeated(command: Command, { flags, long }: Option) {
  let isGiven = false
  command.on(`option:${long?.slice(2) ?? flags}`, (value: string) => {
    if (isGiven) command.error(`error: option '${flags}' is given twice`)
    if (value === '') command.error(`error: option '${flags}' argument is empty`)
    isGiven = true
  })
}

function rejectEmpty(command: Command) {
  for (const [index, value] of command.args.entries())
    if (value === '')
      command.error(`error: argument '${command.registeredArguments[index]?.name() ?? ''}' is empty`)
}

function packageVersion() {
  const file = join(import.meta.dirname, '../../package.json')
  const { version: text } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }
  return text
}
