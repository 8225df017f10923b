import { tableBlock, textBlock, type ReportSection } from '../blocks.ts'
import { instantText } from '../../text/dates.ts'
import { displayName } from '../../text/display-name.ts'
import type { Report } from '../schema.ts'
import { countWithNoun } from '../../text/amounts.ts'

/** Letters of what happened. Doubled, one error is a paragraph. */
const WHAT = 160

export function eventSection({ events }: Report): ReportSection {
  const told = events?.told ?? []
  const left = events?.left ?? 0
  return {
    id: 'events',
    title: 'What happened',
    blocks: [
      ...(told.length === 0
        ? []
        : [tableBlock(['When', 'What'], told, ({ at, what }) => [instantText(at), displayName(what, WHAT)])]),
      ...(left === 0 ? [] : [textBlock(`${countWithNoun(left, 'event')} more came after these.`)]),
    ],
  }
}
