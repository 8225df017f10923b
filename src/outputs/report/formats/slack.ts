// Texts are plain or preformatted, so that no name is markup or mentions anybody.
import {
  limitRows,
  type ReportBlock,
  type ReportOutline,
  type TableBlock,
  type TextBlock,
} from '../blocks.ts'
import { cutText, escapeEntities } from '../../../std/sanitize.ts'
import { tableText } from './text.ts'

/** Characters for texts. Source: Slack's reference of blocks; not confirmed against the service. */
const MAX_BLOCKS = 50
const MAX_TITLE_LENGTH = 150
const MAX_TEXT_LENGTH = 3000
/** A channel shows more only behind a click. */
const MAX_LIST_ROWS = 5
/** The others are in the other formats. */
const SECTIONS = new Set([
  'recommendations',
  'changes',
  'spend',
  'groups',
  'computes',
  'movers',
  'budgets',
  'unproductive',
])

export function renderSlack({ title, lead, sections }: ReportOutline): string {
  const blocks = [
    { type: 'header', text: plain(title, MAX_TITLE_LENGTH) },
    ...lead.map(textSection),
    ...sections
      .filter(({ id }) => SECTIONS.has(id))
      .flatMap((section) => [textSection(section.title), ...summaryBlocks(section.blocks).map(blockOf)]),
  ]
  // some clients read the fallback text as markup
  const text = escapeEntities(cutText(`${title}: ${lead.join(' ')}`, MAX_TEXT_LENGTH))
  return `${JSON.stringify({ text, mrkdwn: false, blocks: blocks.slice(0, MAX_BLOCKS) }, undefined, 2)}\n`
}

const plain = (text: string, most: number) => ({
  type: 'plain_text',
  text: cutText(text, most),
  emoji: false,
})
const textSection = (words: string) => ({ type: 'section', text: plain(words, MAX_TEXT_LENGTH) })

/** Details are in the other formats. */
const summaryBlocks = (blocks: readonly ReportBlock[]) => blocks.filter((block) => block.kind !== 'item')

function blockOf(block: TextBlock | TableBlock) {
  if (block.kind === 'text') return textSection(block.text)
  const isList = block.columns.every(({ title }) => title !== '')
  const limited = isList ? { ...limitRows(block, MAX_LIST_ROWS), rest: [] } : limitRows(block)
  const text = { type: 'text', text: cutText(tableText(block, limited), MAX_TEXT_LENGTH) }
  return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [text] }] }
}
