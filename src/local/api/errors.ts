import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Refusal } from '../control/events.ts'
import type { Api, Call } from './context.ts'

/** HTTP status → `code` of the error body; the public schema leaves codes open. */
const CODES = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  406: 'NOT_ACCEPTABLE',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE',
  423: 'LOCKED',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL',
  501: 'NOT_YET',
  502: 'BAD_GATEWAY',
  503: 'UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
  524: 'TIMEOUT',
} as const

export type ErrorStatus = keyof typeof CODES

/** A refused request: routes throw it, `app.onError` answers. */
export class ApiError extends Error {
  readonly status: ErrorStatus

  constructor(status: ErrorStatus, message: string) {
    super(message)
    this.status = status
  }
}

/** Error body of every route (service-facts 5). */
export function errorAnswer(call: Call, status: ErrorStatus, message: string): Response {
  const body = { request_id: call.get('requestId'), code: CODES[status], message }
  return call.json(body, status as ContentfulStatusCode)
}

/** A refusal of the control plane; 400 becomes `errors.invalid`. */
export const refusalError = ({ status, message }: Refusal, { settings }: Api): ApiError =>
  new ApiError(status === 400 ? settings().errors.invalid : status, message)

export function foundOr404<Found>(found: Found | undefined, what: string, id: string | undefined): Found {
  if (found === undefined) throw new ApiError(404, `${what} not found: ${id ?? ''}`)
  return found
}
