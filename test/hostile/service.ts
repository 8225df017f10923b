// A malicious service, a program of the tests: `node test/hostile/service.ts` listens on loopback and prints its port. The first part of a
// path is a mode, which changes some answers of a small, well-formed account; `normal` changes none.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AWAKE, NORMAL, routeOf, type Mode } from './answers.ts'
import { CONTENT_MODES } from './content-modes.ts'
import { HTTP_MODES } from './http-modes.ts'

export const MODES = { normal: {}, awake: AWAKE, ...CONTENT_MODES, ...HTTP_MODES }
export type ModeName = keyof typeof MODES

if (process.argv[1] === import.meta.filename) {
  const counts = new Map<ModeName, number>()
  const server = createServer((request, response) => {
    const [, first = '', ...rest] = (request.url ?? '/').split('/')
    request.url = `/${rest.join('/')}`
    const url = new URL(request.url, 'http://localhost')
    const [, projectId = ''] = /projects\/([^/]+)/.exec(url.pathname) ?? []
    const name = decodeURIComponent(first) as ModeName
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const exchange = {
      request,
      response,
      count,
      projectId,
      cursor: url.searchParams.get('cursor'),
    }
    response.on('error', () => undefined)
    request.resume()
    const route = routeOf(url.pathname)
    const mode: Mode = MODES[name]
    const answer = mode[route] ?? NORMAL[route]
    answer(exchange)
  }).listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  })
  process.once('SIGTERM', () => process.exit(0))
}
