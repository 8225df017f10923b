import { tableBlock, textBlock, type ReportBlock, type ReportSection } from '../blocks.ts'
import { causeText } from '../../text/cause-text.ts'
import { displayName } from '../../text/display-name.ts'
import type { Report } from '../schema.ts'
import {
  countWithNoun,
  hoursText,
  moneyColumn,
  moneyText,
  percentText,
  spanText,
} from '../../text/amounts.ts'

type Unproductive = Report['unproductive']
type NeverSlept = Unproductive['never_slept'][number]

export const unproductiveSection = ({ unproductive, currency }: Report): ReportSection => ({
  id: 'unproductive',
  title: 'Awake for nothing, or without a break',
  blocks: [...causeBlocks(unproductive, currency), ...neverSleptBlocks(unproductive.never_slept, currency)],
})

function causeBlocks({ idle_tail: tail, causes }: Unproductive, currency: string): readonly ReportBlock[] {
  const rows = [
    ...(tail.seconds > 0 ? [{ what: 'waiting to be suspended, after the last activity', ...tail }] : []),
    ...causes.map(({ cause, seconds, micros }) => ({ what: causeText(cause), seconds, micros })),
  ]
  const money = moneyColumn(
    rows.map(({ micros }) => micros),
    currency,
  )
  return tableBlock(['Held awake by', '>Awake', '>Cost this week'], rows, ({ what, seconds, micros }) => [
    what,
    hoursText(seconds * 1000),
    money(micros),
  ])
}

function neverSleptBlocks(computes: readonly NeverSlept[], currency: string): readonly ReportBlock[] {
  if (computes.length === 0) return []
  const money = moneyColumn(
    computes.map(({ month_micros: micros }) => micros),
    currency,
  )
  return [
    textBlock(
      'These slept for less than a twentieth of the week, or never. The cost is what 30 days like this week come to.',
    ),
    ...tableBlock(['Compute', '>Cost in 30 days', 'Held awake by', 'What helps'], computes, (compute) => [
      { computes: [compute] },
      money(compute.month_micros),
      holderText(compute),
      helpText(compute),
    ]),
  ]
}

function holderText({ autosuspend_off: isOff, held_by, readings }: NeverSlept) {
  if (isOff) return 'autosuspend is off'
  if (readings === 0) return 'not known: nothing was read inside it'
  const [first] = held_by
  if (!first) return 'nobody that a reading saw'
  const names = [first.application, first.user, first.database]
    .flatMap((name) => (name === null ? [] : [displayName(name)]))
    .join(' / ')
  const who = causeText(first.cause)
  return `${names === '' ? who : `${who}: ${names}`}, ${percentText(first.share)} of the time`
}

const HELP: Readonly<Record<string, string>> = {
  clients: 'if it is a health check or a poll, let it come less often than the delay',
  'idle-in-transaction': 'close the transaction; set idle_in_transaction_session_timeout',
  'keep-alive': "lengthen or switch off the pool's keep-alive query",
  replication: 'drop slots that nobody reads any more',
  subscription: 'drop the subscription if it is not needed all the time',
  'availability-check': 'nothing: the service checks by itself',
}

function helpText({ autosuspend_off: isOff, held_by, readings }: NeverSlept) {
  if (isOff) return 'switch autosuspend on, if it may sleep'
  if (readings === 0) return 'readings show it: they need dsn of the account, or service.use_connection_uri'
  return HELP[held_by[0]?.cause ?? ''] ?? 'see who uses it: dormouse explain'
}

export function observerSection({ observer, currency }: Report): ReportSection {
  const { extension_seconds: extension, micros, wakes_caused: wakes } = observer
  const caused =
    wakes === 0 ? 'they woke none' : `since counting began they woke computes ${countWithNoun(wakes, 'time')}`
  const added =
    extension === 0
      ? 'Readings kept no compute awake'
      : `Readings kept computes awake for ${spanText(extension * 1000)} more, which cost ${moneyText(micros, currency)}`
  return { id: 'observer', title: 'What watching cost', blocks: [textBlock(`${added}; ${caused}.`)] }
}
