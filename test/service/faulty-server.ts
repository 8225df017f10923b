import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Sent = { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }

/** `count` begins at 1. */
export type Fault = (response: ServerResponse, sent: Sent, count: number) => void

type FaultyServer = AsyncDisposable & {
  readonly baseUrl: string
  /** `GET /api/v2/projects?limit=400`, in the order they came. */
  readonly requests: readonly string[]
}

/** A service on loopback that answers every request as `fault` says. */
export async function faultyServer(fault: Fault): Promise<FaultyServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`)
      const body = Buffer.concat(chunks).toString()
      fault(response, { url: request.url ?? '', headers: request.headers, body }, requests.length)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v2`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const answers =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

export const resets: Fault = (response) => {
  response.socket?.resetAndDestroy()
}

export const cuts: Fault = (response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"endpoints":[', () => response.destroy())
}

/** Each fault in turn, the last for ever. */
export const inTurn =
  (...faults: readonly Fault[]): Fault =>
  (response, sent, count) =>
    faults[Math.min(count, faults.length) - 1]?.(response, sent, count)
