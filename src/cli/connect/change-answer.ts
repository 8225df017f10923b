// The answer to a command about changes, as JSON or in words.
import type { ChangeAnswerJson } from '../../outputs/text/change-schema.ts'
import { answerLines } from '../../outputs/text/change-text.ts'
import { fieldOf } from '../../std/field.ts'
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
  const request = { path, method: 'POST', body: JSON.stringify(body), isExpected } as const
  const answer = await commandDaemon(options, io, request)
  if (!answer.ok) return answer.error
  io.out(options.json ? jsonText(answer.value) : answerLines(answer.value).map(sanitize).join('\n'))
  return EXIT.ok
}

const isExpected = (body: unknown): body is ChangeAnswerJson =>
  fieldOf(body, 'note') !== undefined && fieldOf(fieldOf(body, 'change'), 'id') !== undefined
