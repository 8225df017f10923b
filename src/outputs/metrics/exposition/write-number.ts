// A number as JavaScript writes it, straight into bytes: made a text first, it would cost more than all the rest of its line.
import { valueText } from './format.ts'

/** Bytes that a number takes at most: -0.0000012345678901234567. */
export const MAX_NUMBER_LENGTH = 25

/** With more digits than these, another decimal as short may be nearest to the same number. */
const EXACT = 1e15
/** Whole numbers below it are divided faster than others. */
const MOST_WHOLE = 2 ** 31
const BILLION = 1e9
const MILLION = 1e6
const [ZERO, POINT] = [48, 46]

/**
 * Writes `value` into `bytes` at `at`, exactly as `valueText` has it.
 *
 * Most values are counts, money in millionths, or time in milliseconds: the number nearest to such a decimal. While that has
 * 15 digits at most, no other decimal as short is nearest to the same number, so JavaScript writes these digits, too.
 *
 * @returns where it ends
 */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  const scale = value < BILLION ? MILLION : 1000
  const scaled = Math.round(value * scale)
  if (!(scaled >= 0 && scaled < EXACT && scaled / scale === value))
    return writeText(bytes, at, valueText(value))
  const whole = Math.floor(value)
  const end = writeWhole(bytes, at, whole)
  const rest = scaled - whole * scale
  return rest === 0 ? end : writeMillionths(bytes, end, (rest * MILLION) / scale)
}

function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) bytes[at + index] = text.charCodeAt(index)
  return at + text.length
}

/** `whole` is below 10¹². */
function writeWhole(bytes: Uint8Array, at: number, whole: number): number {
  if (whole < MOST_WHOLE) return writeDigits(bytes, at, whole)
  const billions = Math.floor(whole / BILLION)
  const end = writeDigits(bytes, at, billions)
  // a billion more, so that zeros in front are written; its digit makes way for the one that was there
  const last = writeDigits(bytes, end - 1, BILLION + whole - billions * BILLION)
  bytes[end - 1] = ZERO + (billions % 10)
  return last
}

/** What stands behind the point, without zeros at the end. */
function writeMillionths(bytes: Uint8Array, at: number, millionths: number): number {
  let end = writeDigits(bytes, at, MILLION + millionths)
  bytes[at] = POINT
  while (bytes[end - 1] === ZERO) end -= 1
  return end
}

/** `count` is below 2³¹. */
function writeDigits(bytes: Uint8Array, at: number, count: number): number {
  let end = at + 1
  for (let power = 10; power <= count; power *= 10) end += 1
  let left = count | 0
  for (let index = end - 1; index >= at; index -= 1) {
    const rest = (left / 10) | 0
    bytes[index] = ZERO + left - rest * 10
    left = rest
  }
  return end
}
