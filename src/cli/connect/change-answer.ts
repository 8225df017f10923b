// The answer to a command about changes, as JSON or in words.
import type { ChangeAnswerJson } from '../../outputs/text/change-schema.ts'
import { answerLines } from '../../outputs/text/change-text.ts'
import { sanitize } from '../../std/sanitize.ts'
import { EXIT, jsonText, type ExitCode, type Io } from '../terminal/io.ts'
import { commandDaemon } from './command.ts'
import type { ApiOptions } from './daemon.ts'

/** @param body sent as JSON; undefined fields are left out */
export async function commandChange(
  options: ApiOptions,
  io: Io,
  { path, body }: Readonly<{ path: string; body: Readonly<Record<string, unknown>> }>,
): Promise<ExitCode> {
  const answer = await commandDaemon(options, io, { path, method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) return answer.error
  const changed = answer.value as ChangeAnswerJson
  io.out(options.json ? jsonText(changed) : answerLines(changed).map(sanitize).join('\n'))
  return EXIT.ok
}
