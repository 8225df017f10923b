// What ended an awake interval: inactivity for the delay that was in force, or something that says nothing about clients.
import type { AwakeInterval, Edge, Evidence } from '../../model/ledger/evidence.ts'
import { SUSPEND_GRACE } from '../../model/inference/expected-suspension.ts'
import { delayMillis, MIN_AUTOSUSPEND_DELAY, type AutosuspendDelay } from '../../model/service/compute.ts'
import { instant, SECOND, type Instant } from '../../model/units.ts'
import { delayBeforeLooks, type Delays } from '../evidence/past-delay.ts'
import { observerActivities } from '../evidence/activity.ts'

type SuspensionCause = Readonly<{
  /** In force at the suspension. */
  delay: AutosuspendDelay
  /** A restart or another delay: it says nothing about the last activity. */
  isOther: boolean
  /** Newest own activity before. */
  own: Instant
}>

export type EndedInterval = AwakeInterval &
  Readonly<{ to: Edge; next: AwakeInterval | undefined; cause: SuspensionCause }>

export function endedInterval(
  interval: AwakeInterval,
  next: AwakeInterval | undefined,
  { evidence, ...delays }: Delays & Readonly<{ evidence: Evidence }>,
): EndedInterval | undefined {
  const { to } = interval
  if (!to) return undefined
  const cause = {
    delay: delayAt(to, evidence, delayBeforeLooks(to, evidence, delays)),
    isOther: next?.restart === true || isDelayChanged(to, evidence),
    own: observerActivities(evidence).findLast((at) => at <= to.latest) ?? instant(0),
  }
  return { ...interval, to, next, cause }
}

/**
 * By the last look before the suspension, where a later one shows another delay. The least delay is left out: looks that do not show a delay of
 * the compute's own have it, too.
 */
function delayAt({ earliest: from }: Edge, { states }: Evidence, now: AutosuspendDelay): AutosuspendDelay {
  const before = states.findLast(({ askedAt, record }) => record && askedAt <= from)?.record?.holds
  const newest = states.findLast(({ record }) => record)?.record?.holds
  const isChanged = before !== undefined && before !== newest && before !== MIN_AUTOSUSPEND_DELAY
  return isChanged ? before : now
}

/** Whether another delay was set between the last look before a suspension and the first after it, which suspends a compute that is idle. */
function isDelayChanged({ earliest: from, latest: to }: Edge, { states }: Evidence): boolean {
  const before = states.findLast(({ answeredAt, record }) => record && answeredAt <= from)?.record
  const next = states.find(({ askedAt, record }) => record && askedAt >= to)?.record
  return before !== undefined && next !== undefined && before.holds !== next.holds
}

/** Time by which a suspension may be later than one delay after the last activity, ms. */
export const GRACE = (SUSPEND_GRACE + 1) * SECOND

/** Whether the suspension came no later than one delay after `newest`, or after own activity. */
export const isExplainedBy = (newest: Instant, { to, cause }: EndedInterval): boolean =>
  cause.isOther || to.earliest - delayMillis(cause.delay) <= Math.max(newest, cause.own) + GRACE
