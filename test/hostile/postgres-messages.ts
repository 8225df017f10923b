// Messages of the Postgres protocol, as a server writes them.

export const int32 = (value: number): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
export const int16 = (value: number): Buffer<ArrayBuffer> => int32(value << 16).subarray(0, 2)
export const text = (value: string): Buffer => Buffer.from(`${value}\0`)

/** A message with its length. */
export const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

export const authentication = (code: number, ...rest: readonly Buffer[]) => message('R', int32(code), ...rest)
export const READY = message('Z', Buffer.from('I'))
export const IN = Buffer.concat([authentication(0), READY])
const JSON_TYPE = 114

export const rowDescription = (names: readonly string[], type = JSON_TYPE) =>
  message(
    'T',
    int16(names.length),
    ...names.map((name) =>
      Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
    ),
  )
export const dataRow = (values: readonly (string | null)[]) =>
  message(
    'D',
    int16(values.length),
    ...values.map((value) =>
      value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
    ),
  )
export const DONE = Buffer.concat([message('C', text('SELECT 1')), READY])
export const failure = (code: string, problem: string) =>
  message('E', text('SFATAL'), text(`C${code}`), text(`M${problem}`), Buffer.from('\0'))
