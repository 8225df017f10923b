import { Argument, Command } from 'commander'
import { checkBody, releaseSchema } from '../../../daemon/http/api/change-bodies.ts'
import { brakesLines, brakeText } from '../../../outputs/text/brake-text.ts'
import type { BrakeAnswerJson, BrakesJson } from '../../../outputs/text/hold-schema.ts'
import { fieldOf } from '../../../std/field.ts'
import { sanitize } from '../../../std/sanitize.ts'
import { commandDaemon } from '../../connect/command.ts'
import {
  daemonApi,
  failAnswer,
  namedByOptions,
  readJson,
  withApiOptions,
  type ApiOptions,
} from '../../connect/daemon.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type ExitCode, type Io } from '../../terminal/io.ts'

type Options = ApiOptions & Readonly<{ account?: string; reason?: string }>

export const createBrakesCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('brakes'))
    .description(
      'print the brakes that hold changes of policies back, or release one; needs a running daemon, to release a token of scope operate',
    )
    .addArgument(new Argument('[action]', 'release').choices(['release']))
    .argument('[brake]', 'what brakes prints, or the kind of change or the compute that it is for')
    .option('--reason <text>', 'why it is released; needed')
    .option('--account <name>', 'account of the brake, where it is engaged in several')
    .option('--json', 'print JSON')
    .action((action: string | undefined, brake: string | undefined, options: Options) =>
      end(action === undefined ? printBrakes(options, io) : release(brake, options, io)),
    )

async function printBrakes(options: Options, io: Io): Promise<ExitCode> {
  const { reason, account } = options
  if (reason !== undefined || account !== undefined)
    return failUsage(io, 'expected neither --reason nor --account without release <brake>')
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const answer = await readJson(target.value.api, '/api/v1/brakes', {
    isExpected: isBrakes,
    signal: io.signal,
  })
  if (!answer.ok) return failAnswer(io, answer.error)
  io.out(options.json ? jsonText(answer.value) : brakesLines(answer.value).map(sanitize).join('\n'))
  return EXIT.ok
}

const isBrakes = (body: unknown): body is BrakesJson => Array.isArray(fieldOf(body, 'brakes'))

async function release(brake: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  if (brake === undefined) return failUsage(io, 'expected a brake that dormouse brakes prints after release')
  const { reason, account } = options
  const checked = checkBody(releaseSchema, { reason, account })
  if (!checked.ok) return failUsage(io, namedByOptions(checked.error))
  const request = {
    path: `/api/v1/brakes/${encodeURIComponent(brake)}/release`,
    method: 'POST',
    body: JSON.stringify({ reason, account }),
    isExpected: isReleased,
  } as const
  const answer = await commandDaemon(options, io, request)
  if (!answer.ok) return answer.error
  io.out(options.json ? jsonText(answer.value) : sanitize(brakeText(answer.value.brake)))
  return EXIT.ok
}

const isReleased = (body: unknown): body is BrakeAnswerJson =>
  fieldOf(fieldOf(body, 'brake'), 'engaged') !== undefined
