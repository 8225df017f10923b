// undici without its index, which loads fetch, WebSocket, caches and mocks too: 10 MB at rest (decision 71). Its version is pinned, as these
// paths are no interface.
import type { Dispatcher } from 'undici'
import send from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'
import { getGlobalDispatcher } from 'undici/lib/global.js'

export { Agent }

type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method'> &
  Readonly<{
    /** Default: GET. */
    method?: Dispatcher.HttpMethod
    /** Default: that of the process. */
    dispatcher?: Dispatcher
  }>

/** As `request` of undici. @throws when no answer begins, or `url` is none */
export async function request(
  url: string | URL,
  { dispatcher = getGlobalDispatcher(), ...options }: RequestOptions = {},
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return send.call(dispatcher, { method: 'GET', ...options, origin, path: pathname + search })
}
