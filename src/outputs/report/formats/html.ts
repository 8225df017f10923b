// Only tables and inline styles: mail programs drop scripts, style sheets and SVG.
import { escapeEntities } from '../../../std/sanitize.ts'
import { withNoBreakSpaces } from '../../text/html.ts'
import { limitRows, cellPlainText, type ReportBlock, type BlockCell, type ReportOutline } from '../blocks.ts'
import { percentText } from '../../text/amounts.ts'

const PAGE =
  'font:14px/1.5 sans-serif;color:#1f2328;background:#fff;max-width:760px;margin:0 auto;padding:16px'

const SHADED = ' bgcolor="#f6f8fa"'

export function renderMailHtml({ title, lead: [verdict = '', ...about], sections }: ReportOutline): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>`,
    `<body style="${PAGE}">`,
    `<h1 style="font-size:20px;margin:0 0 8px">${escaped(title)}</h1>`,
    `<p style="font-size:16px">${escaped(verdict)}</p>`,
    ...about.map((words) => `<p style="color:#57606a">${escaped(words)}</p>`),
    ...sections.flatMap((section) => [
      `<h2 id="${section.id}" style="font-size:16px;margin:24px 0 8px">${escaped(section.title)}</h2>`,
      ...section.blocks.map(blockHtml),
    ]),
    '</body></html>',
    '',
  ].join('\n')
}

function blockHtml(block: ReportBlock) {
  if (block.kind === 'text') return `<p style="margin:8px 0">${escaped(block.text)}</p>`
  const { columns } = block
  const { rows, rest } = limitRows(block)
  const head = columns.map((column) => `<th align="${column.align}">${escaped(column.title)}</th>`)
  const lines = rows.map((row, line) => {
    const cells = row.map((cell, index) => cellHtml(cell, columns[index]?.align))
    return `<tr${line % 2 === 0 ? SHADED : ''}>${cells.join('')}</tr>`
  })
  return [
    '<table cellspacing="0" cellpadding="4">',
    ...(columns.every(({ title }) => title === '') ? [] : [`<tr>${head.join('')}</tr>`]),
    ...lines,
    '</table>',
    ...rest.map((words) => `<p style="margin:8px 0">${words}</p>`),
  ].join('\n')
}

/** Pixels of a full bar. */
const BAR_WIDTH = 160

function cellHtml(cell: BlockCell, align: 'left' | 'right' | undefined) {
  if (typeof cell === 'object' && 'bar' in cell) {
    const width = Math.round(BAR_WIDTH * cell.bar)
    const bar = `<table cellspacing="0"><tr><td width="${width}" height="10" bgcolor="#2f6fde"></td></tr></table>`
    return `<td>${width === 0 ? '' : bar}</td>`
  }
  return `<td${align === 'right' ? ' align="right" nowrap' : ''}>${escaped(cellPlainText(cell, percentText))}</td>`
}

/** Between tags. No attribute holds text from outside. */
const escaped = (text: string) => escapeEntities(withNoBreakSpaces(text))
