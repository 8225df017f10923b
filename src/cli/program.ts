// argv -> command -> exit code.
import { Command, CommanderError } from 'commander'
import { createAuditCommand } from './audit/command.ts'
import { createCheckConfigCommand } from './check-config.ts'
import { createCheckServiceCommand } from './check-service/command.ts'
import { createComputesCommand } from './computes.ts'
import { createDemoCommand } from './demo/command.ts'
import { createExplainCommand } from './explain.ts'
import { createExportCommand } from './export.ts'
import { createInitCommand } from './init.ts'
import { createKeysCommand } from './keys.ts'
import type { ExitCode, Io } from './io.ts'
import { createLocalCommand } from './local.ts'
import { EXIT, type Session } from './output.ts'
import { createProjectsCommand } from './projects.ts'
import { createReloadCommand } from './reload.ts'
import { createReportCommand } from './report.ts'
import { createOnceCommand, createRunCommand } from './run.ts'
import { createStatusCommand } from './status.ts'
import { makeStrict } from './strict.ts'
import { version } from './version.ts'

/** Every command, in the order of the help. */
const COMMANDS: readonly ((session: Session) => Command)[] = [
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
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const end = (ended: ExitCode): void => {
    code = ended
  }
  const program = new Command('dormouse')
    .description(
      'Autosuspend and cost monitoring for managed Postgres computes that cost money while they are awake',
    )
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
  for (const create of COMMANDS) program.addCommand(inheriting(create({ io, end }), program))
  makeStrict(program)
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
