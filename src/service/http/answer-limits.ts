// What one answer may cost: bytes by route, depth and number of the values in its JSON. A small text can be a large value, so both
// are counted before the text is parsed.
import { failed, ok, type Result } from '../../std/result.ts'

const MIB = 2 ** 20

/** By route; several times what full pages need: a project takes 1.5 kB, a compute 1.1 kB, an operation 0.6 kB. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  list_projects: 4 * MIB,
  list_computes: 8 * MIB,
  list_operations: 2 * MIB,
  list_consumption: 8 * MIB,
  list_keys: 4 * MIB,
}
/** Bytes of an answer of any other route, 1 MiB: these answers are one record. */
const MAX_RECORD_BYTES = MIB

export const maxBytesOf = (operation: string): number => MAX_BYTES[operation] ?? MAX_RECORD_BYTES

/** Bytes of an answer that is no success: only its message is used. */
export const MAX_ERROR_BYTES = 65_536

/** Depth of arrays and objects, 32: the deepest answer, consumption, has 9. */
const MAX_DEPTH = 32
/** Values of one answer, 500,000: a full page of consumption has half of that. */
const MAX_VALUES = 500_000

/** Undefined for an empty body. */
export function parseAnswer(text: string): Result<unknown, string> {
  if (text.trim() === '') return ok(undefined)
  const excess = excessOf(text)
  if (excess !== undefined) return failed(`body: ${excess}`)
  try {
    return ok(JSON.parse(text))
  } catch {
    return failed(NOT_JSON)
  }
}

export const NOT_JSON = 'body: not JSON'

const [QUOTE, COMMA, BACKSLASH] = ['"', ',', '\\'].map((letter) => letter.charCodeAt(0))
const [OPEN_ARRAY, CLOSE_ARRAY] = ['[', ']'].map((letter) => letter.charCodeAt(0))
const [OPEN_OBJECT, CLOSE_OBJECT] = ['{', '}'].map((letter) => letter.charCodeAt(0))

/** Which bound `text` exceeds. Of a text that is not JSON the answer means nothing. */
function excessOf(text: string): string | undefined {
  let [depth, values] = [0, 1]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
      continue
    }
    if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1
      values += 1
      if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH}`
    } else if (code === COMMA) values += 1
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`
  }
  return undefined
}

/** Index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const end = text.indexOf('"', from)
    if (end < 0) return text.length
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
    from = end + 1
  }
}
