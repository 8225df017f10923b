// Text of other people, made safe to display: it cannot control a terminal or reorder the text around it.

/** Control characters, line separators and marks that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g
/** Half of a surrogate pair, which no encoding can hold. */
const LONE_SURROGATE = /\p{Cs}/gu

/** Text with a `?` in place of each unsafe character. */
export const sanitize = (text: string): string => text.replaceAll(UNSAFE, '?').replaceAll(LONE_SURROGATE, '?')

/** Text of a whole page, which keeps its line breaks: only marks that change the direction become `?`. */
export const stripBidiControls = (page: string): string => page.replaceAll(BIDI_CONTROLS, '?')
