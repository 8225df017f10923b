// A command to the running daemon: it changes something there, or is refused.
import { failed, type Result } from '../../std/result.ts'
import { failUsage, type ExitCode, type Io } from '../terminal/io.ts'
import { answerJson, askDaemon, daemonApi, failAnswer, type ApiOptions } from './daemon.ts'

type Request = Readonly<{ path: string; method: 'POST' | 'DELETE'; body?: string }>

/** The JSON of the answer, else the exit code after one line about what was wrong: 2 where another value, id or token is needed. */
export async function commandDaemon(
  options: ApiOptions,
  io: Io,
  { path, ...request }: Request,
): Promise<Result<unknown, ExitCode>> {
  const target = daemonApi(options, io)
  if (!target.ok) return failed(failUsage(io, ...target.error))
  const answer = await answerJson(await askDaemon(target.value.api, path, { ...request, signal: io.signal }))
  return answer.ok ? answer : failed(failAnswer(io, answer.error))
}
