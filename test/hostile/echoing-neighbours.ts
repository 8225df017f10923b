// A service, receivers and a Postgres server that know the secrets they were sent and repeat them in every encoding.
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { everyEncoding } from './canaries.ts'

export type Neighbour = AsyncDisposable & {
  readonly port: number
  /** Bodies of requests; empty texts where the protocol has none. */
  readonly heard: readonly string[]
}

async function listening(server: Server, heard: readonly string[]): Promise<Neighbour> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

type Told = Readonly<{ status: number; body: unknown }>

/** `answer` gets the path with its query. */
function httpNeighbour(answer: (path: string) => Told): Promise<Neighbour> {
  const heard: string[] = []
  const server = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      heard.push(text)
      const { status, body } = answer(request.url ?? '')
      response.writeHead(status, { 'content-type': 'application/json', location: String(request.url) })
      response.end(JSON.stringify(body))
    })
  })
  return listening(server, heard)
}

/** A receiver that refuses for good, with the address it was sent to in every encoding. */
export const echoingReceiver = (): Promise<Neighbour> =>
  httpNeighbour((path) => ({ status: 422, body: { message: everyEncoding(path) } }))

/** One project of so many is refused: a service that fails most of the time is left alone. */
const REFUSED_ONE_IN = 4

/** The API of a service: the first project has an awake compute, each fourth is refused with a line of its own, the others are empty. */
export const echoingService = (lines: readonly string[]): Promise<Neighbour> =>
  httpNeighbour((path) => {
    const [, number, route = ''] = /^\/api\/v2\/projects\/p-(\d+)\/?([a-z_]*)/.exec(path) ?? []
    if (path.startsWith('/api/v2/projects?')) return { status: 200, body: { projects: projects(lines) } }
    const line =
      Number(number) % REFUSED_ONE_IN === 1 ? lines[Math.floor(Number(number) / REFUSED_ONE_IN)] : undefined
    if (number === undefined || line !== undefined)
      return { status: 403, body: { message: line ?? lines.join(' ') } }
    if (route === 'operations') return { status: 200, body: { operations: [] } }
    return { status: 200, body: { endpoints: number === '0' ? [compute(lines)] : [] } }
  })

const recent = () => new Date(Date.now() - 5000).toISOString()

const projects = (lines: readonly string[]) =>
  Array.from({ length: REFUSED_ONE_IN * lines.length }, (_, at) => ({
    id: `p-${at}`,
    name: lines[at % lines.length],
    region_id: lines[at % lines.length],
    updated_at: '2026-01-01T00:00:00Z',
    compute_last_active_at: recent(),
  }))

const compute = ([line = '']: readonly string[]) => ({
  id: 'ep-0',
  project_id: 'p-0',
  branch_id: 'br-0',
  name: line,
  host: 'localhost',
  type: 'read_write',
  current_state: 'active',
  autoscaling_limit_min_cu: 1,
  autoscaling_limit_max_cu: 1,
  suspend_timeout_seconds: -1,
  last_active: recent(),
  started_at: recent(),
  created_at: '2026-01-01T00:00:00Z',
  updated_at: recent(),
})

/** A Postgres server that refuses everybody with `lines`. Its message format: PostgreSQL, "Message Formats". */
export function echoingPostgres(lines: readonly string[]): Promise<Neighbour> {
  const heard: string[] = []
  const fields = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${lines.join(' ')}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  const server = createServer((socket) => {
    socket.once('data', () => {
      heard.push('')
      socket.end(Buffer.concat([head, fields]))
    })
  })
  return listening(server, heard)
}

/** A mail server that refuses everybody with `lines`. */
export function echoingMailServer(lines: readonly string[]): Promise<Neighbour> {
  const heard: string[] = []
  const server = createServer((socket) => {
    heard.push('')
    socket.end(`554 ${lines.join(' ')}\r\n`)
  })
  return listening(server, heard)
}
