// CPU series of all sets in a folder of traces.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readTraceFile } from '../../src/cli/terminal/trace-file.ts'
import { loadSeriesIn } from '../../src/replay/load-series.ts'
import type { LoadSeries } from '../../src/replay/load.ts'
import type { Result } from '../../src/std/result.ts'

/** In order of the names of the files. @throws where one cannot be read */
export function loadSeriesOf(folder: string): readonly LoadSeries[] {
  const sets = readdirSync(folder)
    .filter((file) => file.endsWith('.meta.csv'))
    .toSorted()
  return sets.flatMap((meta) => {
    const file = join(folder, meta.replace('.meta.csv', '.csv.gz'))
    const text = need(readTraceFile(join(folder, meta)))
    return text.text.startsWith('series,metric,')
      ? need(loadSeriesIn(need(readTraceFile(file)), text)).series
      : []
  })
}

function need<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error)
  return result.value
}
