import { table, text, type Section } from '../blocks.ts'
import { instantText } from '../../text/dates.ts'
import { shownName } from '../../text/display-name.ts'
import type { Report } from '../schema.ts'
import { counted } from '../../text/amounts.ts'

/** Letters of what happened. Doubled, one error is a paragraph. */
const WHAT = 160

export function eventSection({ events }: Report): Section {
  const told = events?.told ?? []
  const left = events?.left ?? 0
  return {
    id: 'events',
    title: 'What happened',
    blocks: [
      ...(told.length === 0
        ? []
        : [table(['When', 'What'], told, ({ at, what }) => [instantText(at), shownName(what, WHAT)])]),
      ...(left === 0 ? [] : [text(`${counted(left, 'event')} more came after these.`)]),
    ],
  }
}
