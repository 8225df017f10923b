// Gaps of one compute, from the running daemon, else from the store.
import { text } from 'node:stream/consumers'
import { exportText, exportedAccount, type ExportRequest } from '../../daemon/history/export.ts'
import { fromIso } from '../../model/time.ts'
import { instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import type { Io } from '../terminal/io.ts'
import { askDaemon, daemonApi, type ApiOptions } from './daemon.ts'
import { withStore } from './stored.ts'

export type StoredGap = Readonly<{ from: Instant; low: Seconds; high: Seconds; hiddenBelow: Seconds }>

const REQUEST: ExportRequest = { what: 'gaps', format: 'jsonl', from: instant(0), to: instant(8.64e15) }

/** In order of time, maybe none. The problem is for people. */
export async function readGaps(
  endpointId: string,
  options: ApiOptions,
  io: Io,
): Promise<Result<readonly StoredGap[], string>> {
  const target = daemonApi(options, io)
  if (!target.ok) return failed(target.error.join('; '))
  const { api, config } = target.value
  const answer = await askDaemon(api, '/api/v1/export?what=gaps&format=jsonl', io)
  if (answer.ok) return ok(gapsIn(await text(answer.value), endpointId))
  const { kind, message } = answer.error
  const lines =
    config && kind === 'unreached'
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
  return lines === undefined ? failed(message) : ok(gapsIn(lines, endpointId))
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
