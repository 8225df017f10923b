// `explain`: why one compute is as it is, from the running daemon or from what the last one kept.
import { Command } from 'commander'
import { explainCompute, type ComputeExplanation } from '../../daemon/http/api/explain.ts'
import { failed, ok, type Result } from '../../std/result.ts'
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
import { EXIT, jsonText, printable, failUsage, type CommandSession } from '../terminal/output.ts'

type Options = ApiOptions & { readonly json?: boolean }

export const createExplainCommand = ({ io, end }: CommandSession): Command =>
  withApiOptions(new Command('explain'))
    .description('say why a compute is awake or asleep, who held it awake, and what that cost')
    .argument('<compute>', 'ep-…, or the name of a project that has one compute')
    .option('--json', 'print JSON')
    .action(async (name: string, options: Options) => end(await explain(name, options, io)))

async function explain(name: string, options: Options, io: Io): Promise<ExitCode> {
  const whom = daemonApi(options, io)
  if (!whom.ok) return failUsage(io, ...whom.error)
  const { api, config } = whom.value
  const answer = await ofDaemon(api, name, io)
  if (answer.ok) return show(answer.value, options, io)
  const kept = config && answer.error.kind === 'unreached' ? await offlineSnapshot(config) : undefined
  if (!kept) return fail(answer.error.message, io)
  io.err(`dormouse: ${answer.error.message}; this is what the last one kept, and no state is known now`)
  const found = explainCompute(kept, name)
  return found.ok ? show(found.value, options, io) : fail(found.error, io)
}

async function ofDaemon(
  api: DaemonApi,
  name: string,
  io: Io,
): Promise<Result<ComputeExplanation, ApiProblem>> {
  const answer = await answerJson(await askDaemon(api, `/api/v1/explain/${encodeURIComponent(name)}`, io))
  if (!answer.ok) return answer
  return isExplained(answer.value)
    ? ok(answer.value)
    : failed({ kind: 'refused', message: `${api.url} is not the API of Dormouse` })
}

/** Enough of a look to tell Dormouse's answer from another program's. */
const isExplained = (body: unknown): body is ComputeExplanation =>
  typeof body === 'object' && body !== null && 'lines' in body && Array.isArray(body.lines)

function show(found: ComputeExplanation, options: Options, io: Io): ExitCode {
  io.out(options.json ? jsonText(found) : found.lines.map(printable).join('\n'))
  return EXIT.ok
}

function fail(message: string, io: Io): ExitCode {
  io.err(`dormouse: ${message}`)
  return EXIT.failed
}
