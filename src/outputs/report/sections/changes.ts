import { tableBlock, textBlock, type ReportBlock, type ReportSection } from '../blocks.ts'
import type { ReportChanges } from '../changes-schema.ts'
import { SOME_COMPUTES } from '../../../model/output/hold-events.ts'
import type { Report } from '../schema.ts'
import { countWithNoun, instantText, moneyText, savingText } from '../../text/amounts.ts'
import { askedByText, changeStateText, changeTitle, isUnsent, sessionsText } from '../../text/change-text.ts'
import { displayName } from '../../text/display-name.ts'
import { sumOf } from '../../../std/sum.ts'

/** Names of tokens, and reasons of people and of the service, are part of it. */
const MAX_NAMES_LENGTH = 60
const MAX_STATE_LENGTH = 300

/** No section where nothing was asked for, nor in reports of earlier versions. */
export function changesSection({ changes, currency }: Report): ReportSection {
  const section = { id: 'changes', title: 'Changes made' }
  if (changes === undefined) return { ...section, blocks: [] }
  if (changes === null)
    return {
      ...section,
      blocks: [textBlock('Not known: the journal keeps changes for 93 days after their end.')],
    }
  return {
    ...section,
    blocks: [
      ...endedBlocks(changes, currency),
      ...savedBlocks(changes, currency),
      ...revertedBlocks(changes),
      ...waitingBlocks(changes, currency),
      ...stopBlocks(changes),
    ],
  }
}

type EndedRow = ReportChanges['listed'][number]
type WaitingRow = NonNullable<ReportChanges['waiting']>[number]

function endedBlocks(changes: ReportChanges, currency: string): readonly ReportBlock[] {
  const { ended, listed } = changes
  const count = sumOf(ended, (one) => one.count)
  if (count === 0) return []
  const left = count - listed.length
  return [
    textBlock(endedText(changes, count, currency)),
    ...tableBlock(['Compute', 'Change', 'What became of it', '>Promised in 30 days'], listed, (one) => [
      { computes: [one] },
      changeTitle(one),
      displayName(outcomeText(one), MAX_STATE_LENGTH),
      promisedText(one, currency),
    ]),
    ...(left === 0
      ? []
      : [textBlock(`${countWithNoun(left, 'earlier one')} ${left === 1 ? 'is' : 'are'} not listed.`)]),
  ]
}

/** Also of changes of earlier weeks: each counts for 28 days. */
function savedBlocks(
  { saved_micros: saved = 0, extra_spend_micros: extra = 0 }: ReportChanges,
  currency: string,
): readonly ReportBlock[] {
  if (saved === 0 && extra === 0) return []
  const [much, more] = [moneyText(saved, currency), moneyText(extra, currency)]
  return [
    textBlock(
      `Changes of the last 28 days saved ${much} in this week and spent ${more} beyond the settings before them: each of those replayed over what came, less what was spent.`,
    ),
  ]
}

function revertedBlocks({ reverted = [] }: ReportChanges): readonly ReportBlock[] {
  if (reverted.length === 0) return []
  const [were, they] = reverted.length === 1 ? ['One was', 'it'] : [`${reverted.length} were`, 'they']
  return [
    textBlock(`${were} taken back, because readings showed that ${they} did harm.`),
    ...tableBlock(['Compute', 'Change', 'Why it was taken back'], reverted, (one) => [
      { computes: [one] },
      changeTitle(one),
      displayName(one.ended?.because ?? '', MAX_STATE_LENGTH),
    ]),
  ]
}

/** Holds of people first. */
function stopBlocks({ holds = [], freezes = [] }: ReportChanges): readonly ReportBlock[] {
  const rows = [
    ...holds.map(({ what, by, reason, placed_at: from, until, ended }) => [
      displayName(what ?? SOME_COMPUTES, MAX_NAMES_LENGTH),
      displayName(`${by}: ${reason}`, MAX_STATE_LENGTH),
      instantText(from),
      ended?.by == null
        ? instantText(ended?.at ?? until)
        : `${instantText(ended.at)}, ended by ${displayName(ended.by, MAX_NAMES_LENGTH)}`,
    ]),
    ...freezes.map(({ window, from, to }) => [
      'everything',
      `the freeze ${displayName(window, MAX_NAMES_LENGTH)}`,
      instantText(from),
      instantText(to),
    ]),
  ]
  if (rows.length === 0) return []
  return [
    textBlock('In this week holds and freezes held changes back.'),
    ...tableBlock(['Held back', 'By', 'From', 'Until'], rows, (cells) => cells),
  ]
}

function endedText(
  {
    ended,
    sessions_interrupted: sessions,
    sessions_uncounted: uncounted,
    promised_micros_per_30_days: promised,
  }: ReportChanges,
  count: number,
  currency: string,
) {
  const states = ended.map((one) => `${one.count} ${one.state}`).join(', ')
  return [
    `In this week ${countWithNoun(count, 'change')} ended: ${states}.`,
    interruptedText(sessions, uncounted),
    ...(promised.likely === 0
      ? []
      : [`What is done ${savingText(promised, currency)} by its recommendations.`]),
  ].join(' ')
}

function interruptedText(sessions: number, uncounted: number) {
  const counted = sessions === 0 ? 'No session' : countWithNoun(sessions, 'session')
  const rest = uncounted === 0 ? '' : `, and those of ${countWithNoun(uncounted, 'request')} were not counted`
  return `${counted} ${sessions > 1 ? 'were' : 'was'} interrupted${rest}.`
}

function waitingBlocks(
  { waiting, waiting_left: left }: ReportChanges,
  currency: string,
): readonly ReportBlock[] {
  if (waiting === null || waiting.length === 0) return []
  const count = waiting.length + left
  return [
    textBlock(
      `${count === 1 ? 'One change is open' : `${count} changes are open`}${left === 0 ? '' : `, of which the oldest ${waiting.length} are listed`}.`,
    ),
    ...tableBlock(['Compute', 'Change', 'Waits for', '>Promised in 30 days'], waiting, (one) => [
      { computes: [one] },
      changeTitle(one),
      displayName(waitsText(one), MAX_STATE_LENGTH),
      promisedText(one, currency),
    ]),
  ]
}

const outcomeText = (one: EndedRow): string =>
  [
    changeStateText({ ...one, hold: null }),
    ...(one.sessions === null ? [] : [sessionsText(one.sessions)]),
    askedText(one),
  ].join('; ')

const askedText = (one: EndedRow | WaitingRow) =>
  `asked for by ${displayName(askedByText(one), MAX_NAMES_LENGTH)}`

function waitsText(one: WaitingRow): string {
  const { state, hold } = one
  const minutes = hold && {
    ...hold,
    since: hold.since && instantText(hold.since),
    until: hold.until && instantText(hold.until),
  }
  const waits = changeStateText({ state, hold: minutes, ended: null })
  const deadline = isUnsent(one) ? [`not sent after ${instantText(one.deadline)}`] : []
  return [waits, ...deadline, askedText(one)].join('; ')
}

const promisedText = (
  { promised_micros_per_30_days: promised }: Pick<EndedRow, 'promised_micros_per_30_days'>,
  currency: string,
) => (promised === null ? '–' : moneyText(promised.likely, currency))
