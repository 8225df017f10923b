// Text of other people, safe to display: it cannot control a terminal or reorder the text around it.

/** Characters that are safe in one place only, each with the place: joiners in emoji and in scripts that need them, tags behind a flag. */
const MISPLACED = [
  String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F[[\p{L}\p{M}]--\p{Script=Latin}--\p{Default_Ignorable_Code_Point}]])\p{Join_Control}`,
  String.raw`(?<![\p{L}\p{M}\p{N}\p{P}\p{S}])[\uFE00-\uFE0F]`,
  String.raw`(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0020}-\u{E007F}]`,
]
/** Control characters, line separators, marks that change the direction, and all that is invisible: what looks the same is to be the same. */
const UNSAFE = new RegExp(
  [
    ...MISPLACED,
    String.raw`[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--\p{Join_Control}--[\uFE00-\uFE0F]--[\u{E0020}-\u{E007F}]]`,
  ].join('|'),
  'gv',
)
const BIDI_CONTROLS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g
/** Half of a surrogate pair, which no encoding holds. */
const LONE_SURROGATE = /\p{Cs}/gu

/** A `?` for each unsafe character. */
export const sanitize = (text: string): string => text.replaceAll(UNSAFE, '?').replaceAll(LONE_SURROGATE, '?')

/**
 * Text of several lines for a terminal: `\u001b` for each unsafe character but line feed, tab and the end of a line in CSV. Within JSON the
 * value stays the same.
 */
export const terminalText = (text: string): string =>
  text
    .replaceAll(UNSAFE, (character, at: number) => {
      const isKept =
        character === '\n' ||
        character === '\t' ||
        (character === '\r' && /^\r(\n|$)/.test(text.slice(at, at + 2)))
      return isKept ? character : unitsText(character)
    })
    .replaceAll(LONE_SURROGATE, unitsText)

/** `\u202e`, for a character of two units both. */
const unitsText = (character: string) =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('')

/** Keeps line breaks: only marks that change the direction become `?`. */
export const stripBidiControls = (page: string): string => page.replaceAll(BIDI_CONTROLS, '?')

/** At most `most` units, never half of a pair; what was cut ends in `…`. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** No address in it becomes a link in a mail program, a chat or a Markdown reader: `https[:]//example.com`. */
export const unlinked = (text: string): string =>
  text.replaceAll('://', '[:]//').replaceAll(/\bwww\./gi, 'www[.]')

/** `&`, `<` and `>` as entities. */
export const escapeEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * A block in which Slack and compatible chats find no link, mention, image or markup; of at most `most` characters.
 * Source: Slack, "Formatting text for app surfaces".
 */
export const preformatted = (text: string, most: number): string =>
  `\`\`\`\n${cutText(escapeEntities(text).replaceAll('`', "'"), most - FENCES)}\n\`\`\``

/** Characters around a block. */
const FENCES = 8
