import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

export const NOT_READY = 'the first pass has not ended yet'

/** Every answer without success. */
export const refuse = (context: Context, status: ContentfulStatusCode, message: string) =>
  context.json({ message }, status)

/** Read as fast as it is sent: a client that stops ends the reading. Other work runs after each piece. */
export const streamText = (pieces: AsyncIterable<string> | Iterable<string>): ReadableStream =>
  ReadableStream.from(withTurns(pieces)).pipeThrough(new TextEncoderStream())

async function* withTurns(pieces: AsyncIterable<string> | Iterable<string>) {
  for await (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}
