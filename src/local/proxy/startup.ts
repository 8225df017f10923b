// Parser and writer of a Postgres client's first packet.

/** `rest`: bytes after the packet. */
export type Startup =
  /** The client waits for one byte. */
  | Readonly<{ kind: 'encryption'; by: 'tls' | 'gss'; rest: Buffer }>
  /** Without a request (`sslnegotiation=direct`); `rest` holds all bytes. */
  | Readonly<{ kind: 'direct-tls'; rest: Buffer }>
  /** `packet` is passed on unchanged. */
  | Readonly<{ kind: 'cancel'; packet: Buffer; rest: Buffer }>
  | Readonly<{
      kind: 'startup'
      version: number
      /** Name → value, in the order sent. */
      parameters: ReadonlyMap<string, string>
      rest: Buffer
    }>
  | Readonly<{ kind: 'garbage'; because: string }>

/** Bytes, as in Postgres. */
const MAX_PACKET_LENGTH = 10_000

/** Codes in the place of a protocol version. */
const CANCEL = 80_877_102
const SSL = 80_877_103
const GSS = 80_877_104

/** First byte of TLS; of a length it would mean 369 MB. */
const TLS_HANDSHAKE = 22

/** `more` when the packet is incomplete. Never throws. */
export function readStartup(bytes: Buffer): Startup | { readonly kind: 'more' } {
  if (bytes[0] === TLS_HANDSHAKE) return { kind: 'direct-tls', rest: bytes }
  if (bytes.length < 4) return { kind: 'more' }
  const length = bytes.readInt32BE(0)
  if (length < 8 || length > MAX_PACKET_LENGTH) return invalidStartup('invalid length of startup packet')
  if (bytes.length < length) return { kind: 'more' }
  return readPacket(bytes.subarray(0, length), bytes.subarray(length))
}

export const invalidStartup = (because: string) => ({ kind: 'garbage', because }) as const

function readPacket(packet: Buffer, rest: Buffer): Startup {
  const code = packet.readInt32BE(4)
  if (code === SSL || code === GSS) return { kind: 'encryption', by: code === SSL ? 'tls' : 'gss', rest }
  if (code === CANCEL) return { kind: 'cancel', packet, rest }
  if (code >>> 16 !== 3) return invalidStartup(`unsupported frontend protocol ${code >>> 16}`)
  const parameters = readParameters(packet.subarray(8))
  if (!parameters) return invalidStartup('invalid startup packet layout')
  return { kind: 'startup', version: code, parameters, rest }
}

/** Names and values in turn, each ended by a zero byte, then another; undefined for another layout. */
function readParameters(body: Buffer): Map<string, string> | undefined {
  if (body.at(-1) !== 0) return undefined
  const texts = body.subarray(0, -1).toString('utf8').split('\0')
  const last = texts.pop()
  if (last !== '' || texts.length % 2 !== 0) return undefined
  const parameters = new Map<string, string>()
  for (let at = 0; at < texts.length; at += 2) {
    const name = texts[at]
    if (!name) return undefined
    parameters.set(name, texts[at + 1] ?? '')
  }
  return parameters
}

export const TLS_REQUEST = [0, 0, 0, 8, 4, 210, 22, 47] as const

export function writeStartup(version: number, parameters: ReadonlyMap<string, string>): Buffer {
  const texts = [...parameters].flatMap(([name, value]) => [`${name}\0`, `${value}\0`])
  const body = Buffer.from(`${texts.join('')}\0`, 'utf8')
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(version, 4)
  return Buffer.concat([head, body])
}

/** Severity FATAL, an SQLSTATE and a text. */
export function writeError(code: string, message: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${message.replaceAll('\0', ' ')}`]
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`, 'utf8')
  const head = Buffer.alloc(5)
  head.write('E', 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
