// argv -> command -> exit code.
import { Command, CommanderError } from 'commander'
import { createAuditCommand } from './commands/audit.ts'
import { createCheckConfigCommand } from './commands/check-config.ts'
import { createCheckServiceCommand } from './commands/check-service.ts'
import { createComputesCommand } from './commands/computes.ts'
import { createDemoCommand } from './commands/demo.ts'
import { createExplainCommand } from './commands/explain.ts'
import { createExportCommand } from './commands/export.ts'
import { createInitCommand } from './commands/init.ts'
import { createKeysCommand } from './commands/keys.ts'
import type { ExitCode, Io } from './terminal/io.ts'
import { createLocalCommand } from './commands/local.ts'
import { EXIT, type CommandSession } from './terminal/output.ts'
import { createProjectsCommand } from './commands/projects.ts'
import { createReloadCommand } from './commands/reload.ts'
import { createReportCommand } from './commands/report.ts'
import { createOnceCommand, createRunCommand } from './commands/run.ts'
import { createStatusCommand } from './commands/status.ts'
import { rejectRepeatedAndEmpty } from './terminal/strict-options.ts'
import { packageVersion } from './version.ts'

/** Every command, in the order of the help. */
const COMMANDS: readonly ((session: CommandSession) => Command)[] = [
  createAuditCommand,
  createRunCommand,
  createOnceCommand,
  createStatusCommand,
  createExplainCommand,
  createExportCommand,
  createReportCommand,
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

/** Runs the command that `argv`, without node and script, names. Never rejects: what goes wrong is written and is the exit code. */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const end = (ended: ExitCode): void => {
    code = ended
  }
  const program = new Command('dormouse')
    .description(
      'Autosuspend and cost monitoring for managed Postgres computes that cost money while they are awake',
    )
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
  for (const create of COMMANDS) program.addCommand(inheriting(create({ io, end }), program))
  rejectRepeatedAndEmpty(program)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? EXIT.ok : EXIT.usage
    io.err(`dormouse: ${cause instanceof Error ? cause.message : String(cause)}`)
    return EXIT.failed
  }
}

/** Commands made apart from the program know nothing of its output and its exit until they are told. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const inner of command.commands) inheriting(inner, parent)
  return command
}
