// The selectors in a query: enough of PromQL for the lint rules.
export type Selector = {
  readonly name: string
  /** As written, without the braces; undefined where there are none. */
  readonly matchers: string | undefined
  /** As written, without the brackets; undefined where it is no range. */
  readonly range: string | undefined
  /** The function or aggregation whose only argument it is. */
  readonly within: string | undefined
}

/** Keywords of PromQL before label names. */
const LABELLED = /\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g
const WORDS = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'by',
  'on',
  'without',
  'ignoring',
  'group_left',
  'inf',
  'nan',
])
const SELECTOR =
  /(?:\b(?<within>\w+)\()?\b(?<name>[a-z_:][\w:]*)(?:\{(?<matchers>[^}]*)\})?(?:\[(?<range>[^\]:]+)\])?(?!\s*\(|[\w:])/dgi

export const selectorsOf = (query: string): readonly Selector[] =>
  [...masked(query).matchAll(SELECTOR)].flatMap(({ indices }) => {
    const of = (group: string): string | undefined => {
      const found = indices?.groups?.[group]
      return found && query.slice(...found)
    }
    const name = of('name') ?? ''
    return WORDS.has(name)
      ? []
      : [{ name, matchers: of('matchers'), range: of('range'), within: of('within') }]
  })

/** Replaces strings, labels and variables by blanks of the same length, so that positions stay. */
const masked = (query: string): string =>
  [/"[^"]*"/g, LABELLED, /\$\w+/g].reduce(
    (text, pattern) => text.replaceAll(pattern, (found) => ' '.repeat(found.length)),
    query,
  )
