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

/** In order of time, maybe none. */
export async function readGaps(
  endpointId: string,
  target: ApiTarget,
  io: Io,
): Promise<Result<readonly StoredGap[], ApiProblem>> {
  const { api, config } = target
  const answer = await askDaemon(api, '/api/v1/export?what=gaps&format=jsonl', io)
  if (answer.ok) return ok(gapsIn(await text(answer.value), endpointId))
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
  return lines === undefined ? failed(answer.error) : ok(gapsIn(lines, endpointId))
}

/** Names of the export. */
type GapRow = Readonly<
  Record<'endpoint_id' | 'from', string> &
    Record<'low_seconds' | 'high_seconds' | 'hidden_below_seconds', number>
>

function gapsIn(lines: string, endpointId: string): readonly StoredGap[] {
  const rows = lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as GapRow]))
  return rows
    .filter((row) => row.endpoint_id === endpointId)
    .map((row) => ({
      from: fromIso(row.from) ?? instant(0),
      low: seconds(row.low_seconds),
      high: seconds(row.high_seconds),
      hiddenBelow: seconds(row.hidden_below_seconds),
    }))
    .toSorted((a, b) => a.from - b.from)
}
