import { setImmediate } from 'node:timers/promises'

/** Body of every answer without success. */
export const problemBody = (message: string): { readonly message: string } => ({ message })

/** Read as fast as it is sent: a client that stops ends the reading. Other work runs after each piece. */
export const streamText = (pieces: AsyncIterable<string> | Iterable<string>): ReadableStream =>
  ReadableStream.from(withTurns(pieces)).pipeThrough(new TextEncoderStream())

async function* withTurns(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece
    await setImmediate()
  }
}
