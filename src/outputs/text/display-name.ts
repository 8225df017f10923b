// Names that others chose, made fit to be shown: nothing in them steers a terminal or turns the text around them.
import { sanitize } from '../../std/sanitize.ts'

/** What belongs to the letter before it. */
const JOINS = /^(?:\p{M}|\u200D|\p{Emoji_Modifier}|[\u{E0020}-\u{E007F}])$/u

/** Letters of a name. Doubled, tables are wider than a page. */
const MOST = 48

/** At most `most` code points, 48 of a name; a longer text is cut between letters and ends in `…`. */
export function displayName(name: string, most = MOST): string {
  const signs = Array.from(sanitize(name))
  if (signs.length <= most) return signs.join('')
  let end = most - 1
  while (end > 0 && (JOINS.test(signs[end] ?? '') || signs[end - 1] === '\u200D')) end -= 1
  return `${signs.slice(0, end).join('')}…`
}

const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF01-\uFF60]$/u

/** Columns of a terminal that a text takes. */
export function displayWidth(shown: string): number {
  let width = 0
  for (const sign of shown) if (!JOINS.test(sign)) width += WIDE.test(sign) ? 2 : 1
  return width
}
