// Text of other people, safe to display: it cannot control a terminal or reorder the text around it.

/** Control characters, line separators, marks that change the direction. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g
/** Half of a surrogate pair, which no encoding holds. */
const LONE_SURROGATE = /\p{Cs}/gu

/** A `?` for each unsafe character. */
export const sanitize = (text: string): string => text.replaceAll(UNSAFE, '?').replaceAll(LONE_SURROGATE, '?')

/** Keeps line breaks: only marks that change the direction become `?`. */
export const stripBidiControls = (page: string): string => page.replaceAll(BIDI_CONTROLS, '?')

/** `&`, `<` and `>` as entities. */
export const escapeEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
