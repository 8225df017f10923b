// A report as headings, sentences and tables, before any format: each format writes these, and knows nothing of money.
import { harmless } from '../../std/sanitize.ts'
import { computeText } from './compute-name.ts'
import type { Named } from './ownership.ts'

export type Column = { readonly title: string; readonly align: 'left' | 'right' }

/** Plain text, a bar of a share of the longest, or computes: names of several people side by side. */
export type Cell = string | { readonly bar: number } | { readonly computes: readonly Named[] }

/** What a cell says in plain text; a bar is told by whoever draws it. */
export function wordsOf(cell: Cell, ofBar: (share: number) => string): string {
  if (typeof cell === 'string') return cell
  return 'bar' in cell ? ofBar(cell.bar) : cell.computes.map(computeText).join(', ')
}

export type Table = {
  readonly kind: 'table'
  readonly columns: readonly Column[]
  /** Of all rows, told or not. */
  readonly count: number
  /** Made when it is asked for: no format tells those of a large fleet all. */
  readonly row: (index: number) => readonly Cell[]
}

export type Block = { readonly kind: 'text'; readonly text: string } | Table

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

/** Titles that begin with `>` are of columns set right. */
export function table<Item>(
  titles: readonly string[],
  items: readonly Item[],
  row: (item: Item) => readonly Cell[],
): Block {
  return {
    kind: 'table',
    columns: titles.map((title) =>
      title.startsWith('>') ? { title: title.slice(1), align: 'right' } : { title, align: 'left' },
    ),
    count: items.length,
    row: (index) =>
      items
        .slice(index, index + 1)
        .flatMap((item) => row(item))
        .map((cell) => (typeof cell === 'string' ? harmless(cell) : cell)),
  }
}

export type ToldRows = {
  readonly rows: readonly (readonly Cell[])[]
  /** What is not listed; undefined where all is. */
  readonly rest: string | undefined
}

export const toldRows = ({ count, row }: Table, most = MOST): ToldRows => ({
  rows: Array.from({ length: Math.min(count, most) }, (_, index) => row(index)),
  rest: count > most ? `and ${count - most} more` : undefined,
})
