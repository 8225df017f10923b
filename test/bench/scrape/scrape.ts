// What being scraped costs: a snapshot's values made bytes, beside the client library doing the same, and one answer after another.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Figures } from '../run.ts'
import type { Compared, Measured } from './measure.ts'

const SIZES = [1000, 10_000, 100_000]

/** SCRAPE_SERIES=100000 measures one size alone. */
export async function scrape(): Promise<Figures> {
  const only = Number(process.env['SCRAPE_SERIES'] ?? 0)
  const rows: Figures['rows'][number][] = [['what', 'measured', 'goal']]
  const json: Record<string, number> = {}
  for (const size of only > 0 ? [only] : SIZES) {
    const measured = await measure(size)
    rows.push(...rowsOf(measured))
    for (const [key, value] of Object.entries(figuresOf(measured))) json[`${key}_${size}`] = value
  }
  return { rows, json }
}

async function measure(series: number): Promise<Measured> {
  const program = fileURLToPath(import.meta.resolve('./measure.ts'))
  const child = fork(program, [String(series)], { execArgv: ['--expose-gc'] })
  const gone = once(child, 'exit').then(() => {
    throw new Error('the process that measures has ended')
  })
  gone.catch(() => undefined)
  const [measured] = (await Promise.race([once(child, 'message'), gone])) as [Measured]
  return measured
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MiB`

/** The library has to be told the values before it renders; the second figure is of its rendering alone. */
const ratios = ({ ours, update, render }: Compared): readonly [whole: number, alone: number] => [
  (update + render) / ours,
  render / ours,
]

function rowsOf(measured: Measured): Figures['rows'] {
  const large = measured.series >= 50_000
  return [
    [`${measured.series} series`, `${mb(measured.bytes)}, compressed ${mb(measured.gzipBytes)}`, ''],
    ...measured.compared.map((one): Figures['rows'][number] => {
      const [whole, alone] = ratios(one)
      const share = `${(100 * one.share).toFixed(1)} % of the values are others`
      const what = one.change === 'all' ? share : `one compute in ten is awake, ${share}`
      const times = `${ms(one.ours)}; library ${ms(one.update)} + ${ms(one.render)}`
      return [
        `  ${what}: to bytes, processor time`,
        `${times}: ${whole.toFixed(1)} times, by rendering alone ${alone.toFixed(1)}`,
        large ? '≥ 7 times' : '',
      ]
    }),
    ['  snapshot to samples', ms(measured.collect), ''],
    [
      '  longest block of the event loop while a snapshot is rendered, median',
      ms(measured.block),
      large ? '≤ 50 ms' : '',
    ],
    [
      '  answer after a snapshot, and the next',
      `${ms(measured.first)}, ${ms(measured.cached)}`,
      large ? '≤ 15 ms' : '',
    ],
    [
      '  memory added, and of it held',
      `${measured.rssMb.toFixed(0)} MiB, ${measured.keptMb.toFixed(0)} MiB`,
      large ? '≤ 100 MiB' : '',
    ],
  ]
}

const figuresOf = (measured: Measured): Record<string, number> => ({
  ...Object.fromEntries(
    measured.compared.flatMap((one) => {
      const [whole, alone] = ratios(one)
      return [
        [`times_${one.change}`, whole],
        [`times_alone_${one.change}`, alone],
      ]
    }),
  ),
  block_ms: measured.block,
  cached_ms: measured.cached,
  rss_mb: measured.rssMb,
  kept_mb: measured.keptMb,
})
