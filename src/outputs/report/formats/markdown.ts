// The report as CommonMark with tables.
import {
  limitRows,
  cellPlainText,
  type ReportBlock,
  type BlockCell,
  type BlockColumn,
  type ReportSection,
} from '../blocks.ts'
import { buildOutline } from '../outline.ts'
import type { Report } from '../schema.ts'

export function renderMarkdown(report: Report): string {
  const { title, lead, sections } = buildOutline(report)
  return `${[`# ${escaped(title)}`, ...lead.map(escaped), ...sections.map(sectionText)].join('\n\n')}\n`
}

const sectionText = ({ title, blocks }: ReportSection): string =>
  [`## ${escaped(title)}`, ...blocks.map(blockText)].join('\n\n')

function blockText(block: ReportBlock): string {
  if (block.kind === 'text') return escaped(block.text)
  const { columns } = block
  const { rows, rest } = limitRows(block)
  const lines = [
    row(columns.map(({ title }) => escaped(title))),
    row(columns.map(ruleOf)),
    ...rows.map((cells) => row(cells.map(cellText))),
  ]
  return [lines.join('\n'), ...(rest === undefined ? [] : [rest])].join('\n\n')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const ruleOf = ({ align }: BlockColumn): string => (align === 'right' ? '--:' : '---')

/** Width of a full bar, characters. */
const BAR_WIDTH = 20

const cellText = (cell: BlockCell): string =>
  escaped(cellPlainText(cell, (share) => '█'.repeat(Math.round(BAR_WIDTH * share))))

/** Escapes everything that is markup in CommonMark or its tables: with a backslash, HTML as entities. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll(/(https?):/gi, '$1&#58;')
