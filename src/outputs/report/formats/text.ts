// The report as plain text of 78 columns: for terminals, and beside the HTML of a mail.
import {
  limitRows,
  cellPlainText,
  type ReportBlock,
  type BlockCell,
  type BlockColumn,
  type TableBlock,
  type LimitedRows,
} from '../blocks.ts'
import { displayWidth } from '../../text/display-name.ts'
import { buildOutline } from '../outline.ts'
import type { Report } from '../schema.ts'

/** Columns that mail programs show without wrapping. */
const WIDTH = 78
const GAP = '  '

export function renderText(report: Report): string {
  const { title, lead, sections } = buildOutline(report)
  const parts = [
    underlined(title, '='),
    ...lead.map((words) => wrapped(words, WIDTH).join('\n')),
    ...sections.map((section) =>
      [underlined(section.title, '-'), ...section.blocks.map((block) => blockText(block))].join('\n\n'),
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

function underlined(title: string, line: string): string {
  const lines = wrapped(title, WIDTH)
  return [...lines, line.repeat(Math.max(...lines.map(displayWidth)))].join('\n')
}

const blockText = (block: ReportBlock): string =>
  block.kind === 'text' ? wrapped(block.text, WIDTH).join('\n') : tableText(block, limitRows(block))

/** Lines of at most 78 columns. */
export function tableText({ columns }: Pick<TableBlock, 'columns'>, { rows, rest }: LimitedRows): string {
  const heads = columns.map(({ title }) => title)
  const cells = rows.map((row) => row.map(cellText))
  const widths = widthsOf(columns, heads, cells)
  const lines = [heads, ...cells].flatMap((row) => rowLines(row, columns, widths))
  return [...lines, ...(rest === undefined ? [] : [rest])].join('\n')
}

/** Width of a full bar, characters. */
const BAR_WIDTH = 20
const cellText = (cell: BlockCell): string =>
  cellPlainText(cell, (share) => '#'.repeat(Math.round(BAR_WIDTH * share)))

/** Width of each column. Where the table is too wide, the widest text column shrinks until it fits; numbers keep their width. */
function widthsOf(
  columns: readonly BlockColumn[],
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): readonly number[] {
  const widths = columns.map((_, index) =>
    Math.max(longestWord(heads[index] ?? ''), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  )
  const available = WIDTH - GAP.length * (columns.length - 1)
  for (let excess = sum(widths) - available; excess > 0; excess -= 1) {
    const widest = columns.reduce(
      (candidate, { align }, index) =>
        align === 'left' && (widths[index] ?? 0) > (widths[candidate] ?? 0) ? index : candidate,
      columns.findIndex(({ align }) => align === 'left'),
    )
    widths[widest] = Math.max(1, (widths[widest] ?? 0) - 1)
  }
  return widths
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const longestWord = (words: string): number => Math.max(...words.split(' ').map(displayWidth))

function rowLines(
  row: readonly string[],
  columns: readonly BlockColumn[],
  widths: readonly number[],
): readonly string[] {
  const cells = row.map((cell, index) => wrapped(cell, widths[index] ?? 0))
  const height = Math.max(1, ...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, index) => {
        const part = lines[line] ?? ''
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(part)))
        return columns[index]?.align === 'right' ? space + part : part + space
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** Breaks lines between words, and inside words that are wider than a line. */
function wrapped(words: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of words.split(' ').flatMap((part) => splitWord(part, width))) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function splitWord(word: string, width: number): readonly string[] {
  if (displayWidth(word) <= width) return [word]
  const parts: string[] = []
  let part = ''
  for (const character of word) {
    if (part !== '' && displayWidth(part + character) > width) {
      parts.push(part)
      part = ''
    }
    part += character
  }
  return [...parts, part]
}
