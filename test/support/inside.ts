// The way to a service in the same process: requests of the daemon's own client, without a connection.
import { Dispatcher } from 'undici'
import { seconds, type Seconds } from '../../src/model/units.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Undefined: no answer ever comes. */
type Fetch = (request: Request) => Promise<Response | undefined>

/** Seconds that a request takes on its way, and its answer on the way back: what loopback HTTP takes. */
export const LOOPBACK = seconds(0.001)

/** Time stands still while `fetch` works, which takes none. */
export class Inside extends Dispatcher {
  readonly #fetch: Fetch
  readonly #clock: VirtualClock
  readonly #way: () => Seconds
  /** Of each client its own: what still sleeps by a signal is held by it. */
  readonly #never = new AbortController().signal

  /** @param way called once for a request and once for its answer: how long it is under way */
  constructor(fetch: Fetch, clock: VirtualClock, way: () => Seconds = () => LOOPBACK) {
    super()
    this.#fetch = fetch
    this.#clock = clock
    this.#way = way
  }

  override dispatch(asked: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller = createController((cause) => handler.onResponseError?.(controller, cause))
    handler.onRequestStart?.(controller, {})
    if (controller.aborted) return true
    const url = `${String(asked.origin)}${asked.path}`
    const headers = Object.entries(asked.headers ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const answer = async (): Promise<void> => {
      await this.#clock.sleep(this.#way(), this.#never)
      const { response, body } = await this.#ask(
        new Request(url, { method: asked.method, headers, ...bodyOf(asked) }),
      )
      if (!response || !body) return
      await this.#clock.sleep(this.#way(), this.#never)
      if (controller.aborted) return
      handler.onResponseStart?.(
        controller,
        response.status,
        Object.fromEntries(response.headers),
        response.statusText,
      )
      handler.onResponseData?.(controller, body)
      handler.onResponseEnd?.(controller, {})
    }
    answer().catch((cause: unknown) => handler.onResponseError?.(controller, cause as Error))
    return true
  }

  async #ask(request: Request) {
    const release = this.#clock.hold()
    try {
      const response = await this.#fetch(request)
      return { response, body: response && Buffer.from(await response.arrayBuffer()) }
    } finally {
      release()
    }
  }
}

const bodyOf = ({ body }: Dispatcher.DispatchOptions): { readonly body?: string } =>
  typeof body === 'string' ? { body } : {}

function createController(onAbort: (cause: Error) => void): Dispatcher.DispatchController {
  let reason: Error | null = null
  return {
    get aborted() {
      return reason !== null
    },
    get paused() {
      return false
    },
    get reason() {
      return reason
    },
    abort: (cause) => {
      if (reason) return
      reason = cause
      onAbort(cause)
    },
    pause: () => undefined,
    resume: () => undefined,
  }
}
