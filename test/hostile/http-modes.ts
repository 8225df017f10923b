// Modes whose answers are hostile as HTTP: bodies, headers, statuses, time.
import { gzipSync } from 'node:zlib'
import {
  compute,
  everywhere,
  NORMAL,
  on,
  pick,
  poured,
  project,
  PROJECTS,
  routeOf,
  send,
  times,
  type Mode,
} from './answers.ts'

const ODD_PAUSES = [
  '-1',
  '1e999',
  '9'.repeat(400),
  'NaN',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  '',
  '0x10',
]
const ODD_TIMES = [
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'never',
  '-1',
  'Wed, 01 Jan 2031 00:00:00 GMT',
  'Wed, 01 Jan 2031 00:00:01 GMT',
]
export const HTTP_MODES = {
  huge: on(['projects', 'computes'], poured('{"projects":[{"name":"', 'x', 256 * 2 ** 20)),
  endless: everywhere(poured('[', ' ', Infinity)),
  silent: everywhere(() => undefined),
  'silent computes': { computes: () => undefined },
  dripping: everywhere(({ response }) => {
    response.writeHead(200)
    const timer = setInterval(() => void response.write(' '), 100)
    response.once('close', () => {
      clearInterval(timer)
    })
  }),
  'short content length': on(['computes'], send('{"endpoints":[]}', { 'content-length': '5' })),
  'long content length': on(['computes'], ({ response }) => {
    response.writeHead(200, { 'content-length': '1000000' })
    response.write('{"endpoints":[', () => response.destroy())
  }),
  'compressed bomb': everywhere((exchange) => {
    send(gzipSync(Buffer.alloc(50 * 2 ** 20)), { 'content-encoding': 'gzip' })(exchange)
  }),
  redirects: everywhere((exchange) => {
    send('', { location: `http://127.0.0.1:9/${exchange.count}` }, 302)(exchange)
  }),
  'odd pauses': on(['projects', 'computes'], (exchange) => {
    send('{}', { 'retry-after': pick(ODD_PAUSES, exchange.count) }, 429)(exchange)
  }),
  'odd time': everywhere((exchange) => {
    exchange.response.setHeader('date', pick(ODD_TIMES, exchange.count))
    NORMAL[routeOf(exchange.request.url ?? '')](exchange)
  }),
  'far time': everywhere((exchange) => {
    exchange.response.setHeader('date', 'Fri, 31 Dec 9999 23:59:58 GMT')
    NORMAL[routeOf(exchange.request.url ?? '')](exchange)
  }),
  'invalid UTF-8': everywhere((exchange) => {
    const text = JSON.stringify({
      projects: PROJECTS.map((id) => project(id, { name: '@@@' })),
      endpoints: [compute('ep-one-1', exchange.projectId, { name: '@@@', id: 'ep-@' })],
    })
    send(Buffer.from(text.replaceAll('@', '\xff'), 'latin1'))(exchange)
  }),
  'large headers': everywhere(({ response }) =>
    response.socket?.write(
      `HTTP/1.1 200 OK\r\n${times(100_000, (index) => `x-${index}: ${'h'.repeat(100)}\r\n`).join('')}\r\n`,
    ),
  ),
  'early hints': everywhere(({ response }) =>
    response.socket?.write('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(100_000)),
  ),
  'no HTTP': everywhere(({ response }) => response.socket?.end('\u0000\u0001\u0002'.repeat(10_000))),
  'large errors': on(['computes', 'operations'], poured('{"message":"', 'e', 256 * 2 ** 20, 500)),
  'escaped keys': on(['computes'], (exchange) => {
    const key = (exchange.request.headers.authorization ?? '').replace('Bearer ', '')
    const escaped = key
      .split('')
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
    send(`{"message":"${escaped}"}`, {}, 500)(exchange)
  }),
  resets: everywhere(({ response }) => response.socket?.resetAndDestroy()),
} as const satisfies Readonly<Record<string, Mode>>
