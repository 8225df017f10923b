// Gaps of one compute, from the running daemon, else from the store.
import { text } from 'node:stream/consumers'
import { exportText, exportedAccount, type ExportRequest } from '../../daemon/history/export.ts'
import { fromIso } from '../../model/time.ts'
import { instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import type { Io } from '../terminal/io.ts'
import { askDaemon, type ApiProblem, type ApiTarget } from './daemon.ts'
import { withStore } from './stored.ts'

export type StoredGap = Readonly<{ from: Instant; low: Seconds; high: Seconds; hiddenBelow: Seconds }>

const REQUEST: ExportRequest = { what: 'gaps', format: 'jsonl', from: instant(0), to: instant(8.64e15) }

/** By id of the computes with that id, or else of that project, by its name or id: in order of time, none without gaps. */
type NamedGaps = ReadonlyMap<string, readonly StoredGap[]>

export async function readGaps(
  compute: string,
  target: ApiTarget,
  io: Io,
): Promise<Result<NamedGaps, ApiProblem>> {
  const { api, config } = target
  const answer = await askDaemon(api, '/api/v1/export?what=gaps&format=jsonl', io)
  if (answer.ok) return ok(gapsIn(await text(answer.value), compute))
  const lines =
    config && answer.error.kind === 'unreached'
      ? await withStore(config, async (store) => {
          io.err('dormouse: no daemon answers; this is what the last one stored')
          const accounts = await Promise.all(
            config.accounts.map(async ({ name, prices }) =>
              exportedAccount(await store.account(name).load(), prices.currency),
            ),
          )
          return (await Array.fromAsync(exportText(store, accounts, REQUEST))).join('')
        })
      : undefined
  return lines === undefined ? failed(answer.error) : ok(gapsIn(lines, compute))
}

/** Names of the export. */
type GapRow = Readonly<
  Record<'project_id' | 'project_name' | 'endpoint_id' | 'from', string> &
    Record<'low_seconds' | 'high_seconds' | 'hidden_below_seconds', number>
>

/** The first of these that any gap is of. */
const NAMING_COLUMNS = ['endpoint_id', 'project_name', 'project_id'] as const

function gapsIn(lines: string, name: string): NamedGaps {
  const rows = lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as GapRow]))
  const column = NAMING_COLUMNS.find((one) => rows.some((row) => row[one] === name))
  const named = column === undefined ? [] : rows.filter((row) => row[column] === name)
  const computes = Map.groupBy(named, (row) => row.endpoint_id)
  return new Map([...computes].map(([endpointId, own]) => [endpointId, inOrder(own)]))
}

const inOrder = (rows: readonly GapRow[]): readonly StoredGap[] =>
  rows
    .map((row) => ({
      from: fromIso(row.from) ?? instant(0),
      low: seconds(row.low_seconds),
      high: seconds(row.high_seconds),
      hiddenBelow: seconds(row.hidden_below_seconds),
    }))
    .toSorted((a, b) => a.from - b.from)
