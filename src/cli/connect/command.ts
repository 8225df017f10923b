// A command to the running daemon: it changes something there, or is refused.
import { failed, ok, type Result } from '../../std/result.ts'
import { failText, failUsage, type ExitCode, type Io } from '../terminal/io.ts'
import { answerJson, askDaemon, daemonApi, failAnswer, type ApiOptions } from './daemon.ts'

type Request<Value> = Readonly<{
  path: string
  method: 'POST' | 'DELETE'
  body?: string
  /** Tells Dormouse from another program. */
  isExpected: (body: unknown) => body is Value
}>

/** The JSON of the answer, else the exit code after one line about what was wrong: 2 where another value, id or token is needed. */
export async function commandDaemon<Value>(
  options: ApiOptions,
  io: Io,
  { path, isExpected, ...request }: Request<Value>,
): Promise<Result<Value, ExitCode>> {
  const target = daemonApi(options, io)
  if (!target.ok) return failed(failUsage(io, ...target.error))
  const { api } = target.value
  const answer = await answerJson(await askDaemon(api, path, { ...request, signal: io.signal }))
  if (!answer.ok) return failed(failAnswer(io, answer.error))
  return isExpected(answer.value)
    ? ok(answer.value)
    : failed(failText(io, `${api.url} is not the API of Dormouse`))
}
