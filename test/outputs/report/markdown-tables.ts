// Tables and texts of a Markdown report, as a reader takes them in: knows nothing of the writer.
import { expect } from 'vitest'

export type MarkdownTable = readonly Readonly<Record<string, string>>[]

/** By the heading they are under; rows by the titles of their columns. */
export type MarkdownReport = {
  readonly tables: Readonly<Record<string, readonly MarkdownTable[]>>
  /** Everything else, by heading; what comes before the first is under ''. */
  readonly texts: Readonly<Record<string, string>>
}

export function readMarkdown(text: string): MarkdownReport {
  const tables: Record<string, MarkdownTable[]> = {}
  const texts: Record<string, string> = {}
  let heading = ''
  for (const block of text.split(/\n{2,}/)) {
    if (block.startsWith('## ')) heading = plain(block.slice(3))
    else if (block.startsWith('|')) (tables[heading] ??= []).push(tableOf(block))
    else texts[heading] = `${texts[heading] ?? ''}${plain(block)}\n`
  }
  return { tables, texts }
}

function tableOf(block: string): MarkdownTable {
  const [heads = [], , ...rows] = block.trim().split('\n').map(cellsOf)
  return rows.map((cells) => Object.fromEntries(heads.map((head, index) => [head, cells[index] ?? ''])))
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => plain(cell.trim()))

const plain = (text: string): string =>
  text.replaceAll(/\\(.)/g, '$1').replaceAll('&lt;', '<').replaceAll('&amp;', '&').trim()

/** `1.21 USD`, `+0.93 USD`, `42.4 h`, `25 %`, `210`, as numbers of units, hours, shares and things, with half of the last place that is told. */
function amountIn(cell: string): { readonly value: number; readonly give: number } {
  const [, small, sign = '', whole = '', places = '', unit = ''] =
    /^([<>]?)([+-]?)(\d+)(?:\.(\d+))?(?: (USD|cents|h|%|min|s))?$/.exec(cell.replaceAll(',', '')) ?? []
  if (whole === '') throw new Error(`${cell} is no amount`)
  const scale = SCALES[unit] ?? 1
  const value = Number(`${sign}${whole}.${places || '0'}`) * scale
  // a smaller amount than the last place
  if (small) return { value: value / 2, give: Math.abs(value) / 2 }
  return { value, give: (0.5 * scale) / 10 ** places.length + 1e-9 }
}

const SCALES: Readonly<Record<string, number>> = { '%': 0.01, cents: 0.01, min: 1 / 60, s: 1 / 3600 }

/** As many rows, and in each column that is named the same text, or the same number as far as it is told. */
export function expectTable(
  table: MarkdownTable,
  rows: readonly Readonly<Record<string, string | number>>[],
): void {
  expect(table).toHaveLength(rows.length)
  expect(rows.length).toBeGreaterThan(0)
  for (const [index, row] of rows.entries())
    for (const [column, wanted] of Object.entries(row)) {
      const cell = table[index]?.[column] ?? ''
      if (typeof wanted === 'string') expect(cell).toBe(wanted)
      else expect([column, cell, isTold(cell, wanted)]).toEqual([column, cell, true])
    }
}

function isTold(cell: string, wanted: number): boolean {
  const { value, give } = amountIn(cell)
  return Math.abs(value - wanted) <= give
}

/** Amounts of a text that are no number of a report: of money in millionths or units, of time in seconds, of shares. */
export function strayAmounts(text: string, report: unknown): readonly string[] {
  const known = numbersIn(report)
  const amounts = text.match(/\d[\d,]*(?:\.\d+)? (?:USD|h|min|s|%)(?![a-z])/g) ?? []
  return amounts.filter((amount) => {
    const scale = amount.endsWith('USD') ? 1e6 : amount.endsWith('%') ? 1 : 3600
    return !known.some((number) => isTold(amount, number / scale) || isTold(amount, number))
  })
}

const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [Math.abs(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
