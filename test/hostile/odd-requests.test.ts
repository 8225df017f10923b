// Requests that no honest client sends, to every route of both listeners.
import { expect, test, vi } from 'vitest'
import { connected, fiveWeeks, openedListeners, type Listener } from './listeners.ts'

const TELEMETRY = ['/', '/metrics', '/sd', '/-/healthy', '/-/ready', '/healthz', '/nowhere']
const API = [
  '/',
  '/budgets',
  '/report',
  '/computes/ep-0',
  '/api/v1/status',
  '/api/v1/computes',
  '/api/v1/computes/ep-0',
  '/api/v1/explain/ep-0',
  '/api/v1/export',
  '/api/v1/report',
  '/api/v1/reports',
  '/api/v1/schema/report',
  '/api/v1/report/send',
  '/-/reload',
  '/nowhere',
]

type Odd = Readonly<{
  method?: string
  target?: (path: string) => string
  /** Instead of a Host that is known. */
  head?: string
  body?: string
}>

const HOST = 'Host: localhost\r\n'
const targets: readonly NonNullable<Odd['target']>[] = [
  (path) => `${path}/../../etc/passwd`,
  (path) => `/${path}`,
  (path) => `${path}%`,
  (path) => `${path}%00`,
  (path) => `${path}%ff%fe%0d%0aX:%20y`,
  (path) => `${path}/%2e%2e/%2e%2e`,
  (path) => `${path}#fragment`,
  (path) => `${path}\\..\\..`,
  (path) => `${path}?${'a=&'.repeat(2000)}`,
  (path) => `${path}?${'name[]=%22%7d%0a&'.repeat(300)}`,
  (path) => `${path}?project_id=%22%0A%7D`,
  (path) => `${path}?week=9999-W99&format=constructor`,
  (path) => `${path}?week=2026-W02&account=__proto__&team=%00`,
  (path) => `${path}?from=NaN&to=-1&what=__proto__&format=csv`,
  (path) => `${path}?what=days&from=275760-09-13&to=2026-01-01`,
  (path) => `${path}?page=1e309&sort=constructor&range=toString`,
  (path) => `${path}?kept=true&week=../../x`,
  (path) => `${path}/${'x/'.repeat(2000)}`,
  (path) => `${path}/__proto__`,
  (path) => `http://a:b@localhost${path}`,
  (path) => `http://localhost:99999${path}`,
  (path) => `http://[::1${path}`,
  (path) => `https://evil.example.com${path}`,
  (path) => `http://127.999.999.999${path}`,
  () => '*',
  () => '',
  () => 'nowhere',
  (path) => `${path} and more`,
  (path) => `${path}/\u{1F9A6}`,
]
const heads: readonly string[] = [
  '',
  'Host: \r\n',
  'Host: 127.999.999.999\r\n',
  'Host: localhost:99999\r\n',
  'Host: [::1\r\n',
  'Host: [fe80::1%25eth0]\r\n',
  'Host: a@localhost\r\n',
  'Host: localhost/..\r\n',
  'Host: localhost, localhost\r\n',
  'Host: 0x7f.1\r\n',
  'Host: localhost\\\r\n',
  `${HOST}Host: evil.example.com\r\n`,
  `${HOST}Accept: ;;q=,text/html;q=NaN,*/*;q=-1\r\n`,
  `${HOST}Accept: application/openmetrics-text;version=9;q=2\r\nAccept-Encoding: gzip;q=NaN,,identity;q=x\r\n`,
  `${HOST}Accept: text/html\r\nIf-None-Match: *\r\n`,
  `${HOST}Authorization: Bearer\r\n`,
  `${HOST}Authorization: Basic ${'x'.repeat(4000)}\r\n`,
  `${HOST}Sec-Fetch-Site: cross-site\r\n`,
  `${HOST}Range: bytes=5-1\r\n`,
  `${HOST}Expect: the-unexpected\r\n`,
  `${HOST}Upgrade: websocket\r\nConnection: upgrade\r\n`,
  `${HOST}X-Long: ${'x'.repeat(9000)}\r\n`,
  `${HOST}${'X: y\r\n'.repeat(1500)}`,
  `${HOST}Bad Name: 1\r\n`,
  `${HOST}X: \u0000\r\n`,
]
const methods: readonly Odd[] = [
  ...['TRACE', 'TRACK', 'CONNECT', 'PROPFIND', 'get', 'OPTIONS', 'HEAD', 'PURGE'].map((method) => ({
    method,
  })),
  { method: 'POST', head: `${HOST}Content-Length: -1\r\n` },
  { method: 'POST', head: `${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, body: '0\r\n\r\n' },
  { method: 'POST', head: `${HOST}Transfer-Encoding: chunked\r\n`, body: 'zz\r\nboo\r\n' },
  { method: 'POST', head: `${HOST}Transfer-Encoding: gzip\r\n`, body: 'x' },
  { method: 'PUT', head: `${HOST}Content-Length: 100000\r\n`, body: 'x'.repeat(100_000) },
  { method: 'DELETE', head: `${HOST}Content-Length: 4\r\nContent-Type: application/json\r\n`, body: '{"a"' },
  { method: 'GET', head: `${HOST}Content-Length: 3\r\n`, body: 'abc' },
]

const ODD: readonly Odd[] = [
  ...targets.map((target) => ({ target })),
  ...heads.map((head) => ({ head })),
  ...methods,
]

const textOf = (path: string, { method = 'GET', target = (same) => same, head = HOST, body = '' }: Odd) =>
  `${method} ${target(path)} HTTP/1.1\r\n${head}Connection: close\r\n\r\n${body}`

/** What comes back until the connection closes. */
async function answerTo(url: Listener, text: string): Promise<string> {
  const client = await connected(url)
  client.socket.write(text)
  await client.closed
  return client.text()
}

const CASES = [
  ...TELEMETRY.map((path) => ['telemetry', path] as const),
  ...API.map((path) => ['api', path] as const),
].flatMap(([listener, path]) => ODD.map((odd) => ({ listener, text: textOf(path, odd) })))

test('odd requests over all routes: each is answered or cut, none is a fault', async () => {
  await using listeners = await openedListeners(2, '', fiveWeeks(2))
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const faults: string[] = []
  expect(CASES.length).toBeGreaterThan(1500)
  for (const { listener, text } of CASES) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other: the limits of connections are tested elsewhere
    const answer = await answerTo(listeners[listener], text)
    // nothing where the parser of Node only closes: CONNECT
    if (!/^(HTTP\/1\.1 [1-4]|$)/.test(answer) || STACK_TRACE.test(answer)) faults.push(text + answer)
  }
  expect(faults).toEqual([])
  expect(printed.mock.calls).toEqual([])
  expect(listeners.lines).toEqual([])
  printed.mockRestore()
})

const STACK_TRACE = /node_modules|\n\s+at |Error:/
