// A report as headings, sentences and tables, before any format: each format writes these, and knows nothing of money.
import { harmless } from './names.ts'

export type Column = { readonly title: string; readonly align: 'left' | 'right' }

/** Plain text, or a bar of a share of the longest. */
export type Cell = string | { readonly bar: number }

export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'table'
      readonly columns: readonly Column[]
      readonly rows: readonly (readonly Cell[])[]
      /** What is not listed; undefined where all is. */
      readonly rest: string | undefined
    }

export type Section = {
  /** Names it for good, in links and tests. */
  readonly id: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Page = {
  readonly title: string
  readonly lead: readonly string[]
  readonly sections: readonly Section[]
}

export const text = (words: string): Block => ({ kind: 'text', text: harmless(words) })

/** Rows of a table. Doubled, a mail with names of 200 characters is clipped by some clients. */
const MOST = 20

/** Titles that begin with `>` are of columns set right. At most 20 rows are told. */
export function table<Item>(
  titles: readonly string[],
  items: readonly Item[],
  row: (item: Item) => readonly Cell[],
): Block {
  const left = items.length - MOST
  return {
    kind: 'table',
    columns: titles.map((title) =>
      title.startsWith('>') ? { title: title.slice(1), align: 'right' } : { title, align: 'left' },
    ),
    rows: items
      .slice(0, MOST)
      .map((item) => row(item).map((cell) => (typeof cell === 'string' ? harmless(cell) : cell))),
    rest: left > 0 ? `and ${left} more` : undefined,
  }
}
