// The last check of a mutation: when it is written to the socket, after the rate limiter and the connection pool.
import type { Dispatcher } from 'undici'
import type { SendGuard } from '../../model/ports/service.ts'

/** Why a request failed that its guard stopped: nothing of it has left. */
export class Withdrawn extends Error {}

export const guardedBy = (maySend: SendGuard, dispatcher: Dispatcher): Dispatcher =>
  dispatcher.compose((dispatch) => (options, handler) => dispatch(options, withGuard(handler, maySend)))

/** A handler is an object with private state: it is called, not copied. */
const withGuard = (handler: Dispatcher.DispatchHandler, maySend: SendGuard): Dispatcher.DispatchHandler => ({
  onRequestStart: (controller, context) => {
    handler.onRequestStart?.(controller, context)
    if (!controller.aborted && !maySend()) controller.abort(new Withdrawn('withdrawn before it was sent'))
  },
  onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
  onResponseStart: (...given) => handler.onResponseStart?.(...given),
  onResponseData: (...given) => handler.onResponseData?.(...given),
  onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
  onResponseError: (...given) => handler.onResponseError?.(...given),
})
