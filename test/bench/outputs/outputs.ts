// Writes every public output of a simulated week into a folder. Two runs of one commit give equal bytes, so that two commits can be compared.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Hono } from 'hono'
import { EXPORT_NAMES, EXPORT_FORMATS } from '../../../src/daemon/history/export.ts'
import { REPORT_FORMATS } from '../../../src/model/output/report.ts'
import { REPORT_RENDERINGS } from '../../../src/outputs/report/formats/formats.ts'
import type { Figures } from '../run.ts'
import { runWeek } from './daemon.ts'

/** File → path of the API and what accepts the answer; JSON is written with a line per value. */
type Wanted = Readonly<Record<string, readonly [path: string, accept?: string]>>

const HTML = 'text/html'
const OPEN_METRICS = 'application/openmetrics-text;version=1.0.0'

/** Metrics of this very process: their values depend on the machine. */
const MASKED = /^((?:process|nodejs)_[^ ]*(?:\{.*\})?) .+$/gm

const TELEMETRY: Wanted = {
  'metrics.txt': ['/metrics'],
  'metrics.openmetrics.txt': ['/metrics', OPEN_METRICS],
  'metrics-one-project.txt': ['/metrics?project_id=local-000000'],
  'sd.json': ['/sd'],
  'telemetry.html': ['/'],
}

const API: Wanted = {
  'api/links.json': ['/'],
  'api/status.json': ['/api/v1/status'],
  'api/computes.json': ['/api/v1/computes'],
  ...Object.fromEntries(
    ['ep-000000', 'ep-000002', 'ep-000004', 'ep-train'].flatMap((id) => [
      [`api/computes/${id}.json`, [`/api/v1/computes/${id}`]],
      [`api/explain/${id}.json`, [`/api/v1/explain/${id}`]],
      [`pages/computes/${id}.html`, [`/computes/${id}`, HTML]],
    ]),
  ),
  'api/explain/nothing.json': ['/api/v1/explain/nothing'],
  ...Object.fromEntries(
    EXPORT_NAMES.flatMap((what) =>
      EXPORT_FORMATS.map((format) => [
        `export/${what}.${format}`,
        [`/api/v1/export?what=${what}&format=${format}`],
      ]),
    ),
  ),
  ...Object.fromEntries(
    ['main', 'lab'].flatMap((account) =>
      REPORT_FORMATS.map((format) => [
        `report/${account}/${format}.${REPORT_RENDERINGS[format].ending}`,
        [`/api/v1/report?account=${account}&format=${format}`],
      ]),
    ),
  ),
  'report/main/archived.json': ['/api/v1/report?account=main&kept=true'],
  'report/archive.json': ['/api/v1/reports?account=main'],
  'report/schema.json': ['/api/v1/schema/report'],
  'api/recommendations.json': ['/api/v1/recommendations?account=main'],
  'pages/recommendations.html': ['/recommendations', HTML],
  'pages/withheld.html': ['/recommendations?state=withheld', HTML],
  'pages/fleet.html': ['/', HTML],
  'pages/fleet-by-team.html': ['/?range=7d&group=team&sort=awake', HTML],
  'pages/budgets.html': ['/budgets', HTML],
  'pages/report.html': ['/report?account=main', HTML],
  'pages/not-found.html': ['/nothing', HTML],
}

const COPIED = ['dashboards', 'config']

export async function outputs(to: string): Promise<Figures> {
  const week = await runWeek()
  rmSync(to, { recursive: true, force: true })
  const write = (name: string, text: string): void => {
    const file = join(to, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  await week.clock.run(
    (async () => {
      // the metrics last: the requests before them are counted
      await writeAnswers(week.api, API, write)
      await writeAssets(week.api, write)
      await writeAnswers(week.telemetry, TELEMETRY, write)
    })(),
  )
  requireEveryRoute(week.api)
  write('events.jsonl', week.events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  for (const [index, { body, ...post }] of week.posts.entries()) {
    const name = `posts/${String(index).padStart(3, '0')}-${new URL(post.url).hostname}`
    write(`${name}.json`, `${JSON.stringify({ ...post, body: JSON.parse(body) as unknown }, undefined, 1)}\n`)
  }
  await week.close()
  for (const folder of COPIED)
    for (const name of readdirSync(folder))
      if (/\.(?:json|ya?ml)$/.test(name)) cpSync(join(folder, name), join(to, folder, name))
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    rows: [
      ['files written', `${files.length} to ${to}`, ''],
      ['masked', 'values of process_* and nodejs_*, which depend on the machine', ''],
    ],
    json: { files: files.length, events: week.events.length, posts: week.posts.length },
  }
}

async function writeAnswers(
  app: Hono,
  wanted: Wanted,
  write: (name: string, text: string) => void,
): Promise<void> {
  for (const [name, [path, accept = '*/*']] of Object.entries(wanted)) {
    // oxlint-disable-next-line no-await-in-loop -- in order: each is counted in the metrics
    const answer = await app.request(path, { headers: { accept } })
    // oxlint-disable-next-line no-await-in-loop -- likewise
    const text = (await answer.text()).replaceAll(MASKED, '$1 *')
    const isJson = name.endsWith('.json') && /^[[{]/.test(text)
    write(name, isJson ? `${JSON.stringify(JSON.parse(text), undefined, 1)}\n` : text)
    write(
      `${name}.headers`,
      [`${answer.status} ${path}`, ...[...answer.headers].map((pair) => pair.join(': '))].join('\n'),
    )
  }
}

/** Styles and script of the pages; their names carry a hash of their content. */
async function writeAssets(app: Hono, write: (name: string, text: string) => void): Promise<void> {
  const html = await (await app.request('/', { headers: { accept: HTML } })).text()
  for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g))
    // oxlint-disable-next-line no-await-in-loop -- in order
    write(`pages${path}`, await (await app.request(path)).text())
}

/** A new route of the API is added to the list above, so that it is compared, too. */
function requireEveryRoute(app: Hono): void {
  const asked = Object.values(API).map(([path]) => new URL(path, 'http://api.test').pathname)
  const missing = app.routes.filter(
    ({ method, path }) =>
      method === 'GET' &&
      path.startsWith('/api/') &&
      !asked.some((one) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(one)),
  )
  if (missing.length > 0)
    throw new Error(`outputs does not ask for ${missing.map(({ path }) => path).join(', ')}`)
}
