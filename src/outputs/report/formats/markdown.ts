import { limitRows, cellPlainText, type ReportBlock, type BlockCell, type ReportOutline } from '../blocks.ts'

export function renderMarkdown({ title, lead, sections }: ReportOutline): string {
  const sectionTexts = sections.flatMap((section) => [
    `## ${escaped(section.title)}`,
    ...section.blocks.map(blockText),
  ])
  return `${[`# ${escaped(title)}`, ...lead.map(escaped), ...sectionTexts].join('\n\n')}\n`
}

function blockText(block: ReportBlock) {
  if (block.kind === 'text') return escaped(block.text)
  const { rows, rest } = limitRows(block)
  const lines = [
    row(block.columns.map(({ title }) => escaped(title))),
    row(block.columns.map(({ align }) => (align === 'right' ? '--:' : '---'))),
    ...rows.map((cells) => row(cells.map(cellText))),
  ]
  return [lines.join('\n'), ...rest].join('\n\n')
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const BAR_WIDTH = 20

const cellText = (cell: BlockCell) =>
  escaped(cellPlainText(cell, (share) => '█'.repeat(Math.round(BAR_WIDTH * share))))

/** With a backslash, HTML as entities. */
const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|~#]/g, '\\$&')
    .replaceAll(/(https?):/gi, '$1&#58;')
