// Names that others chose, made fit to be shown: nothing in them steers a terminal or turns the text around them.

/** Controls, line breaks, and what changes the direction of the text that follows. */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
/** Half of a pair, which no encoding can hold. */
const LONE = /\p{Cs}/gu
/** What belongs to the letter before it. */
const JOINS = /^(?:\p{M}|\u200D|\p{Emoji_Modifier}|[\u{E0020}-\u{E007F}])$/u

/** Letters of a name. Doubled, tables are wider than a page. */
const MOST = 48

/** Text with a `?` for each of these. */
export const harmless = (text: string): string => text.replaceAll(STEERING, '?').replaceAll(LONE, '?')

/** At most `most` code points, 48 of a name; a longer text is cut between letters and ends in `…`. */
export function shownName(name: string, most = MOST): string {
  const signs = Array.from(harmless(name))
  if (signs.length <= most) return signs.join('')
  let end = most - 1
  while (end > 0 && (JOINS.test(signs[end] ?? '') || signs[end - 1] === '\u200D')) end -= 1
  return `${signs.slice(0, end).join('')}…`
}

const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF01-\uFF60]$/u

/** Columns of a terminal that a text takes. */
export function widthOf(shown: string): number {
  let width = 0
  for (const sign of shown) if (!JOINS.test(sign)) width += WIDE.test(sign) ? 2 : 1
  return width
}
