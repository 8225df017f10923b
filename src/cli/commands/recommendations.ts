import { Command, Option } from 'commander'
import { adviceRequestOf, LISTED, streamRecommendations } from '../../daemon/history/recommendations.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { recommendationCsv, recommendationListLines } from '../../outputs/text/recommendation-list.ts'
import type { RecommendationsJson } from '../../outputs/text/recommendation-schema.ts'
import { fieldOf } from '../../std/field.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { sanitize } from '../../std/sanitize.ts'
import { readJson, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { printFleetAnswer, storedAdvice, type StoredSource } from '../connect/stored.ts'
import { failUsage, type CommandSession, type Io } from '../terminal/io.ts'

type Options = ApiOptions & Readonly<{ csv?: boolean; account?: string; state?: string }>

/** Milliseconds without a byte: a daemon reads them compute by compute, beside its passes. */
const TIMEOUT = 60_000

export const createRecommendationsCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('recommendations'))
    .description(
      'print what to set on each compute, what that saves, and why there is nothing to set on others',
    )
    .argument('[compute]', 'ep-…, or the name of a compute or of a project')
    .option('--account <name>', 'account of the recommendations; needed when the configuration has several')
    .addOption(
      new Option('--state <state>', 'only these (default: all but superseded and withdrawn)').choices(LISTED),
    )
    .option('--json', 'print JSON')
    .option('--csv', 'print a row for each of them')
    .action((compute: string | undefined, options: Options) => end(recommendations(compute, options, io)))

function recommendations(compute: string | undefined, options: Options, io: Io) {
  if (options.csv && options.json) return Promise.resolve(failUsage(io, 'give either --json or --csv'))
  const { account, state, csv } = options
  const query = {
    ...(compute !== undefined && { compute }),
    ...(account !== undefined && { account }),
    ...(state !== undefined && { state }),
  }
  const path = `/api/v1/recommendations?${new URLSearchParams(query).toString()}`
  return printFleetAnswer<RecommendationsJson>(options, io, {
    ask: (api) => readJson(api, path, { isExpected, signal: io.signal, timeout: TIMEOUT }),
    answerFrom: (stored, source) => answerFromStore(stored, source, query),
    text: (all) =>
      csv
        ? recommendationCsv(all).replace(/\n$/, '')
        : recommendationListLines(all, query).map(sanitize).join('\n'),
  })
}

const isExpected = (body: unknown): body is RecommendationsJson =>
  Array.isArray(fieldOf(body, 'recommendations'))

async function answerFromStore(
  stored: Snapshot,
  source: StoredSource,
  query: Parameters<typeof adviceRequestOf>[0],
): Promise<Result<RecommendationsJson, string>> {
  const request = adviceRequestOf(query, stored)
  if (!request.ok) return failed(request.error)
  const pieces = await Array.fromAsync(streamRecommendations(storedAdvice(source), stored, request.value))
  return ok(JSON.parse(pieces.join('')) as RecommendationsJson)
}
