// A proxy before the service, on loopback: records the requests that change something, delays them, and delays or loses their answers.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** With the path below the base address, as `dormouse plan --json` prints it. */
export type RecordedRequest = Readonly<{ method: string; path: string; body: unknown }>

export type RecordingProxy = AsyncDisposable & {
  /** Base address in place of that of the service. */
  readonly baseUrl: string
  /** Other than GET, in the order in which they came. */
  readonly changes: readonly RecordedRequest[]
}

/** Of a request other than GET. */
export type Treatment = Readonly<{
  /** Waited for before the service gets it, also where its client has gone. */
  beforeRequest?: (change: RecordedRequest) => Promise<unknown> | undefined
  /** Whether its answer is lost: the connection ends in its place. */
  losesAnswer?: (change: RecordedRequest) => boolean
}>

/** @param target base address of the service */
export async function recordingProxy(
  target: string,
  { beforeRequest, losesAnswer = () => false }: Treatment = {},
): Promise<RecordingProxy> {
  const changes: RecordedRequest[] = []
  const { pathname: base } = new URL(target)

  /** A client that has gone takes nothing back: the service gets the request nevertheless. */
  async function pass(asked: IncomingMessage, answer: ServerResponse) {
    const { method = 'GET', url = '/', headers } = asked
    const body = await text(asked)
    const change = { method, path: url.slice(base.length), body: body === '' ? null : JSON.parse(body) }
    if (method !== 'GET') {
      changes.push(change)
      await beforeRequest?.(change)
    }
    const forwarded = request(new URL(url, target), { method, headers }).end(body)
    const [answered] = (await once(forwarded, 'response')) as [IncomingMessage]
    const answeredBody = await text(answered)
    if (method !== 'GET' && losesAnswer(change)) answer.destroy()
    else answer.writeHead(answered.statusCode ?? 502, answered.headers).end(answeredBody)
  }

  const server = createServer((asked, answer) => {
    pass(asked, answer).catch(() => answer.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    changes,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
