// `explain`: why one compute is in its state, from the running daemon or from the store of a stopped one.
import { Command } from 'commander'
import { explainCompute, type ComputeExplanation } from '../../daemon/http/api/explain.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { sanitize } from '../../std/sanitize.ts'
import {
  askDaemon,
  daemonApi,
  answerJson,
  withApiOptions,
  type ApiOptions,
  type ApiProblem,
  type DaemonApi,
} from '../connect/daemon.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { offlineSnapshot } from '../connect/offline.ts'
import {
  EXIT,
  failText,
  jsonText,
  failUsage,
  offlineNotice,
  type CommandSession,
} from '../terminal/output.ts'

type Options = ApiOptions & { readonly json?: boolean }

export const createExplainCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('explain'))
    .description('print why a compute is awake or asleep, what kept it awake, and what that cost')
    .argument('<compute>', 'ep-…, or the name of a project that has one compute')
    .option('--json', 'print JSON')
    .action(async (name: string, options: Options) => end(await explain(name, options, io)))

async function explain(name: string, options: Options, io: Io): Promise<ExitCode> {
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const { api, config } = target.value
  const answer = await askForExplanation(api, name, io)
  if (answer.ok) return show(answer.value, options, io)
  const stored = config && answer.error.kind === 'unreached' ? await offlineSnapshot(config) : undefined
  if (!stored) return failText(io, answer.error.message)
  io.err(offlineNotice(answer.error.message))
  const explained = explainCompute(stored, name)
  return explained.ok ? show(explained.value, options, io) : failText(io, explained.error)
}

async function askForExplanation(
  api: DaemonApi,
  name: string,
  io: Io,
): Promise<Result<ComputeExplanation, ApiProblem>> {
  const answer = await answerJson(await askDaemon(api, `/api/v1/explain/${encodeURIComponent(name)}`, io))
  if (!answer.ok) return answer
  return isExplanation(answer.value)
    ? ok(answer.value)
    : failed({ kind: 'refused', message: `${api.url} is not the API of Dormouse` })
}

/** Tells an answer of Dormouse from one of another program. */
const isExplanation = (body: unknown): body is ComputeExplanation =>
  typeof body === 'object' && body !== null && 'lines' in body && Array.isArray(body.lines)

function show(explanation: ComputeExplanation, options: Options, io: Io): ExitCode {
  io.out(options.json ? jsonText(explanation) : explanation.lines.map(sanitize).join('\n'))
  return EXIT.ok
}
