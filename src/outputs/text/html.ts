// Every value is escaped, unless it is markup itself.

declare const markup: unique symbol
/** All values are escaped: made by `html` only. */
export type Html = Readonly<{ text: string; [markup]: true }>

/** Undefined and false are nothing, a list its items. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#39',
}

/** Safe in text and in quoted attributes only. */
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&${ESCAPES[character]};`)

/** The template is markup, its values are escaped. Attribute values must be in quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const isInAttribute = attributeParts(strings)
  let text = strings[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) {
    const escape = isInAttribute[index] === true ? escapeHtml : escapeText
    text += partText(parts[index], escape) + (strings[index + 1] ?? '')
  }
  return { text } as Html
}

function partText(part: HtmlPart, escape: (text: string) => string): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return escape(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map((item) => partText(item, escape)).join('') : part.text
}

/** Text gets no-break spaces; attributes do not, because forms send their values. */
const escapeText = (text: string) => escapeHtml(withNoBreakSpaces(text))

const attributePartsByTemplate = new WeakMap<TemplateStringsArray, readonly boolean[]>()

/** Whether each value is inside an attribute. */
function attributeParts(strings: TemplateStringsArray): readonly boolean[] {
  const parts =
    attributePartsByTemplate.get(strings) ??
    strings.map((_, index) => OPEN_ATTRIBUTE.test(strings.slice(0, index + 1).join('')))
  attributePartsByTemplate.set(strings, parts)
  return parts
}

const OPEN_ATTRIBUTE = /="[^"]*$/
/** Splits a template. Escaped text cannot contain it. */
export const SLOT = { text: '<!---->' } as Html

/** Without a slot all is before. */
export function splitAtSlot({ text }: Html): readonly [before: Html, after: Html] {
  const [before = '', after = ''] = text.split(SLOT.text)
  return [{ text: before } as Html, { text: after } as Html]
}

/** Breaks after each `_`: names of settings are wider than a cell. */
export const breakable = (text: string): Html =>
  html`${text.split(/(?<=_)/).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`

const isList = (part: Html | readonly HtmlPart[]): part is readonly HtmlPart[] => Array.isArray(part)

/** A number before its unit; currencies are three capitals. Not amounts of millions: in a narrow figure they would break inside the currency. */
const NUMBER_AND_UNIT = /(?<![\d.,]{11})(\d) (?=(?:%|s|min|h|d|kB|MB|GB|CU|CU-hours|[A-Z]{3})(?![\w-]))/g
export const withNoBreakSpaces = (text: string): string => text.replaceAll(NUMBER_AND_UNIT, '$1\u00A0')
