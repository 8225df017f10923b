import { Command } from 'commander'
import { fieldOf } from '../../std/field.ts'
import {
  askDaemon,
  daemonApi,
  answerJson,
  failAnswer,
  withApiOptions,
  type ApiOptions,
} from '../connect/daemon.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type Io } from '../terminal/io.ts'

export const createReloadCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('reload'))
    .description('make the running daemon read its configuration again; it applies all changes or none')
    .option('--json', 'print JSON')
    .action((options: ApiOptions) => end(reload(options, io)))

async function reload(options: ApiOptions, io: Io) {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const request = { signal: io.signal, method: 'POST' } as const
  const answer = await answerJson(await askDaemon(target.value.api, '/-/reload', request))
  if (!answer.ok) return failAnswer(io, answer.error)
  io.out(options.json ? jsonText(answer.value) : linesOf(fieldOf(answer.value, 'changed')))
  return EXIT.ok
}

const linesOf = (changed: unknown) =>
  Array.isArray(changed) && changed.length > 0
    ? changed.map((path) => `taken over: ${path}`).join('\n')
    : 'nothing has changed'
