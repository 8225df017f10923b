import { Command } from 'commander'
import { explain as explainFrom, type Explanation } from '../../daemon/http/api/explain.ts'
import { fieldOf } from '../../std/field.ts'
import { sanitize } from '../../std/sanitize.ts'
import { readJson, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { printFleetAnswer, storedAdvice, storedJournal } from '../connect/stored.ts'
import type { CommandSession, Io } from '../terminal/io.ts'

export const createExplainCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('explain'))
    .description(
      'print why a compute is awake or asleep, what kept it awake, and what that cost; of a project with several, what was recommended for its new computes',
    )
    .argument('<compute>', 'ep-…, or the name of a project')
    .option('--json', 'print JSON')
    .action((name: string, options: ApiOptions) => end(explain(name, options, io)))

const explain = (name: string, options: ApiOptions, io: Io) =>
  printFleetAnswer(options, io, {
    ask: (api) => {
      const path = `/api/v1/explain/${encodeURIComponent(name)}`
      return readJson(api, path, { isExpected: isExplanation, signal: io.signal })
    },
    answerFrom: (stored, source) =>
      explainFrom(stored, name, { ...storedAdvice(source), changes: storedJournal(source) }),
    text: ({ lines }) => lines.map(sanitize).join('\n'),
  })

const isExplanation = (body: unknown): body is Explanation => Array.isArray(fieldOf(body, 'lines'))
