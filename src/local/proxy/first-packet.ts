import type { Socket } from 'node:net'

/** Something a reader made of the bytes so far; `rest` is what it left. */
type Said = { readonly kind: string; readonly rest?: Buffer }

type Pending = { readonly kind: 'more' }

/**
 * Listens until `read` has heard enough, and leaves the stream paused with what it did not take still in it.
 *
 * @returns undefined when the stream ended or was closed before that
 */
export function readFirstPacket<Heard extends Said>(
  stream: Socket,
  read: (bytes: Buffer) => Heard | Pending,
): Promise<Heard | undefined> {
  const { promise, resolve } = Promise.withResolvers<Heard | undefined>()
  let heard: Buffer = Buffer.alloc(0)
  const over = (): void => {
    stream.off('data', listen).off('end', ended).off('close', ended).pause()
  }
  const ended = (): void => {
    over()
    resolve(undefined)
  }
  const listen = (chunk: Buffer): void => {
    heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk])
    const said = read(heard)
    if (isPending(said)) return
    over()
    if (said.rest && said.rest.length > 0) stream.unshift(said.rest)
    resolve(said)
  }
  stream.on('data', listen).on('end', ended).on('close', ended)
  if (stream.destroyed) ended()
  else stream.resume()
  return promise
}

const isPending = (said: Said | Pending): said is Pending => said.kind === 'more'

/** The most that is kept of what a waiting client says, bytes. It has nothing to say before it was asked for a password. */
const MOST_KEPT = 65_536

export type CloseWatch = {
  /** Aborts when the other side hangs up. */
  readonly left: AbortSignal
  /** Leaves the stream paused, with what was said meanwhile in it; false when the other side has hung up. */
  release(): boolean
}

/** Watches a stream whose client has to wait: a paused one would not show that it is gone. */
export function watchClose(stream: Socket): CloseWatch {
  const leaving = new AbortController()
  const kept: Buffer[] = []
  const leave = (): void => leaving.abort()
  const keep = (chunk: Buffer): void => {
    kept.push(chunk)
    if (kept.reduce((sum, { length }) => sum + length, 0) > MOST_KEPT) stream.pause()
  }
  stream.on('data', keep).once('end', leave).once('close', leave).resume()
  return {
    left: leaving.signal,
    release: () => {
      stream.off('data', keep).off('end', leave).off('close', leave).pause()
      if (leaving.signal.aborted || stream.destroyed) return false
      if (kept.length > 0) stream.unshift(Buffer.concat(kept))
      return true
    },
  }
}
