// Parser of a TLS client's first message (RFC 8446, 4.1.2; RFC 6066, 3).

type ClientHello =
  | Readonly<{
      kind: 'hello'
      /** Lower case; undefined from clients of an IP address. */
      serverName: string | undefined
      /** Most wanted first. */
      protocols: readonly string[]
    }>
  | Readonly<{ kind: 'garbage'; because: string }>

/** Bytes: real ones have 200 to 2,000, or more with post-quantum key shares. */
const MAX_MESSAGE_LENGTH = 16_384

/** Records of one message: real ones come in one or two. */
const MAX_RECORDS = 32

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const PROTOCOLS = 16

/** `more` when the message is incomplete. Never throws. */
export function readClientHello(bytes: Buffer): ClientHello | { readonly kind: 'more' } {
  const message = messageIn(bytes)
  if (!Buffer.isBuffer(message)) return message
  const cursor = createCursor(message)
  cursor.take(2 + 32) // version, random
  cursor.vector(1) // session id
  cursor.vector(2) // cipher suites
  cursor.vector(1) // compression methods
  const extensions = extensionsIn(cursor.remaining() === 0 ? NONE : cursor.vector(2))
  if (cursor.remaining() !== 0 || !extensions) return garbage('invalid layout of the TLS greeting')
  return {
    kind: 'hello',
    serverName: serverNameIn(extensions.get(SERVER_NAME) ?? NONE),
    protocols: protocolsIn(extensions.get(PROTOCOLS) ?? NONE),
  }
}

const NONE = Buffer.alloc(0)

const garbage = (because: string): ClientHello => ({ kind: 'garbage', because })

/** Joined from its records. */
function messageIn(bytes: Buffer): Buffer | ReturnType<typeof readClientHello> {
  let payload = Buffer.alloc(0)
  let at = 0
  for (let records = 0; records < MAX_RECORDS; records += 1) {
    const head = bytes.subarray(at, at + 5)
    if (!canBeginRecord(head)) return garbage('no TLS greeting')
    if (head.length < 5) return { kind: 'more' }
    const content = bytes.subarray(at + 5, at + 5 + head.readUInt16BE(3))
    payload = Buffer.concat([payload, content])
    if (payload.length > MAX_MESSAGE_LENGTH) return garbage('the TLS greeting is too long')
    if (payload.length > 0 && payload[0] !== CLIENT_HELLO) return garbage('no TLS greeting')
    const message = wholeMessage(payload)
    if (message) return message
    if (content.length < head.readUInt16BE(3)) return { kind: 'more' }
    at += 5 + content.length
  }
  return garbage('the TLS greeting is in too many pieces')
}

/** Type handshake, version 3.x. */
const canBeginRecord = ([type = HANDSHAKE, version = 3]: Buffer) => type === HANDSHAKE && version === 3

function wholeMessage(payload: Buffer): Buffer | undefined {
  const end = payload.length < 4 ? Infinity : 4 + payload.readUIntBE(1, 3)
  return payload.length < end ? undefined : payload.subarray(4, end)
}

function createCursor(bytes: Buffer) {
  let at = 0
  const take = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  /** 0 beyond the end. */
  const number = (size: number) => {
    const taken = take(size)
    return taken.length < size ? 0 : taken.readUIntBE(0, size)
  }
  return {
    take,
    number,
    /** Begins with its length, a number of `size` bytes. */
    vector: (size: number) => take(number(size)),
    /** Below 0 when more was taken than there is. */
    remaining: () => bytes.length - at,
  }
}

/** Number → content, the first of repeated ones; undefined for a broken layout. */
function extensionsIn(bytes: Buffer): Map<number, Buffer> | undefined {
  const cursor = createCursor(bytes)
  const extensions = new Map<number, Buffer>()
  while (cursor.remaining() > 0) {
    const number = cursor.number(2)
    const content = cursor.vector(2)
    if (!extensions.has(number)) extensions.set(number, content)
  }
  return cursor.remaining() === 0 ? extensions : undefined
}

/** "Host name" is the only type there is. */
function serverNameIn(content: Buffer): string | undefined {
  const cursor = createCursor(content)
  cursor.take(2)
  if (cursor.number(1) !== 0) return undefined
  const name = cursor.vector(2).toString('latin1').toLowerCase()
  return /^[a-z0-9._-]{1,255}$/.test(name) ? name : undefined
}

function protocolsIn(content: Buffer): string[] {
  const list = createCursor(createCursor(content).vector(2))
  const protocols: string[] = []
  while (list.remaining() > 0) protocols.push(list.vector(1).toString('latin1'))
  return protocols
}
