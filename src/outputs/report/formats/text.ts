import {
  limitRows,
  cellPlainText,
  type ReportBlock,
  type BlockCell,
  type ItemBlock,
  type TableBlock,
  type LimitedRows,
  type ReportOutline,
} from '../blocks.ts'
import { sumOf } from '../../../std/sum.ts'
import { displayWidth } from '../../text/display-name.ts'

/** Mail programs show these columns without wrapping. */
const WIDTH = 78
const GAP = '  '

export function renderText({ title, lead, sections }: ReportOutline): string {
  const parts = [
    underlined(title, '='),
    ...lead.map((words) => wrapped(words, WIDTH).join('\n')),
    ...sections.flatMap((section) => [underlined(section.title, '-'), ...section.blocks.map(blockText)]),
  ]
  return `${parts.join('\n\n')}\n`
}

function underlined(title: string, line: string) {
  const lines = wrapped(title, WIDTH)
  return [...lines, line.repeat(Math.max(...lines.map(displayWidth)))].join('\n')
}

function blockText(block: ReportBlock) {
  if (block.kind === 'text') return wrapped(block.text, WIDTH).join('\n')
  return block.kind === 'item' ? itemText(block) : tableText(block, limitRows(block))
}

/** Commands stay on one line, so that they can be copied. */
function itemText({ title, lines, code }: ItemBlock) {
  const listed = lines.flatMap((words) =>
    wrapped(words, WIDTH - 4).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
  )
  return [...wrapped(title, WIDTH), ...listed, ...code.map((line) => `    ${line}`)].join('\n')
}

export function tableText({ columns }: Pick<TableBlock, 'columns'>, { rows, rest }: LimitedRows): string {
  const cells = rows.map((row) => row.map(cellText))
  const widths = widthsOf(columns, cells)
  const lines = [columns.map(({ title }) => title), ...cells].flatMap((row) => rowLines(row, columns, widths))
  return [...lines, ...rest].join('\n')
}

const BAR_WIDTH = 20
const cellText = (cell: BlockCell) =>
  cellPlainText(cell, (share) => '#'.repeat(Math.round(BAR_WIDTH * share)))

type Columns = TableBlock['columns']
type TextRow = readonly string[]

/** Where the table is too wide, the widest text column shrinks until it fits; numbers keep their width. */
function widthsOf(columns: Columns, rows: readonly TextRow[]): readonly number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(...title.split(' ').map(displayWidth), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  )
  const available = WIDTH - GAP.length * (columns.length - 1)
  for (let excess = sumOf(widths, Number) - available; excess > 0; excess -= 1) {
    const widest = columns.reduce(
      (candidate, { align }, index) =>
        align === 'left' && (widths[index] ?? 0) > (widths[candidate] ?? 0) ? index : candidate,
      columns.findIndex(({ align }) => align === 'left'),
    )
    widths[widest] = Math.max(1, (widths[widest] ?? 0) - 1)
  }
  return widths
}

function rowLines(row: TextRow, columns: Columns, widths: readonly number[]) {
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

function wrapped(words: string, width: number) {
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

function splitWord(word: string, width: number) {
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
