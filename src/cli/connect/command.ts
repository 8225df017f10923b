// A command to the running daemon: it changes something there, or is refused.
import { failed, ok, type Result } from '../../std/result.ts'
import { failText, failUsage, type ExitCode, type Io } from '../terminal/io.ts'
import { answerJson, askDaemon, daemonApi, type ApiOptions } from './daemon.ts'

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
  if (answer.ok) return ok(answer.value)
  const { message, status = 0 } = answer.error
  return failed(status >= 400 && status < 500 ? failUsage(io, message) : failText(io, message))
}
