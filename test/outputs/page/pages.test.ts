// Every page, over the app that serves it.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { telemetryApp } from '../../../src/daemon/http/telemetry.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { KEPT, keptNamed } from './kept-reports.ts'
import { pastOf } from './past.ts'
import { advised } from './advised.ts'
import { changesOf } from './changed.ts'
import { asked, appOf, fleet, textOf } from './shown.ts'
import { problemsOf } from './well-formed.ts'

const PATHS = [
  '/',
  '/?range=7d&group=team',
  '/?text=no-such-compute',
  '/budgets',
  '/recommendations',
  '/recommendations?state=withheld',
  '/changes',
  '/changes?state=ended',
  '/computes/ep-0',
  '/computes/ep-1',
  '/report',
  '/report?week=2026-W44',
  '/report?page=2',
  '/report?week=2026-W47&team=web',
]

const HOSTILE = [
  `"><script>alert(1)</script><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  '</td></table></main>&lt;b&gt;',
  '🐿️\u202eevil\u202c\u0000',
  'שלום עולם <bdo dir=rtl>',
  '𝔏'.repeat(100) + '<x>'.repeat(34),
]

/** Fields with values of unions, which stay as they are: pages switch on them. */
const OWN = new Set('because end kind state service unit source off cause mode per type'.split(' '))

/** A copy with every text replaced by a hostile one, ids included. */
function poisoned<Value>(value: Value, key = '', counter = { next: 0 }): Value {
  if (typeof value === 'string') {
    if (OWN.has(key)) return value
    counter.next += 1
    return `${HOSTILE[counter.next % HOSTILE.length]}${counter.next}` as Value
  }
  if (Array.isArray(value)) return value.map((item) => poisoned(item, key, counter)) as Value
  if (value instanceof Map || value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, poisoned(part, name, counter)]),
  ) as Value
}

test('names that are markup, of any script and any length, stay text on every page', async () => {
  const snapshot = poisoned(advised(fleet(12)))
  const [by = '', reason = '', because = ''] = HOSTILE
  const changes = changesOf(snapshot, { by, reason, because })
  const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT, changes })
  const [first] = snapshot.computes
  const paths = [
    ...PATHS.slice(0, 8),
    `/computes/${encodeURIComponent(first?.identity.ref.endpointId.toWellFormed() ?? '')}`,
  ]
  for (const path of [
    ...paths,
    `/?text=${encodeURIComponent(HOSTILE[0] ?? '')}&team=${encodeURIComponent(HOSTILE[1] ?? '')}`,
  ]) {
    const answer = await asked(app, path)
    const text = await answer.text()
    expect([path, answer.status, problemsOf(text)]).toEqual([path, 200, []])
    expect(text).toContain('&lt;script&gt;')
    for (const markup of ['<script>', '<img', '<bdo', '<x>', '<b>alert', "onmouseover='"])
      expect(text).not.toContain(markup)
  }
})

test('such names stay text in an archived report, too', async () => {
  const names = HOSTILE.map((name) => name.toWellFormed())
  const app = appOf({ snapshot: fleet(2), kept: keptNamed(names) })
  for (const path of ['/report', '/report?week=2026-W47&team=web']) {
    const text = await textOf(app, path)
    expect([path, problemsOf(text)]).toEqual([path, []])
    expect(text).toContain('&lt;/td&gt;')
    for (const markup of ['<script>', '<img', '<bdo', '<x>', '<b>alert', "onmouseover='"])
      expect(text).not.toContain(markup)
    expect(text).not.toMatch(/[\u202a-\u202e]/)
  }
})

test('every page is well formed, of a fleet and of none', async () => {
  const none: Snapshot = { ...fleet(1), computes: [], accounts: [] }
  for (const snapshot of [advised(fleet(12)), none]) {
    const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT, changes: changesOf(snapshot) })
    for (const path of PATHS) expect([path, problemsOf(await textOf(app, path))]).toEqual([path, []])
  }
  expect(problemsOf('<p><b>one</p></b>')).not.toEqual([])
  expect(problemsOf('<p class=one></p>')).not.toEqual([])
})

/** Rows that name a compute. */
const rows = (text: string): number =>
  text.slice(text.indexOf('<table class="fleet"')).match(/<th scope="row"/g)?.length ?? 0

test('a page of a hundred computes is small, and more computes are more pages', async () => {
  const snapshot = advised(fleet(250))
  const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT })
  for (const range of ['24h', '7d']) {
    const text = await textOf(app, `/?range=${range}`)
    expect(rows(text)).toBe(100)
    expect(text.length).toBeLessThanOrEqual(300_000)
    expect(gzipSync(text).length).toBeLessThanOrEqual(40_000)
  }
  expect(rows(await textOf(app, '/?page=3'))).toBe(50)
  expect(rows(await textOf(app, '/?page=99'))).toBe(50)
})

/** Ids in the order shown. */
async function shown(snapshot: Snapshot, path: string): Promise<readonly string[]> {
  const text = await textOf(appOf({ snapshot, history: pastOf(snapshot), kept: KEPT }), path)
  return [...text.matchAll(/href="\/computes\/([^"]+)"/g)].map(([, id = '']) => id)
}

test.each([
  ['the dearest first', '/', ['ep-0', 'ep-3', 'ep-2', 'ep-1', 'ep-5', 'ep-4']],
  ['the cheapest first', '/?order=asc', ['ep-4', 'ep-5', 'ep-1', 'ep-2', 'ep-3', 'ep-0']],
  ['by name', '/?sort=name', ['ep-2', 'ep-0', 'ep-5', 'ep-3', 'ep-4', 'ep-1']],
  ['those awake', '/?state=active&sort=name', ['ep-0', 'ep-3']],
  ['those of a team', '/?team=data&sort=name', ['ep-4', 'ep-1']],
  ['those of none', '/?team=-&sort=name', ['ep-2', 'ep-5']],
  ['those of a project', '/?project=project-4', ['ep-4']],
  ['those with a text in a name', '/?text=CHECK&sort=name', ['ep-0', 'ep-5']],
  ['teams, those of nobody last', '/?group=team&sort=name', ['ep-4', 'ep-1', 'ep-0', 'ep-3', 'ep-2', 'ep-5']],
  [
    'all, where nothing is understood',
    '/?sort=up&order=x&range=9d&page=-1&state=dead&group=x',
    ['ep-0', 'ep-3', 'ep-2', 'ep-1', 'ep-5', 'ep-4'],
  ],
])('a fleet shows %s', async (_, path, ids) => {
  expect(await shown(fleet(6), path)).toEqual(ids)
})

test('a page comes with a policy that lets nothing in, and is not sent twice', async () => {
  const snapshot = fleet(3)
  const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT })
  for (const path of PATHS) {
    const answer = await asked(app, path, { 'if-none-match': '' })
    expect(Object.fromEntries((await asked(app, path)).headers)).toMatchObject({
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    const etag = answer.headers.get('etag') ?? ''
    const again = await asked(app, path, { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})

test('a page is not sent twice through a proxy, which makes its tag a weak one when it compresses', async () => {
  const app = appOf({ snapshot: fleet(1) })
  const etag = (await asked(app, '/budgets')).headers.get('etag') ?? ''
  for (const known of [`W/${etag}`, `"other", W/${etag}`, '*'])
    expect([known, (await asked(app, '/budgets', { 'if-none-match': known })).status]).toEqual([known, 304])
  for (const other of ['', '"other"', etag.replaceAll('"', '')])
    expect([other, (await asked(app, '/budgets', { 'if-none-match': other })).status]).toEqual([other, 200])
})

test('style and script have names with their hash and may be cached forever', async () => {
  const app = appOf({ snapshot: fleet(1) })
  const text = await textOf(app, '/')
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  expect(paths).toEqual([
    expect.stringMatching(/^\/assets\/style-[\w-]{16}\.css$/),
    expect.stringMatching(/^\/assets\/script-[\w-]{16}\.js$/),
  ])
  for (const path of paths) {
    const answer = await asked(app, path)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await answer.text()).not.toMatch(/https?:\/\//)
  }
})

test('programs get links, foreign hosts and POST requests are refused', async () => {
  const app = appOf({ snapshot: fleet(2), kept: KEPT })
  expect(await (await asked(app, '/', { accept: 'application/json' })).json()).toHaveProperty('links')
  expect(await (await asked(app, '/', { accept: '*/*' })).json()).toHaveProperty('links')
  expect((await asked(app, '/', { host: 'evil.example' })).status).toBe(403)
  expect((await asked(app, '/computes/ep-9')).status).toBe(404)
  for (const path of PATHS) {
    const posted = await app.request(path, {
      method: 'POST',
      headers: { host: 'localhost', accept: 'text/html' },
    })
    expect([path, posted.status]).toEqual([path, 403])
    const head = await app.request(path, {
      method: 'HEAD',
      headers: { host: 'localhost', accept: 'text/html' },
    })
    expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
  }
})

test('before the first pass every page says so', async () => {
  const app = appOf({})
  for (const path of PATHS) {
    const answer = await asked(app, path)
    expect([answer.status, problemsOf(await answer.text())]).toEqual([503, []])
  }
})

test('no page is on the telemetry listener', async () => {
  const app = telemetryApp({
    exposition: { publish: () => Promise.resolve(), body: () => Promise.resolve([]) },
    healthy: () => true,
    notReady: () => undefined,
    snapshot: () => fleet(1),
    clock: { yield: () => Promise.resolve() },
    counted: (_, next) => next(),
  })
  for (const path of PATHS.filter((one) => !one.startsWith('/?') && one !== '/'))
    expect((await asked(app, path)).status).toBe(404)
  expect(await textOf(app, '/')).not.toContain('<table')
})
