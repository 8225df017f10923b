// The state machine of one change: what to do next; answers.ts has what follows from an answer. The apply loop does what these functions return.
import {
  isEnded,
  isJudged,
  isUnderJudgement,
  type Change,
  type ChangeState,
  type EndedChange,
  type JudgedState,
  type SentRequest,
} from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { isOperationOpen, type Operation } from '../model/service/operation.ts'
import { after, instant, latest, seconds, type Instant, type Seconds } from '../model/units.ts'
import { holdOf, type ChangeRules } from './hold.ts'
import { isOverwritten, wasSetBack, wholeSecond } from './set-by-others.ts'
import {
  hasSettings,
  isAsBefore,
  provisionerProblem,
  settingsLike,
  settingsText,
  targetNoun,
  type Seen,
} from './settings.ts'

export type Step = Readonly<
  | { do: 'wait'; hold: Hold }
  /** Nothing newer than this is known of the compute. */
  | { do: 'look' }
  /** Store `state`, then send the request. */
  | { do: 'send'; state: Applying }
  | { do: 'record'; state: ChangeState }
  /** Ask the readings of the compute whether a change that took effect stays. */
  | { do: 'judge'; state: JudgedState }
  /** The change has ended. */
  | { do: 'nothing' }
>

type Scheduled = Extract<ChangeState, { readonly at: 'scheduled' }>
export type Applying = Extract<ChangeState, { readonly at: 'applying' }>
type Verifying = Extract<ChangeState, { readonly at: 'verifying' }>

/** A look that is older decides nothing, ms. Source: changing.md, §3. */
export const MAX_LOOK_AGE = 2000
/** Requests that may have been sent before the change counts as failed. */
const MAX_ATTEMPTS = 5
/** Operations ended and fields equal within 5 minutes. Source: changing.md, §4. */
const VERIFY_WITHIN = seconds(300)

export type StepInput = Readonly<{
  change: Change
  /** Undefined before the first look. */
  seen: Seen | undefined
  /** Whether the last pass found its compute or project deleted: then what holds it, or who is to approve it, does not matter. */
  isDeleted: boolean
  rules: ChangeRules
  /** Epoch of this opening of the store, and its time. */
  epoch: number
  openedAt: Instant
  /** Time after which an unanswered request can no longer land. */
  settle: Seconds
  /** Whether the clock of the machine agrees with that of the service: else nobody knows that a deadline is over. */
  isClockSteady: boolean
}>

export function nextStep(input: StepInput, now: Instant): Step {
  const { state } = input.change
  if (isEnded(state)) return { do: 'nothing' }
  const isUnsent = state.at === 'proposed' || state.at === 'scheduled'
  if (isUnsent && input.isDeleted) return ended('expired', deletedText(input.change), now)
  switch (state.at) {
    case 'scheduled':
      return nextOfScheduled(input, state, now)
    case 'applying':
      return nextOfApplying(input, state, now)
    case 'verifying':
      return nextOfVerifying(input, state, now)
    case 'proposed':
      return now > input.change.deadline
        ? expired(input, 'nobody approved it before the deadline', now)
        : wait('approval')
  }
}

function nextOfScheduled(input: StepInput, state: Scheduled, now: Instant): Step {
  const { change, seen, rules } = input
  if (now > change.deadline) return expired(input, noMomentText(input), now)
  const unseen = waitBeforeLook(rules, state, now)
  if (unseen) return unseen
  if (!isFresh(seen, now)) return { do: 'look' }
  const end = endBySight(change, seen, now)
  if (end) return end
  if (state.attempts >= MAX_ATTEMPTS) return ended('failed', `no effect after ${MAX_ATTEMPTS} requests`, now)
  const hold = holdOf({ change, seen, rules }, now)
  if (hold) return { do: 'wait', hold }
  return {
    do: 'send',
    state: {
      at: 'applying',
      approvedBy: state.approvedBy,
      attempt: state.attempts + 1,
      sentAt: now,
      sessions: isAwake(seen) ? 'unknown' : 0,
      baseStartedAt: startOf(seen),
      epoch: input.epoch,
      uncertainAt: undefined,
    },
  }
}

/** What holds the change whatever a look would show. */
function waitBeforeLook(
  { stoppedBy, policy, isKeyRefused }: StepInput['rules'],
  { notBefore }: Scheduled,
  now: Instant,
): Step | undefined {
  if (stoppedBy) return wait(stoppedBy)
  if (policy) return { do: 'wait', hold: policy }
  if (isKeyRefused) return wait('key-refused')
  return notBefore > now ? wait('retry', notBefore) : undefined
}

const noMomentText = ({ change: { origin }, rules }: StepInput) =>
  rules.policy?.because === 'policy'
    ? 'its policy makes no such changes any more'
    : `no moment fitted ${origin.by === 'policy' ? 'within restart.max_wait of its policy' : 'before the deadline'}`

const isAwake = ({ compute }: Seen) => compute !== undefined && compute.state !== 'idle'

/** Where the look shows that nothing is to be sent. */
function endBySight(change: Change, seen: Seen, now: Instant): Step | undefined {
  if (isFulfilled(change, seen)) return ended('done', 'nothing had to be sent: it is so already', now)
  if (!isAsBefore(change, seen)) return foreign(change, seen, now)
  const unknown = seen.compute && provisionerProblem(seen.compute)
  return unknown === undefined ? undefined : ended('failed', unknown, now)
}

/**
 * After an answer that leaves open whether the request took effect, a crash or a stop. Nothing is sent again before the request can no
 * longer land, and a look shows that it did not.
 */
function nextOfApplying(input: StepInput, state: Applying, now: Instant): Step {
  const { change, seen, settle } = input
  if (!isFresh(seen, now)) return { do: 'look' }
  if (isEffective(change, state, seen))
    return {
      do: 'record',
      state: {
        at: 'verifying',
        since: now,
        operationIds: operationIdsOf(seen.operations),
        sent: sentOf(state),
      },
    }
  const settledAt = after(writableUntil(state, input), settle)
  if (seen.askedAt <= settledAt) return wait('settle', settledAt)
  if (seen.openOperations > 0) return wait('project-busy')
  if (!isAsBefore(change, seen) || wasSetBack(change, state, seen)) return foreign(change, seen, now)
  if (change.kind === 'restart' && startOf(seen) === undefined)
    return ended('unknown', 'the service shows no start, so nobody can tell whether it restarted', now)
  if (state.attempt >= MAX_ATTEMPTS)
    return ended('failed', `no effect after ${MAX_ATTEMPTS} requests without an answer`, now)
  return { do: 'record', state: scheduledAgain(state, now, state.attempt) }
}

/**
 * Last instant at which the request can have been written. In the process that sent it: when the call ended, or, where that was not stored,
 * when the look before it was too old. In another one: when it opened the store, which ended that process.
 */
function writableUntil({ epoch, sentAt, uncertainAt }: Applying, own: StepInput): Instant {
  const written = uncertainAt ?? instant(sentAt + MAX_LOOK_AGE)
  return epoch === own.epoch ? written : latest(own.openedAt, written)
}

function nextOfVerifying(input: StepInput, state: Verifying, now: Instant): Step {
  if (isUnderJudgement(state)) return { do: 'judge', state }
  const step = resultOf(input, state, now)
  if (step.do !== 'record' || !isEnded(step.state)) return step
  const { sent } = state
  if (step.state.at !== 'done' || !isJudged(input.change))
    return { do: 'record', state: { ...step.state, sent } }
  // the change itself may have restarted it
  const restarts = (sent.baseline?.restarts ?? 0) + 1
  const judgement = { good: 0, bad: 0, lookedAt: undefined, restarts }
  return { do: 'record', state: { ...state, sent: { ...sent, effectiveAt: now }, judgement } }
}

/** Whether the service shows the result. */
function resultOf(
  { change, seen, isClockSteady }: StepInput,
  { since, operationIds }: Verifying,
  now: Instant,
): Step {
  if (!isFresh(seen, now)) return { do: 'look' }
  const isSettled = isAtRest(seen)
  const failedOperation = seen.operations.find(
    ({ operationId, status }) => operationIds.includes(operationId) && status === 'error',
  )
  if (failedOperation)
    return ended('failed', `operation ${failedOperation.operationId} of the service failed`, now)
  const hasThem = hasSettings(seen, change.desired)
  if (isSettled && hasThem) return ended('done', 'verified', now)
  if (isSettled && isOverwritten(change, seen, operationIds)) return foreign(change, seen, now)
  const deadline = after(since, VERIFY_WITHIN)
  if (now <= deadline || !isClockSteady) return wait('unverified', deadline)
  return hasThem ? lateResult(seen, deadline, now) : ended('failed', notKeptText(change), now)
}

/**
 * Result of a change whose values the service shows after the deadline. The first look after an outage, or after a stop of the daemon, may meet
 * operations that began long after the request, and a project of many computes is hardly ever without one: only those of the compute count.
 */
function lateResult({ compute, operations }: Seen, deadline: Instant, now: Instant): Step {
  const open = operations.filter(isOperationOpen)
  if (open.length === 0 && compute?.pendingState === undefined) return ended('done', 'verified', now)
  const beganLater = open.length > 0 && open.every(({ createdAt }) => createdAt > deadline)
  return beganLater ? wait('unverified') : ended('failed', OPERATIONS_LAST, now)
}

/** Nothing is under way; a project alone has no transition. */
const isAtRest = ({ compute, openOperations }: Seen) =>
  compute?.pendingState === undefined && openOperations === 0

const OPERATIONS_LAST = `operations of the compute did not end within ${VERIFY_WITHIN} s`

const notKeptText = (change: Change) => `${targetNoun(change)} did not keep ${settingsText(change.desired)}`

export const deletedText = (change: Pick<Change, 'kind'>): string => `${targetNoun(change)} is deleted`

/** Start of the compute; undefined where the service does not publish it, and for a project. */
const startOf = ({ compute }: Seen): Instant | undefined => compute?.startedAt

/** Whether it is already as the change wants it. */
const isFulfilled = (change: Change, seen: Seen): boolean =>
  change.kind === 'restart' ? (startOf(seen) ?? 0) > change.createdAt : hasSettings(seen, change.desired)

/** Whether the request of this attempt took effect. A start is shown by its time, or by an operation. */
function isEffective(change: Change, { baseStartedAt, sentAt }: Applying, seen: Seen): boolean {
  if (change.kind !== 'restart') return hasSettings(seen, change.desired)
  const startedAt = startOf(seen)
  if (startedAt !== undefined && startedAt > (baseStartedAt ?? 0)) return true
  return seen.operations.some(
    ({ action, status, createdAt }) =>
      action === 'start_compute' && status === 'finished' && createdAt >= wholeSecond(sentAt),
  )
}

const isFresh = (seen: Seen | undefined, now: Instant): seen is Seen =>
  seen !== undefined && now - seen.askedAt <= MAX_LOOK_AGE

export const sentOf = ({ sentAt, sessions, baseline }: Applying): SentRequest => ({
  at: sentAt,
  sessions,
  ...(baseline && { baseline }),
})

export const operationIdsOf = (operations: readonly Operation[]) =>
  operations.map(({ operationId }) => operationId)

const wait = (because: Hold['because'], until?: Instant): Step => ({ do: 'wait', hold: { because, until } })

const ended = (at: EndedChange['at'], because: string, endedAt: Instant): Step => ({
  do: 'record',
  state: { at, because, endedAt },
})

const expired = ({ isClockSteady }: StepInput, because: string, now: Instant): Step =>
  isClockSteady ? ended('expired', because, now) : wait('clock')

const foreign = (change: Change, seen: Seen, now: Instant): Step =>
  ended(
    'superseded',
    `somebody else set ${settingsText(settingsLike(change.desired, seen))}; ${settingsText(change.desired)} was to be set`,
    now,
  )

/** After the verdict on a change that took effect. */
export const afterVerdict = (
  { sent }: JudgedState,
  { at, because }: Pick<EndedChange, 'at' | 'because'>,
  endedAt: Instant,
): EndedChange => ({ at, because, endedAt, sent })

export const scheduledAgain = (
  { approvedBy, attempt }: Applying,
  notBefore: Instant,
  attempts = attempt - 1,
): Scheduled => ({ at: 'scheduled', approvedBy, notBefore, attempts })
