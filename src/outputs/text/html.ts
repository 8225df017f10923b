// HTML and SVG as text in which every value is escaped, unless it is markup itself.
import { withNoBreakSpaces } from './no-break.ts'

declare const markup: unique symbol
/** Markup in which nothing can be but what this program wrote: made by `html` only. */
export type Html = { readonly text: string; readonly [markup]: true }

/** Nothing is shown of undefined and false; a list is shown one after the other. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Fit for text and for attributes in quotes, and for nothing else: names come from outside, whoever makes them up. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? '')

/** The tag of a template whose own text is markup. Attributes are to be in quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const quoted = quotedIn(strings)
  let text = strings[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) {
    const words = quoted[index] === true ? escaped : textOf
    text += partText(parts[index], words) + (strings[index + 1] ?? '')
  }
  return { text } as Html
}

function partText(part: HtmlPart, words: (text: string) => string): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string') return words(part)
  if (typeof part === 'number') return String(part)
  return isList(part) ? part.map((one) => partText(one, words)).join('') : part.text
}

/** What an attribute says is not shown, and forms send it: it stays as it is. */
const textOf = (text: string): string => escaped(withNoBreakSpaces(text))

const known = new WeakMap<TemplateStringsArray, readonly boolean[]>()

/** Of each part of a template, whether it is inside an attribute. */
function quotedIn(strings: TemplateStringsArray): readonly boolean[] {
  const found =
    known.get(strings) ?? strings.map((_, index) => OPEN.test(strings.slice(0, index + 1).join('')))
  known.set(strings, found)
  return found
}

const OPEN = /="[^"]*$/

/** Where something is put in afterwards: no text of others can be it. */
export const SLOT = { text: '<!---->' } as Html

/** What is before the gap, and what is after it: nothing where there is none. */
export function splitAtSlot({ text }: Html): readonly [before: Html, after: Html] {
  const [before = '', after = ''] = text.split(SLOT.text)
  return [{ text: before } as Html, { text: after } as Html]
}

/** Text that may be broken after each `_`: names of settings are longer than a cell. */
export const breakable = (text: string): Html =>
  html`${text.split(/(?<=_)/).map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`

const isList = (part: Html | readonly HtmlPart[]): part is readonly HtmlPart[] => Array.isArray(part)
