// A real Prometheus on loopback, which scrapes every second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, page, until } from '../end-to-end/support.ts'

export type Series = { readonly metric: Readonly<Record<string, string>>; readonly value: string }

export type Prometheus = AsyncDisposable & {
  readonly url: string
  /** An instant query. */
  readonly query: (expression: string) => Promise<readonly Series[]>
}

/** @param jobs name of the job → address of its target; when it resolves each was scraped */
export async function startPrometheus(jobs: Readonly<Record<string, string>>): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-prometheus-'))
  const port = await freePort()
  const configured = Object.entries(jobs).map(([job, address]) => ({
    job_name: job,
    static_configs: [{ targets: [address] }],
  }))
  const file = join(folder, 'prometheus.yml')
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }
  writeFileSync(file, JSON.stringify({ global, scrape_configs: configured }))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  const query = async (expression: string): Promise<readonly Series[]> => {
    const { text } = await page(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
    if (text === '') return []
    const { data } = JSON.parse(text) as {
      data?: { result: { metric: Series['metric']; value: [number, string] }[] }
    }
    return data?.result.map(({ metric, value }) => ({ metric, value: value[1] })) ?? []
  }
  const scraped = async (): Promise<true | undefined> =>
    (await query('up == 1')).length === configured.length || undefined
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await until('a scrape of every target', scraped)
  const open = stack.move()
  return { url, query, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
