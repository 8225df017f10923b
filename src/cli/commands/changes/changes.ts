import { Command } from 'commander'
import { changeHistory, listChanges } from '../../../daemon/changes/list-changes.ts'
import { parseAccount } from '../../../daemon/reports/requests.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { toSecond } from '../../../outputs/text/amounts.ts'
import type { ChangeHistoryJson, ChangesJson } from '../../../outputs/text/change-schema.ts'
import { changeStateText, changeTitle, historyLines } from '../../../outputs/text/change-text.ts'
import { fieldOf } from '../../../std/field.ts'
import { failed, ok, type Result } from '../../../std/result.ts'
import { sanitize } from '../../../std/sanitize.ts'
import { readJson, withApiOptions, type ApiOptions } from '../../connect/daemon.ts'
import { printFleetAnswer, storedJournal, type StoredSource } from '../../connect/stored.ts'
import { failUsage, textTable, type CommandSession, type Io } from '../../terminal/io.ts'

type Options = ApiOptions & Readonly<{ account?: string; compute?: string; all?: boolean }>

export const createChangesCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('changes'))
    .description('print the journal of changes, or one change with its history')
    .argument('[change]', 'id of a change, ch-…')
    .option('--account <name>', 'account of the changes; needed when the configuration has several')
    .option('--compute <compute>', 'only of this compute: ep-…, or its name or that of its project')
    .option('--all', 'also those that ended more than 30 days ago')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: Options) =>
      end(id === undefined ? printChanges(options, io) : printChange(id, options, io)),
    )

function printChanges(options: Options, io: Io) {
  const { account, compute, all } = options
  const query = {
    ...(account !== undefined && { account }),
    ...(compute !== undefined && { compute }),
    ...(all && { all: 'true' }),
  }
  return printFleetAnswer<ChangesJson>(options, io, {
    ask: (api) =>
      readJson(api, `/api/v1/changes?${new URLSearchParams(query).toString()}`, {
        isExpected: isChanges,
        signal: io.signal,
      }),
    answerFrom: (stored, source) => changesFromStore(stored, source, options),
    text: changesText,
    // an argument of other commands
    optionNames: { compute: '--compute' },
  })
}

const isChanges = (body: unknown): body is ChangesJson => Array.isArray(fieldOf(body, 'changes'))

async function changesFromStore(
  stored: Snapshot,
  source: StoredSource,
  { account: asked, compute, all = false }: Options,
): Promise<Result<ChangesJson, string>> {
  const account = parseAccount(
    { account: asked },
    stored.accounts.map((one) => one.account),
  )
  if (!account.ok) return account
  const listed = await listChanges(storedJournal(source), stored, { account: account.value, compute, all })
  return listed.ok ? listed : failed(listed.error.message)
}

function changesText({ changes }: ChangesJson): string {
  if (changes.length === 0) return 'no changes'
  const rows = changes.map((change) => [
    change.id,
    change.name ?? change.project_name ?? change.endpoint_id ?? change.project_id,
    changeTitle(change),
    change.asked_by,
    change.sent_at === null ? '-' : toSecond(change.sent_at),
    change.sessions === null ? '-' : String(change.sessions),
    changeStateText(change),
  ])
  return textTable(['CHANGE', 'COMPUTE', 'WHAT', 'ASKED BY', 'SENT', 'SESSIONS', 'STATE'], rows)
}

const printChange = (id: string, options: Options, io: Io) => {
  if (options.compute !== undefined || options.all)
    return Promise.resolve(failUsage(io, 'expected neither --compute nor --all beside the id of a change'))
  return printFleetAnswer<ChangeHistoryJson>(options, io, {
    ask: (api) =>
      readJson(api, `/api/v1/changes/${encodeURIComponent(id)}`, {
        isExpected: isHistory,
        signal: io.signal,
      }),
    answerFrom: async (stored, source) => {
      const found = stored.accounts.map(({ account }) => source.store.change(account, id))
      const change = (await Promise.all(found)).find((one) => one !== undefined)
      return change
        ? ok(await changeHistory(storedJournal(source), stored, change))
        : failed(`no change has the id ${id}`)
    },
    text: (answer) => historyLines(answer).map(sanitize).join('\n'),
  })
}

const isHistory = (body: unknown): body is ChangeHistoryJson => Array.isArray(fieldOf(body, 'history'))
