// The report as a message of Slack: blocks whose text is plain or preformatted, so that no name is markup or mentions anybody.
import { limitRows, type ReportBlock } from '../blocks.ts'
import { buildOutline } from '../outline.ts'
import type { Report } from '../schema.ts'
import { tableText } from './text.ts'

/** Source: Slack's reference of blocks; not confirmed against the service. */
const MOST_BLOCKS = 50
const MOST_TITLE = 150
const MOST_TEXT = 3000

/** Rows of a table. Doubled, nobody reads it in a channel. */
const MOST_ROWS = 5

/** What a channel is told; the rest is in the other formats. */
const TOLD: ReadonlySet<string> = new Set([
  'spend',
  'groups',
  'computes',
  'movers',
  'budgets',
  'unproductive',
])

export function renderSlack(report: Report): string {
  const { title, lead, sections } = buildOutline(report)
  const blocks = [
    { type: 'header', text: plain(title, MOST_TITLE) },
    ...lead.map((words) => ({ type: 'section', text: plain(words, MOST_TEXT) })),
    ...sections
      .filter(({ id }) => TOLD.has(id))
      .flatMap((section) => [
        { type: 'section', text: plain(section.title, MOST_TEXT) },
        ...section.blocks.map(blockOf),
      ]),
  ]
  const text = marked(cut(`${title}: ${lead.join(' ')}`, MOST_TEXT))
  return `${JSON.stringify({ text, mrkdwn: false, blocks: blocks.slice(0, MOST_BLOCKS) }, undefined, 2)}\n`
}

const plain = (text: string, most: number) => ({ type: 'plain_text', text: cut(text, most), emoji: false })

function blockOf(block: ReportBlock) {
  if (block.kind === 'text') return { type: 'section', text: plain(block.text, MOST_TEXT) }
  const isList = block.columns.every(({ title }) => title !== '')
  const told = isList ? { ...limitRows(block, MOST_ROWS), rest: undefined } : limitRows(block)
  const text = tableText(block, told)
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: cut(text, MOST_TEXT) }] }],
  }
}

/** By UTF-16 units, never inside a pair. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The fallback is read as markup by some clients. */
const marked = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
