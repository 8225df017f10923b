// As JavaScript does, but straight into bytes: a string would cost more than the rest of its line.
import { valueText } from './format.ts'

/** Bytes of -0.0000012345678901234567. */
export const MAX_NUMBER_LENGTH = 25
/** Up to 15 digits are unambiguous: no other decimal as short is nearest to the same number. */
const MAX_EXACT = 1e15
/** Whole numbers below it are divided as 32-bit integers, which is faster. */
const MAX_INT32 = 2 ** 31
const BILLION = 1e9
const MILLION = 1e6
const [ZERO, POINT] = [48, 46]

/**
 * Exactly as `valueText` has it. Most values are counts, money in millionths, or time in milliseconds: decimals with at most 15 digits,
 * which JavaScript writes as they are. All others go through `valueText`. @returns the index after the last byte
 */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  const scale = value < BILLION ? MILLION : 1000
  const scaled = Math.round(value * scale)
  if (!(scaled >= 0 && scaled < MAX_EXACT && scaled / scale === value))
    return writeText(bytes, at, valueText(value))
  const whole = Math.floor(value)
  const end = writeWhole(bytes, at, whole)
  const rest = scaled - whole * scale
  return rest === 0 ? end : writeMillionths(bytes, end, (rest * MILLION) / scale)
}

function writeText(bytes: Uint8Array, at: number, text: string) {
  for (let index = 0; index < text.length; index += 1) bytes[at + index] = text.charCodeAt(index)
  return at + text.length
}

/** `whole` is below 10¹². */
function writeWhole(bytes: Uint8Array, at: number, whole: number) {
  if (whole < MAX_INT32) return writeDigits(bytes, at, whole)
  const billions = Math.floor(whole / BILLION)
  const end = writeDigits(bytes, at, billions)
  // the lower part gets a leading 1 in place of the last digit of the upper part, which is then put back
  const last = writeDigits(bytes, end - 1, BILLION + whole - billions * BILLION)
  bytes[end - 1] = ZERO + (billions % 10)
  return last
}

function writeMillionths(bytes: Uint8Array, at: number, millionths: number) {
  let end = writeDigits(bytes, at, MILLION + millionths)
  bytes[at] = POINT
  while (bytes[end - 1] === ZERO) end -= 1
  return end
}

/** `count` is below 2³¹. */
function writeDigits(bytes: Uint8Array, at: number, count: number) {
  let end = at + 1
  for (let power = 10; power <= count; power *= 10) end += 1
  let value = count | 0
  for (let index = end - 1; index >= at; index -= 1) {
    const rest = (value / 10) | 0
    bytes[index] = ZERO + value - rest * 10
    value = rest
  }
  return end
}
