// `reload`: makes the running daemon read its configuration again.
import { Command } from 'commander'
import { askDaemon, daemonApi, answerJson, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { EXIT, failText, jsonText, failUsage, type CommandSession } from '../terminal/output.ts'

type Options = ApiOptions & { readonly json?: boolean }

export const createReloadCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('reload'))
    .description('make the running daemon read its configuration again; it applies all changes or none')
    .option('--json', 'print JSON')
    .action(async (options: Options) => end(await reload(options, io)))

async function reload(options: Options, io: Io): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const request = { signal: io.signal, method: 'POST' } as const
  const answer = await answerJson(await askDaemon(target.value.api, '/-/reload', request))
  if (!answer.ok) return failText(io, answer.error.message)
  io.out(options.json ? jsonText(answer.value) : linesOf(answer.value))
  return EXIT.ok
}

function linesOf(answer: unknown): string {
  const changed = typeof answer === 'object' && answer !== null && 'changed' in answer ? answer.changed : []
  const paths = Array.isArray(changed) ? changed : []
  return paths.length === 0 ? 'nothing has changed' : paths.map((path) => `taken over: ${path}`).join('\n')
}
