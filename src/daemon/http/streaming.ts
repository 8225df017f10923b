// Long answers a piece at a time.

/** Read as fast as it is sent: a reader that stops ends the reading. Whoever else waits has a turn after each piece. */
export const streamText = (pieces: AsyncIterable<string> | Iterable<string>): ReadableStream =>
  ReadableStream.from(inTurns(pieces)).pipeThrough(new TextEncoderStream())

async function* inTurns(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    yield piece
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
