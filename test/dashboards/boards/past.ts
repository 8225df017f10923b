// A Prometheus with history, including the recording rules.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { RULE_GROUPS } from '../../../dashboards/rules/rules.ts'
import { waitUntilUp, startProgram } from '../../../src/cli/demo/monitoring/program.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { ownPort } from '../../support/ports.ts'
import { makeFolder } from '../../local/support.ts'
import { recordHistory, type History } from './history.ts'

export type Labels = Readonly<Record<string, string>>
export type Found = { readonly metric: Labels; readonly values: readonly string[] }

export type Past = AsyncDisposable & {
  /** As of the end of the history. */
  readonly now: (expr: string) => Promise<readonly Found[]>
  /** Every so many seconds of it. */
  readonly range: (expr: string, step: number) => Promise<readonly Found[]>
  readonly labelValues: (selector: string, label: string) => Promise<readonly string[]>
}

export async function openPast(): Promise<Past> {
  await using stack = new AsyncDisposableStack()
  const history = await recordHistory()
  const folder = makeFolder()
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'history.om'), history.openmetrics)
  // else blocks of two hours, of which each takes a reading of the whole file
  blocksFrom(folder, ['openmetrics', '--max-block-duration=768h', 'history.om', 'data'])
  await addRecordings(folder, history)
  const { url } = stack.use(await serve(folder))
  const open = stack.move()
  return { ...asking(url, history), [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Restarts Prometheus over new blocks: a running one sees them only after a minute. */
async function addRecordings(folder: string, { from, to }: History): Promise<void> {
  const groups = RULE_GROUPS.map(({ name, recordings }) => ({ name, rules: recordings }))
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }, { aliasDuplicateObjects: false }))
  await using first = await serve(folder)
  const span = [`--start=${Math.ceil(from)}`, `--end=${Math.floor(to)}`, '--eval-interval=2m']
  blocksFrom(folder, ['rules', `--url=${first.url}`, ...span, '--output-dir=data', 'rules.yaml'])
}

/** A Prometheus without scrape targets over the blocks in `data`. */
async function serve(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const clock = createClock()
  const address = `127.0.0.1:${await ownPort()}`
  writeFileSync(join(folder, 'prometheus.yml'), 'scrape_configs: []\n')
  const words = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--storage.tsdb.retention.time=100y',
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]
  await using stack = new AsyncDisposableStack()
  const logFile = join(folder, 'prometheus.log')
  const program = stack.use(startProgram({ file: 'prometheus', words, logFile, clock }))
  const url = `http://${address}`
  await waitUntilUp('prometheus', program, { url: `${url}/-/ready`, clock })
  const open = stack.move()
  return { url, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function blocksFrom(folder: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', ['tsdb', 'create-blocks-from', ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`promtool ${words[0]}: ${stdout}${stderr}`)
}

type Answer = {
  readonly status: string
  readonly error?: string
  readonly data: unknown
}
type Result = {
  readonly metric: Labels
  readonly value?: readonly [number, string]
  readonly values?: readonly (readonly [number, string])[]
}

function asking(url: string, { from, to }: History): Omit<Past, typeof Symbol.asyncDispose> {
  const query = async (path: 'query' | 'query_range', words: Labels): Promise<readonly Found[]> => {
    const answer = await fetch(`${url}/api/v1/${path}`, { method: 'POST', body: new URLSearchParams(words) })
    return found(await dataOf(answer, words['query'] ?? ''))
  }
  const [start, end] = [String(from), String(to)]
  return {
    now: (expr) => query('query', { query: expr, time: end }),
    range: (expr, step) => query('query_range', { query: expr, start, end, step: String(step) }),
    labelValues: async (selector, label) => {
      const words = new URLSearchParams({ 'match[]': selector, start, end })
      const answer = await fetch(`${url}/api/v1/label/${label}/values?${words.toString()}`)
      return (await dataOf(answer, selector)) as readonly string[]
    },
  }
}

async function dataOf(answer: Response, asked: string): Promise<unknown> {
  const { status, error, data } = (await answer.json()) as Answer
  if (status !== 'success') throw new Error(`${error}: ${asked}`)
  return data
}

const found = (data: unknown): readonly Found[] =>
  (data as { result: readonly Result[] }).result.map(({ metric, value, values = [] }) => ({
    metric,
    values: [...values, ...(value ? [value] : [])].map(([, text]) => text),
  }))
