import type { Socket } from 'node:net'

/** Something a reader made of the bytes so far; `rest` is what it left. */
type Said = { readonly kind: string; readonly rest?: Buffer }

type Pending = { readonly kind: 'more' }

/**
 * Listens until `read` has heard enough, and leaves the stream paused with what it did not take still in it.
 *
 * @returns undefined when the stream ended or was closed before that
 */
export function hear<Heard extends Said>(
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
