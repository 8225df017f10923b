// Words for kinds of recommendations, and for the reasons why there is none of a kind.
import { DAY } from '../../model/units.ts'
import { countWithNoun, moneyText, shortNumber, spanText, toSecond } from './amounts.ts'
import type { WithheldJson } from './recommendation-schema.ts'

export const KIND_TEXTS: Readonly<Record<WithheldJson['kind'], string>> = {
  delay: 'autosuspend delay',
  sizing: 'size',
  refresh: 'restart for updates',
  'awake-for-nothing': 'awake for nothing',
  pooler: 'pooler',
  unused: 'unused compute',
  defaults: 'defaults of new computes',
}

/** Completed by what is there and what is needed. */
export const WITHHELD_TEXTS: Readonly<Record<WithheldJson['because'], string>> = {
  'history-short': 'too little history',
  'not-followed': 'activity was not followed for long enough',
  'plan-unknown':
    'the service plan is not known: accounts[].plan names it, or --plan of an audit by --base-url',
  'plan-fixed': 'the service plan allows nothing else',
  'no-readings': 'too few readings inside Postgres',
  'saving-small': 'it would save too little',
  unsure: 'it is not sure that it gains once wakes are priced',
  dismissed: 'it was dismissed',
  'follow-up': 'the last one was implemented less than 28 days ago',
  'not-listed': 'the service does not show the setting',
  policy: 'the policy of the configuration rules it out',
  fits: 'the setting fits',
}

/** `autosuspend delay: too little history (1.5 of 3 days); answer about 2026-11-26T…`. */
export const withheldText = (withheld: WithheldJson, currency: string): string =>
  `${KIND_TEXTS[withheld.kind]}: ${withheldReason(withheld, currency)}`

/** Without the kind. */
export function withheldReason(withheld: WithheldJson, currency: string): string {
  const { because, until, sizing, always_on_micros_per_30_days: always } = withheld
  const reason = countedReason(withheld, currency)
  // absent in reports of earlier versions
  const ofSize = !sizing || sizing === because ? undefined : WITHHELD_TEXTS[sizing]
  return [
    ...(ofSize === undefined ? [reason] : [`the delay: ${reason}`, `the size: ${ofSize}`]),
    ...(until === null ? [] : [`answer about ${toSecond(until)}`]),
    ...(always === null ? [] : [`autosuspend is off, which costs ${moneyText(always, currency)} in 30 days`]),
  ].join('; ')
}

/** With what is there and what is needed. */
function countedReason(withheld: WithheldJson, currency: string): string {
  const { because, needs } = withheld
  const isCounted = needs > 0 && COUNTED.has(because)
  return `${WITHHELD_TEXTS[because]}${isCounted ? ` (${countedText(withheld, currency)})` : ''}`
}

function countedText({ kind, because, have, needs }: WithheldJson, currency: string): string {
  if (because === 'saving-small') return `${moneyText(have, currency)} of ${moneyText(needs, currency)}`
  // the first reading inside Postgres is what a size waits for
  const isOfReadings = kind === 'sizing' && because === 'no-readings'
  // a part of a day would round to zero days
  if (!isOfReadings && needs < 1) return `${spanText(have * DAY)} of ${spanText(needs * DAY)}`
  return `${shortNumber(have)} of ${countWithNoun(Number(shortNumber(needs)), isOfReadings ? 'reading' : 'day')}`
}

const COUNTED: ReadonlySet<WithheldJson['because']> = new Set([
  'history-short',
  'not-followed',
  'no-readings',
  'saving-small',
])

/** Reasons that a text lists, under the words that introduce them; no empty group. A setting that fits has its answer: nothing is missing. */
export function reasonGroups<Reason extends Fitting & Pick<WithheldJson, 'kind'>>(
  withheld: readonly Reason[],
): readonly Readonly<{ heading: string; reasons: readonly Reason[] }>[] {
  const listed = Map.groupBy(withheld.filter(isListed), fits)
  return GROUPS.flatMap(([heading, isFitting]) => {
    const reasons = listed.get(isFitting) ?? []
    return reasons.length === 0 ? [] : [{ heading, reasons }]
  })
}

type Fitting = Pick<WithheldJson, 'because'> & Partial<Pick<WithheldJson, 'sizing'>>

const GROUPS = [
  ['not recommended', false],
  ['nothing to change', true],
] as const

/** Whether a setting fits; defaults fit where both of their settings do. */
export const fits = ({ because, sizing }: Fitting): boolean =>
  because === 'fits' && (!sizing || sizing === 'fits')

/** A setting that fits is listed for delays, sizes and defaults only. */
const isListed = ({ kind, because }: Pick<WithheldJson, 'kind' | 'because'>) =>
  because !== 'fits' || kind === 'delay' || kind === 'sizing' || kind === 'defaults'
