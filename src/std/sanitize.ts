// Text that others chose, made fit to be shown: nothing in it steers a terminal or turns the text around it.

/** Controls, line breaks, and what changes the direction of the text that follows. */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g
/** Half of a pair, which no encoding can hold. */
const LONE = /\p{Cs}/gu
/** Text with a `?` for each of these. */
export const sanitize = (text: string): string => text.replaceAll(STEERING, '?').replaceAll(LONE, '?')

/** The same of a whole page, which has line breaks of its own: only what changes the direction of text. */
export const stripBidiControls = (page: string): string => page.replaceAll(TURNING, '?')
