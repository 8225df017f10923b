import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError, type Option } from 'commander'
import { errorReason, EXIT, failText, type CommandSession, type ExitCode, type Io } from './terminal/io.ts'

/** Name → what creates the command, in the order of the help. A command loads its own modules only. */
const COMMANDS = new Map<string, () => Promise<(session: CommandSession) => Command>>(
  Object.entries({
    audit: async () => (await import('./commands/audit.ts')).createAuditCommand,
    run: async () => (await import('./commands/run.ts')).createRunCommand,
    once: async () => (await import('./commands/run.ts')).createOnceCommand,
    status: async () => (await import('./commands/status.ts')).createStatusCommand,
    explain: async () => (await import('./commands/explain.ts')).createExplainCommand,
    export: async () => (await import('./commands/export.ts')).createExportCommand,
    report: async () => (await import('./commands/report.ts')).createReportCommand,
    recommendations: async () => (await import('./commands/recommendations.ts')).createRecommendationsCommand,
    dismiss: async () => (await import('./commands/dismiss.ts')).createDismissCommand,
    change: async () => (await import('./commands/changes/change.ts')).createChangeCommand,
    plan: async () => (await import('./commands/changes/plan.ts')).createPlanCommand,
    approve: async () => (await import('./commands/changes/approve.ts')).createApproveCommand,
    reject: async () => (await import('./commands/changes/end-change.ts')).createRejectCommand,
    cancel: async () => (await import('./commands/changes/end-change.ts')).createCancelCommand,
    changes: async () => (await import('./commands/changes/changes.ts')).createChangesCommand,
    hold: async () => (await import('./commands/changes/hold.ts')).createHoldCommand,
    resume: async () => (await import('./commands/changes/hold.ts')).createResumeCommand,
    force: async () => (await import('./commands/changes/hold.ts')).createForceCommand,
    holds: async () => (await import('./commands/changes/hold.ts')).createHoldsCommand,
    brakes: async () => (await import('./commands/changes/brakes.ts')).createBrakesCommand,
    kill: async () => (await import('./commands/changes/kill.ts')).createKillCommand,
    replay: async () => (await import('./commands/replay.ts')).createReplayCommand,
    reload: async () => (await import('./commands/reload.ts')).createReloadCommand,
    health: async () => (await import('./commands/health.ts')).createHealthCommand,
    demo: async () => (await import('./commands/demo.ts')).createDemoCommand,
    local: async () => (await import('./commands/local.ts')).createLocalCommand,
    'check-config': async () => (await import('./commands/check-config.ts')).createCheckConfigCommand,
    'check-service': async () => (await import('./commands/check-service.ts')).createCheckServiceCommand,
    init: async () => (await import('./commands/init.ts')).createInitCommand,
    projects: async () => (await import('./commands/projects.ts')).createProjectsCommand,
    computes: async () => (await import('./commands/computes.ts')).createComputesCommand,
    keys: async () => (await import('./commands/keys.ts')).createKeysCommand,
  }),
)

const VERSION_FLAGS: readonly string[] = ['-V', '--version']

/** The command that `argv` names; all of them where it names none, as for the help; none for the version alone. */
const namedCommands = async ([name = '']: readonly string[]) => {
  if (VERSION_FLAGS.includes(name)) return []
  const named = COMMANDS.get(name)
  return Promise.all((named ? [named] : [...COMMANDS.values()]).map((load) => load()))
}

/**
 * Never rejects: errors are printed and become the exit code.
 *
 * @param argv without node and script
 * @param onLoaded is called between loading the modules of the command and the command
 */
export async function runProgram(
  argv: readonly string[],
  io: Io,
  onLoaded: () => void = () => undefined,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok
  const version = packageVersion()
  const end: CommandSession['end'] = async (exitCode) => {
    code = await exitCode
  }
  const program = new Command('dormouse')
    .description(
      'Autosuspend and cost monitoring for managed Postgres computes that cost money while they are awake',
    )
    .version(version, VERSION_FLAGS.join(', '))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
    })
    .showSuggestionAfterError()
  try {
    for (const create of await namedCommands(argv))
      program.addCommand(inheritSettings(create({ io, end, version }), program))
    rejectRepeatedAndEmpty(program)
    onLoaded()
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
