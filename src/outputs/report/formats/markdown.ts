// The report as CommonMark with tables.
import { toldRows, wordsOf, type Block, type Cell, type Column, type Section } from '../blocks.ts'
import { pageOf } from '../outline.ts'
import type { Report } from '../schema.ts'

export function markdownOf(report: Report): string {
  const { title, lead, sections } = pageOf(report)
  return `${[`# ${escaped(title)}`, ...lead.map(escaped), ...sections.map(sectionText)].join('\n\n')}\n`
}

const sectionText = ({ title, blocks }: Section): string =>
  [`## ${escaped(title)}`, ...blocks.map(blockText)].join('\n\n')

function blockText(block: Block): string {
  if (block.kind === 'text') return escaped(block.text)
  const { columns } = block
  const { rows, rest } = toldRows(block)
  const lines = [
    row(columns.map(({ title }) => escaped(title))),
    row(columns.map(ruleOf)),
    ...rows.map((cells) => row(cells.map(cellText))),
  ]
  return [lines.join('\n'), ...(rest === undefined ? [] : [rest])].join('\n\n')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const ruleOf = ({ align }: Column): string => (align === 'right' ? '--:' : '---')

const BAR = 20

const cellText = (cell: Cell): string =>
  escaped(wordsOf(cell, (share) => '█'.repeat(Math.round(BAR * share))))

/** Nothing in a text is markup: every sign that CommonMark or a table knows is written with a backslash, HTML as entities. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll(/(https?):/gi, '$1&#58;')
