// A receiver on loopback that hears messages, with faults.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export type Heard = { readonly headers: IncomingHttpHeaders; readonly body: string }

/** A status, with headers; or no answer at all; or the connection cut once the body is there. */
export type Answer = number | readonly [status: number, headers: Record<string, string>] | 'hang' | 'cut'

export type Receiver = AsyncDisposable & {
  readonly url: string
  readonly heard: readonly Heard[]
  /** What it says from now on. */
  answer(next: Answer): void
}

/** Its path is a secret, as that of a real one. */
export const SECRET_PATH = '/services/T0/B0/s3cr3t-path'

export async function receiver(first: Answer = 200): Promise<Receiver> {
  const heard: Heard[] = []
  let answer = first
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      heard.push({ headers: request.headers, body })
      if (answer === 'hang') return
      if (answer === 'cut') {
        request.socket.destroy()
        return
      }
      const [status, headers] = typeof answer === 'number' ? [answer, {}] : answer
      response.writeHead(status, headers).end(`about ${request.url}`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${SECRET_PATH}`,
    heard,
    answer: (next) => {
      answer = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
