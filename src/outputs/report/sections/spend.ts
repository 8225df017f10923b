import { tableBlock, textBlock, type ReportBlock, type ReportSection } from '../blocks.ts'
import { displayName } from '../../text/display-name.ts'
import type { Report } from '../schema.ts'
import {
  countWithNoun,
  hoursText,
  moneyColumn,
  moneyText,
  percentText,
  dayText,
  instantText,
  monthText,
} from '../../text/amounts.ts'

const amountOrUnknown = (amount: number | null, currency: string) =>
  amount === null ? 'not known' : moneyText(amount, currency)

export function spendSection(report: Report): ReportSection {
  return {
    id: 'spend',
    title: 'Spend',
    blocks: [
      ...tableBlock(['', '>Spend'], totalsOf(report), (cells) => cells),
      ...boundsText(report),
      ...forecastText(report),
      ...daysTable(report),
    ],
  }
}

function daysTable({ spend: { week, days }, currency }: Report): readonly ReportBlock[] {
  const most = Math.max(1, ...days.map(({ micros }) => micros))
  const shown = week.high === 0 ? [] : days
  const money = moneyColumn(
    days.map(({ micros }) => micros),
    currency,
  )
  return tableBlock(['Day', '>Spend', '>Awake', ''], shown, ({ date, micros, awake_seconds }) => [
    dayText(date),
    money(micros),
    hoursText(awake_seconds * 1000),
    { bar: micros / most },
  ])
}

function totalsOf({ spend, currency }: Report): readonly (readonly string[])[] {
  const { week, before, mean, month, forecast, days } = spend
  const monthName = monthText(days.at(-1)?.date ?? '')
  const since = month.known_from > month.from ? `, counted from ${instantText(month.known_from)} on` : ''
  return [
    ['This week', moneyText(week.likely, currency)],
    ['The week before', amountOrUnknown(before, currency)],
    ...(mean && mean.weeks > 1
      ? [[`Mean of the ${mean.weeks} weeks before`, moneyText(mean.micros, currency)]]
      : []),
    [`${monthName} up to the end of the week${since}`, moneyText(month.micros, currency)],
    ...(forecast ? [[`${monthName} when it is over, expected`, moneyText(forecast.p50, currency)]] : []),
  ]
}

/** Narrower bounds, as a share of the spend, are left out. */
const BOUNDS_HIDDEN_UP_TO = 0.01

function boundsText({ spend: { week, week_shown: shown }, currency }: Report): readonly ReportBlock[] {
  const { low, high } = shown ?? week
  const { likely } = week
  const [least, most] = [moneyText(low, currency), moneyText(high, currency)]
  const distance = Math.max(high - low, high - likely, likely - low)
  const isHidden = distance <= BOUNDS_HIDDEN_UP_TO * likely || least === most
  if (isHidden) return shown ? [textBlock(`The amounts count ${shown.because}.`)] : []
  const because = shown ? `, ${shown.because}` : ''
  return [
    textBlock(`It is not known exactly: the week cost at least ${least} and at most ${most}${because}.`),
  ]
}

function forecastText({ spend: { forecast, days }, currency }: Report): readonly ReportBlock[] {
  if (!forecast) return []
  const { p10, p90, learning, days: from } = forecast
  const [least, most] = [moneyText(p10, currency), moneyText(p90, currency)]
  const month = monthText(days.at(-1)?.date ?? '')
  const sentences = [
    ...(least === most ? [] : [`There is an 80 % chance that ${month} ends between ${least} and ${most}.`]),
    ...(learning ? [`What is expected is a rough guess, from ${countWithNoun(from, 'day')}.`] : []),
  ]
  return sentences.length === 0 ? [] : [textBlock(sentences.join(' '))]
}

/** `none`: computes that belong to no group. */
export const GROUP_NAMES = {
  team: { title: 'Team', none: 'without a team' },
  cost_centre: { title: 'Cost centre', none: 'without a cost centre' },
  project: { title: 'Project', none: 'without a project' },
  branch: { title: 'Branch', none: 'of a deleted branch' },
  tier: { title: 'Tier', none: 'without a tier' },
}

export function groupSection({ groups: { by, rows }, spend, currency }: Report): ReportSection {
  const total = spend.week.likely
  const { title, none } = GROUP_NAMES[by]
  const titles = [title, '>Spend', '>Share', '>Week before', '>Awake', '>Computes']
  const money = moneyColumn(
    rows.flatMap(({ micros, before_micros: before }) => [micros, before ?? 0]),
    currency,
  )
  return {
    id: 'groups',
    title: `By ${title.toLowerCase()}`,
    blocks: tableBlock(titles, rows.length < 2 ? [] : rows, (row) => [
      row.name === null ? none : displayName(row.name),
      money(row.micros),
      total === 0 ? '' : percentText(row.micros / total),
      row.before_micros === null ? 'not known' : money(row.before_micros),
      hoursText(row.awake_seconds * 1000),
      String(row.computes),
    ]),
  }
}

export function dearestSection({ computes, currency }: Report): ReportSection {
  const awake = computes.filter(({ awake_seconds }) => awake_seconds > 0)
  const titles = ['Compute', '>Spend', '>Awake', '>Of the week', '>Idle tail', '>Wakes']
  const money = moneyColumn(
    awake.map(({ spend_micros: { likely } }) => likely),
    currency,
  )
  const table = tableBlock(titles, awake, (compute) => [
    { computes: [compute] },
    money(compute.spend_micros.likely),
    hoursText(compute.awake_seconds * 1000),
    percentText(compute.awake_share),
    hoursText(compute.idle_tail_seconds * 1000),
    String(compute.wakes),
  ])
  const legend = textBlock('Idle tail: awake after the last activity, until the service suspends it.')
  return {
    id: 'computes',
    title: 'Computes, the dearest first',
    blocks: awake.length === 0 ? [] : [...table, legend],
  }
}

/** `+0.93 USD`; an amount that is only bounded needs no sign. */
const signed = (text: string, amount: number) => (amount > 0 && !text.startsWith('<') ? `+${text}` : text)

export function moversSection({ movers, currency }: Report): ReportSection {
  const money = moneyColumn(
    movers.flatMap(({ micros, before_micros: before }) => [micros, micros - before]),
    currency,
  )
  return {
    id: 'movers',
    title: 'Largest changes since the week before',
    blocks: tableBlock(['Compute', '>Spend', '>Change', 'Mostly because'], movers, (compute) => {
      const change = compute.micros - compute.before_micros
      return [
        { computes: [compute] },
        money(compute.micros),
        signed(money(change), change),
        reasonText(compute, currency),
      ]
    }),
  }
}

const REASONS = {
  awake: ['it was awake for longer', 'it was awake for less long'],
  size: ['its size was larger', 'its size was smaller'],
  price: ['its price was higher', 'its price was lower'],
} as const

function reasonText(mover: Report['movers'][number], currency: string) {
  const { micros, before_micros: before, by } = mover
  if (before === 0) return 'it was not awake the week before'
  if (micros === 0) return 'it was not awake this week'
  const parts = (['awake', 'size', 'price'] as const).toSorted((a, b) => Math.abs(by[b]) - Math.abs(by[a]))
  const [largest = 'awake'] = parts
  const [more, less] = REASONS[largest]
  const [part, change] = [moneyText(by[largest], currency), moneyText(micros - before, currency)]
  const sign = by[largest] > 0 ? '+' : ''
  return `${by[largest] > 0 ? more : less}${part === change ? '' : ` (${sign}${part})`}`
}
