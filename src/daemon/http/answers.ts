import { setImmediate } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

export const NOT_READY = 'the first pass has not ended yet'
export const INTERNAL_ERROR = 'internal error; the log of the daemon has it'

/** Called with what a route threw, and the pattern of the route. */
export type Failures = (err: unknown, route: string) => void

/** Every answer without success. */
export const refuse = (context: Context, status: ContentfulStatusCode, message: string) =>
  context.json({ message }, status)

/** Answer of a listener to a path of none of its routes. */
export const refuseUnknownPath = (context: Context) => refuse(context, 404, `nothing at ${context.req.path}`)

/** Read as fast as it is sent: a client that stops ends the reading. Other work runs after each piece. */
export const streamText = (context: Context, pieces: Pieces): ReadableStream =>
  streamPieces(context, withTurns(pieces))

type Pieces = AsyncIterable<string> | Iterable<string>

/** As `streamText`, for pieces that let other work run themselves. */
export const streamPieces = (context: Context, pieces: Pieces): ReadableStream =>
  ReadableStream.from(cutAtFailure(context, pieces)).pipeThrough(new TextEncoderStream())

async function* withTurns(pieces: Pieces) {
  for await (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}

/** Given by the listener; absent where an app is asked without one. */
type Bindings = Partial<HttpBindings & { readonly failed: Failures }>

/** A failure cuts the connection: the client must not take a part for the whole. */
async function* cutAtFailure(context: Context, pieces: Pieces) {
  try {
    yield* pieces
  } catch (err) {
    const { outgoing, failed }: Bindings = context.env ?? {}
    if (!outgoing) throw err
    failed?.(err, routePath(context))
    outgoing.destroy()
  }
}
