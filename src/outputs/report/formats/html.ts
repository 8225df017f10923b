// Only tables and inline styles: mail programs drop scripts, style sheets and SVG.
import { escapeEntities } from '../../../std/sanitize.ts'
import { withNoBreakSpaces } from '../../text/html.ts'
import { limitRows, cellPlainText, type ReportOutline } from '../blocks.ts'
import type { BlockCell, ItemBlock, ReportBlock } from '../blocks.ts'
import { percentText } from '../../text/amounts.ts'

const PAGE =
  'font:14px/1.5 sans-serif;color:#1f2328;background:#fff;max-width:760px;margin:0 auto;padding:16px'

const SHADED = ' bgcolor="#f6f8fa"'

/** Bytes: some mail programs cut a longer message. */
const MAX_BYTES = 100_000
/** Rows of a table: names of 200 characters that are written longer still must not make the mail too long. */
const ROW_LIMITS = [20, 10, 5]

export function renderMailHtml(outline: ReportOutline): string {
  const mails = ROW_LIMITS.values().map((most) => mailWith(outline, most))
  const first = mails.find((mail) => Buffer.byteLength(mail) <= MAX_BYTES)
  return first ?? mailWith(outline, 1)
}

function mailWith({ title, lead: [verdict = '', ...about], sections }: ReportOutline, most: number) {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>`,
    `<body style="${PAGE}">`,
    `<h1 style="font-size:20px;margin:0 0 8px">${escaped(title)}</h1>`,
    `<p style="font-size:16px">${escaped(verdict)}</p>`,
    ...about.map((words) => `<p style="color:#57606a">${escaped(words)}</p>`),
    ...sections.flatMap((section) => [
      `<h2 id="${section.id}" style="font-size:16px;margin:24px 0 8px">${escaped(section.title)}</h2>`,
      ...shortened(section.blocks).map((block) => blockHtml(block, most)),
    ]),
    '</body></html>',
    '',
  ].join('\n')
}

/** Details of more would make a mail that nobody reads to its end; the attached page has them. */
const MAX_ITEMS = 5

const shortened = (blocks: readonly ReportBlock[]) => {
  const items = blocks.filter(({ kind }) => kind === 'item').slice(MAX_ITEMS)
  return blocks.filter((block) => !items.includes(block))
}

function blockHtml(block: ReportBlock, most: number) {
  if (block.kind === 'text') return `<p style="margin:8px 0">${escaped(block.text)}</p>`
  if (block.kind === 'item') return itemHtml(block)
  const { columns } = block
  const { rows, rest } = limitRows(block, most)
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

function itemHtml({ title, lines, code }: ItemBlock) {
  const items = [...lines.map(escaped), ...code.map((line) => `<code>${escapeEntities(line)}</code>`)]
  return [
    `<h3 style="font-size:14px;margin:16px 0 4px">${escaped(title)}</h3>`,
    `<ul style="margin:4px 0">${items.map((item) => `<li>${item}</li>`).join('')}</ul>`,
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
