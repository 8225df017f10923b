// Explanation of a compute, the same on the command line, in the API and on the page.
import type { ConnectionCounts } from '../../model/observation.ts'
import type {
  ComputeView,
  DisplayedState,
  IdentityView,
  LedgerView,
  AwakeReason,
} from '../../model/output/snapshot.ts'
import { sumOf } from '../../std/sum.ts'
import { toIsoSecond } from '../../model/time.ts'
import { exactDurationText, inBrackets, moneyText, rangeText, shownRangeText, spanText } from './amounts.ts'
import { culpritText } from './cause-text.ts'
import { HOUR, micros } from '../../model/units.ts'

export const STATE_WORDS: Readonly<Record<DisplayedState, string>> = {
  active: 'awake',
  idle: 'asleep',
  init: 'starting',
  unknown: 'unknown',
}

/** Its own name, else the name of its project. */
export const computeDisplayName = ({ compute, project, ref }: IdentityView): string =>
  compute.name ?? project?.name ?? ref.endpointId

export const connectionCount = ({ active, idle, idleInTransaction, other }: ConnectionCounts): number =>
  active + idle + idleInTransaction + other

export function awakeReasonText(why: AwakeReason): string {
  switch (why.because) {
    case 'asleep':
      return why.since === undefined ? 'asleep' : `asleep since ${toIsoSecond(why.since)}`
    case 'starting':
    case 'disabled':
      return why.because
    case 'autosuspend-off':
      return 'autosuspend is off'
    case 'clients':
      return `${why.working} working: ${why.application || 'unnamed application'}`
    case 'idle-in-transaction':
      return `${why.count} idle in transaction`
    case 'replication':
    case 'subscription':
    case 'autovacuum':
      return `${why.count} ${why.because}`
    case 'recent-activity':
      return `in use${why.application ? ` by ${why.application}` : ''}, last at ${toIsoSecond(why.at)}`
    case 'idle-tail':
      return `no activity seen since ${toIsoSecond(why.since)}${why.ours ? ' except readings of Dormouse' : ''}; ${SUSPENSION_TEXTS[why.end](toIsoSecond(why.until))}`
    case 'unknown':
      return why.since === undefined ? 'the reason is not known' : `not seen since ${toIsoSecond(why.since)}`
  }
}

const SUSPENSION_TEXTS: Readonly<
  Record<(AwakeReason & { because: 'idle-tail' })['end'], (until: string) => string>
> = {
  ahead: (until) => `suspends about ${until}`,
  due: (until) => `its suspension about ${until} has not been seen yet`,
  overdue: (until) => `should have been suspended about ${until}; what keeps it awake is not known`,
}

/** Beside the word of the state; undefined where the word says it all. */
export function awakeCauseText(why: AwakeReason): string | undefined {
  if (why.because === 'starting') return undefined
  if (why.because !== 'asleep') return awakeReasonText(why)
  return why.since === undefined ? undefined : `since ${toIsoSecond(why.since)}`
}

function stateText({ shown, reason }: ComputeView['state']) {
  const cause = awakeCauseText(reason)
  if (cause === undefined) return STATE_WORDS[shown]
  return `${STATE_WORDS[shown]}${reason.because === 'asleep' ? '' : ':'} ${cause}`
}

export function explanationLines(view: ComputeView): readonly string[] {
  const { ref, project, compute, currency } = view.identity
  const { spend, shown, awake, idleTail, observerOverhead } = view.ledger
  const amountText = (amount: number) => moneyText(amount, currency)
  const name = project?.name ?? ref.projectId
  return [
    `${ref.endpointId} of project ${name}, account ${ref.account}${compute.name ? `, named ${compute.name}` : ''}`,
    stateText(view.state),
    delayText(view),
    `awake ${spanText(awake.likely)} in all${inBrackets(rangeText(awake, spanText))}; ` +
      `spend ${amountText((shown?.amount ?? spend).likely)}${inBrackets(shownRangeText(spend, shown, amountText))}`,
    `of that after the last activity ${spanText(idleTail)}; added by readings of Dormouse ${spanText(observerOverhead)}`,
    ...reconciliationLines(view.ledger),
    ...attributionLines(view),
    readingText(view.reading),
  ]
}

function delayText({ state: { delay }, identity: { compute } }: ComputeView) {
  if (delay === 'never') return 'autosuspend is off: no suspension comes by itself'
  const isDefault = compute.autosuspendDelay === undefined
  const source = isDefault ? ', the default of its project or of the service' : ''
  return `it is suspended after ${exactDurationText(delay)} without activity${source}`
}

const cuHoursText = (cuTime: number) => (cuTime / HOUR).toFixed(3)

/** Lines about the whole project: the service meters no single computes. */
function reconciliationLines({ reconciliation: checked }: LedgerView) {
  if (!checked) return []
  const { from, to, metered, low, high, outside } = checked
  const verdict =
    outside === 0 ? 'as the ledger has it' : `${(outside * 100).toFixed(1)} % outside of the ledger`
  return [
    `the service counts ${cuHoursText(metered)} CU-hours of its project from ${toIsoSecond(from)} to ${toIsoSecond(to)}, ${verdict}: ` +
      `${cuHoursText(low)} to ${cuHoursText(high)}`,
  ]
}

/** Causes of awake time with their share of the spend that people see. */
export function shownCauses({ awakeBy, spend, shown }: LedgerView): LedgerView['awakeBy'] {
  if (!shown || spend.likely === 0) return awakeBy
  return awakeBy.map((cause) => ({
    ...cause,
    spend: micros((cause.spend * shown.amount.likely) / spend.likely),
  }))
}

function attributionLines({ ledger, reading, identity }: ComputeView) {
  const { awake } = ledger
  const awakeBy = shownCauses(ledger)
  if (reading.at === undefined && awakeBy.length === 0) return []
  const covered = sumOf(awakeBy, ({ time }) => time)
  return [
    ...awakeBy.map(
      ({ time, spend, ...culprit }) =>
        `held awake by ${culpritText(culprit)}: ${spanText(time)}, ${moneyText(spend, identity.currency)}`,
    ),
    `awake time that no reading attributes: ${spanText(Math.max(0, awake.likely - covered))}`,
  ]
}

function readingText({ at, problem, hitRatio, connections, maxConnections }: ComputeView['reading']) {
  if (at === undefined) return `never read${problem ? `: ${problem}` : ''}`
  const facts = [
    ...(hitRatio === undefined ? [] : [`hit ratio ${(hitRatio * 100).toFixed(1)} %`]),
    ...(connections ? [`${connectionCount(connections)} of ${maxConnections} connections`] : []),
    ...(problem === undefined ? [] : [`not read: ${problem}`]),
  ]
  return `last read at ${toIsoSecond(at)}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}`
}
