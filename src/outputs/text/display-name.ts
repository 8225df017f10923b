import { sanitize } from '../../std/sanitize.ts'

/** Combine with the character before. */
const JOINS = /^(?:\p{M}|\u200D|\p{Emoji_Modifier}|[\u{E0020}-\u{E007F}])$/u
/** A table with longer names is wider than a page. */
const MAX_LENGTH = 48

/** Beyond `maxLength` code points it is cut between characters and ends in `…`. */
export function displayName(name: string, maxLength = MAX_LENGTH): string {
  const characters = Array.from(sanitize(name))
  if (characters.length <= maxLength) return characters.join('')
  let end = maxLength - 1
  while (end > 0 && (JOINS.test(characters[end] ?? '') || characters[end - 1] === '\u200D')) end -= 1
  return `${characters.slice(0, end).join('')}…`
}

const WIDE =
  /^[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF01-\uFF60]$/u

export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) if (!JOINS.test(character)) width += WIDE.test(character) ? 2 : 1
  return width
}
