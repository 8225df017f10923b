// Queries to a real Prometheus.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPrometheus as start } from '../../src/cli/demo/monitoring/prometheus.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { page, until } from '../end-to-end/support.ts'

export type Series = { readonly metric: Readonly<Record<string, string>>; readonly value: string }

/** An instant query. */
export type Query = (expression: string) => Promise<readonly Series[]>

export type Prometheus = AsyncDisposable & { readonly url: string; readonly query: Query }

/** @param jobs name of the job → address of its target; when it resolves each was scraped */
export async function startPrometheus(jobs: Readonly<Record<string, string>>): Promise<Prometheus> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-prometheus-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { url } = stack.use(
    await start({ file: 'prometheus', folder: join(folder, 'own'), jobs, clock: createClock() }),
  )
  const query = queryOf(url)
  await scraped(query, Object.keys(jobs).length)
  const open = stack.move()
  return { url, query, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Resolves when so many targets were scraped. */
export const scraped = (query: Query, targets: number): Promise<true> =>
  until('a scrape of every target', async () => (await query('up == 1')).length === targets || undefined)

/** Returns no series while Prometheus is starting. */
export const queryOf =
  (url: string): Query =>
  async (expression) => {
    const { status, text } = await page(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
    if (status !== 200) return []
    const { data } = JSON.parse(text) as {
      data?: { result: { metric: Series['metric']; value: [number, string] }[] }
    }
    return data?.result.map(({ metric, value }) => ({ metric, value: value[1] })) ?? []
  }
