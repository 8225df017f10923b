// Types of the files of undici that http-client.ts takes: the package has them for its index only.
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'

  /** Method of a dispatcher: the index of undici puts it on the prototype. */
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>
}

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici'
}

declare module 'undici/lib/global.js' {
  export { getGlobalDispatcher } from 'undici'
}
