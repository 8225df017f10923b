// A client's first packet, and what it sends while it waits.
import type { Socket } from 'node:net'

/** `rest`: unused bytes. */
type Packet = Readonly<{ kind: string; rest?: Buffer }>

type Incomplete = { readonly kind: 'more' }

/** Collects bytes until `read` returns a packet; undefined at the end of the stream. Pauses it, unused bytes included. */
export function readFirstPacket<Result extends Packet>(
  stream: Socket,
  read: (bytes: Buffer) => Result | Incomplete,
): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<Result | undefined>()
  let received: Buffer = Buffer.alloc(0)
  const stopListening = () => stream.off('data', receive).off('end', end).off('close', end).pause()
  const end = () => {
    stopListening()
    resolve(undefined)
  }
  const receive = (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const packet = read(received)
    if (isIncomplete(packet)) return
    stopListening()
    if (packet.rest && packet.rest.length > 0) stream.unshift(packet.rest)
    resolve(packet)
  }
  stream.on('data', receive).on('end', end).on('close', end)
  if (stream.destroyed) end()
  else stream.resume()
  return promise
}

const isIncomplete = (packet: Packet | Incomplete): packet is Incomplete => packet.kind === 'more'

/** Bytes: until it is asked for a password, a client has nothing to send. */
const MAX_BUFFERED = 65_536

type CloseWatch = {
  readonly disconnected: AbortSignal
  /** Leaves the stream paused, with all bytes received; false after a disconnect. */
  release(): boolean
}

/** A stream that is paused instead would not show that its client disconnects. */
export function watchClose(stream: Socket): CloseWatch {
  const controller = new AbortController()
  const buffered: Buffer[] = []
  const abort = () => controller.abort()
  const receive = (chunk: Buffer) => {
    buffered.push(chunk)
    if (buffered.reduce((sum, { length }) => sum + length, 0) > MAX_BUFFERED) stream.pause()
  }
  stream.on('data', receive).once('end', abort).once('close', abort).resume()
  return {
    disconnected: controller.signal,
    release: () => {
      stream.off('data', receive).off('end', abort).off('close', abort).pause()
      if (controller.signal.aborted || stream.destroyed) return false
      if (buffered.length > 0) stream.unshift(Buffer.concat(buffered))
      return true
    },
  }
}
