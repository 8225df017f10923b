// Parser and writer of a Postgres client's first packet. Bytes only, no sockets.

/** First packet of a client. `rest` are bytes that came after the packet. */
export type Startup =
  /** Request for encryption; the client waits for an answer of one byte. */
  | { readonly kind: 'encryption'; readonly by: 'tls' | 'gss'; readonly rest: Buffer }
  /** TLS without a request before (`sslnegotiation=direct`); `rest` holds all bytes. */
  | { readonly kind: 'direct-tls'; readonly rest: Buffer }
  /** Request to cancel a query; `packet` is to be passed on unchanged. */
  | { readonly kind: 'cancel'; readonly packet: Buffer; readonly rest: Buffer }
  | {
      readonly kind: 'startup'
      readonly version: number
      /** Parameter name → value, in the order sent. */
      readonly parameters: ReadonlyMap<string, string>
      readonly rest: Buffer
    }
  | { readonly kind: 'garbage'; readonly because: string }

/** Longest packet, bytes: the bound of Postgres. */
const MAX_PACKET_LENGTH = 10_000

/** Codes in the place of a protocol version. */
const CANCEL = 80_877_102
const SSL = 80_877_103
const GSS = 80_877_104

/** First byte of TLS. As the first byte of a length it would mean a packet of 369 MB. */
const TLS_HANDSHAKE = 22

/** Parses the packet at the beginning of `bytes`; `more` when it is not complete. Never throws, whatever the bytes are. */
export function readStartup(bytes: Buffer): Startup | { readonly kind: 'more' } {
  if (bytes[0] === TLS_HANDSHAKE) return { kind: 'direct-tls', rest: bytes }
  if (bytes.length < 4) return { kind: 'more' }
  const length = bytes.readInt32BE(0)
  if (length < 8 || length > MAX_PACKET_LENGTH)
    return { kind: 'garbage', because: 'invalid length of startup packet' }
  if (bytes.length < length) return { kind: 'more' }
  return readPacket(bytes.subarray(0, length), bytes.subarray(length))
}

function readPacket(packet: Buffer, rest: Buffer): Startup {
  const code = packet.readInt32BE(4)
  if (code === SSL || code === GSS) return { kind: 'encryption', by: code === SSL ? 'tls' : 'gss', rest }
  if (code === CANCEL) return { kind: 'cancel', packet, rest }
  if (code >>> 16 !== 3) return { kind: 'garbage', because: `unsupported frontend protocol ${code >>> 16}` }
  const parameters = readParameters(packet.subarray(8))
  if (!parameters) return { kind: 'garbage', because: 'invalid startup packet layout' }
  return { kind: 'startup', version: code, parameters, rest }
}

/** Parses names and values in turn, each ended by a zero byte, then one more zero byte; undefined for another layout. */
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

/** Packet by which a client requests TLS. */
export const TLS_REQUEST = [0, 0, 0, 8, 4, 210, 22, 47] as const

/** The start-up packet of a client with these parameters. */
export function writeStartup(version: number, parameters: ReadonlyMap<string, string>): Buffer {
  const texts = [...parameters].flatMap(([name, value]) => [`${name}\0`, `${value}\0`])
  const body = Buffer.from(`${texts.join('')}\0`, 'utf8')
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8, 0)
  head.writeInt32BE(version, 4)
  return Buffer.concat([head, body])
}

/** Error message of a server: severity FATAL, an SQLSTATE and a text. */
export function writeError(code: string, message: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${message.replaceAll('\0', ' ')}`]
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`, 'utf8')
  const head = Buffer.alloc(5)
  head.write('E', 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
