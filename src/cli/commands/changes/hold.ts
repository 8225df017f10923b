// Holds of people: while one stands, no change of its computes is sent.
import { Command } from 'commander'
import { forceProblem, holdProblem } from '../../../daemon/http/api/change-bodies.ts'
import type { HoldAnswerJson, HoldsJson } from '../../../outputs/text/hold-schema.ts'
import { holdsLines, placedHoldText } from '../../../outputs/text/hold-text.ts'
import { fieldOf } from '../../../std/field.ts'
import { sanitize } from '../../../std/sanitize.ts'
import { commandChange } from '../../connect/change-answer.ts'
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
import { parseSelector } from '../../terminal/parse.ts'

type HoldOptions = ApiOptions & Readonly<{ all?: boolean; account?: string; until?: string; reason?: string }>

export const createHoldCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('hold'))
    .description(
      'stop changes of some computes for a time, whoever asked for them; needs a running daemon, and a token of scope operate',
    )
    .argument(
      '[selector...]',
      'all of: project=<id or name> compute=<id or name> branch=<id> type=read_write; * is any text, a repeated one means any of them; an id of a compute or branch alone is enough',
    )
    .option('--until <time>', 'a day (UTC) or an instant at which it ends; needed')
    .option('--reason <text>', 'why; explain and changes show it; needed')
    .option('--all', 'every compute of the account, in place of a selector')
    .option('--account <name>', 'account of the computes; needed where there are several')
    .option('--json', 'print JSON')
    .action((selector: readonly string[], options: HoldOptions) => end(hold(selector, options, io)))

async function hold(words: readonly string[], options: HoldOptions, io: Io): Promise<ExitCode> {
  const match = parseSelector(words)
  if (!match.ok) return failUsage(io, match.error)
  const { all, account, until, reason } = options
  const asked = { match: match.value, all, account, until, reason }
  const problem = holdProblem(asked)
  if (problem !== undefined) return failUsage(io, namedByOptions(problem))
  const body = JSON.stringify(asked)
  const request = { path: '/api/v1/holds', method: 'POST', body, isExpected: isHoldAnswer } as const
  return printHold(options, io, await commandDaemon(options, io, request))
}

export const createResumeCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('resume'))
    .description('end a hold before its time; needs a running daemon, and a token of scope operate')
    .argument('<hold>', 'id of the hold, hold-…')
    .option('--json', 'print JSON')
    .action((id: string, options: ApiOptions) => end(resume(id, options, io)))

async function resume(id: string, options: ApiOptions, io: Io): Promise<ExitCode> {
  const path = `/api/v1/holds/${encodeURIComponent(id)}`
  return printHold(
    options,
    io,
    await commandDaemon(options, io, { path, method: 'DELETE', isExpected: isHoldAnswer }),
  )
}

function printHold(
  { json }: ApiOptions,
  io: Io,
  answer: Awaited<ReturnType<typeof commandDaemon<HoldAnswerJson>>>,
): ExitCode {
  if (!answer.ok) return answer.error
  io.out(json ? jsonText(answer.value) : sanitize(placedHoldText(answer.value.hold)))
  return EXIT.ok
}

const isHoldAnswer = (body: unknown): body is HoldAnswerJson =>
  fieldOf(fieldOf(body, 'hold'), 'id') !== undefined

type ForceOptions = ApiOptions & Readonly<{ until?: string; reason?: string }>

export const createForceCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('force'))
    .description(
      'let a change of a policy go outside of its windows and brakes, still while nobody is connected; needs a running daemon, and a token of scope operate',
    )
    .argument('<change>', 'id of the change, ch-…')
    .option('--until <time>', 'a day (UTC) or an instant after which windows hold it again; needed')
    .option('--reason <text>', 'why; changes show it')
    .option('--json', 'print JSON')
    .action((id: string, options: ForceOptions) => end(force(id, options, io)))

async function force(id: string, options: ForceOptions, io: Io): Promise<ExitCode> {
  const { until, reason } = options
  const body = { until, reason }
  const problem = forceProblem(body)
  if (problem !== undefined) return failUsage(io, namedByOptions(problem))
  return commandChange(options, io, { path: `/api/v1/changes/${encodeURIComponent(id)}/force`, body })
}

export const createHoldsCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('holds'))
    .description('print what stops changes: freezes, holds, and what people forced; needs a running daemon')
    .option('--json', 'print JSON')
    .action((options: ApiOptions) => end(printHolds(options, io)))

async function printHolds(options: ApiOptions, io: Io): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const answer = await readJson(target.value.api, '/api/v1/holds', { isExpected: isHolds, signal: io.signal })
  if (!answer.ok) return failAnswer(io, answer.error)
  io.out(options.json ? jsonText(answer.value) : holdsLines(answer.value).map(sanitize).join('\n'))
  return EXIT.ok
}

const isHolds = (body: unknown): body is HoldsJson => Array.isArray(fieldOf(body, 'holds'))
