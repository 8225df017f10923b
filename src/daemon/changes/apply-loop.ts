// The only sender of changes of an account, beside the passes. What to do is decided by apply/: this does it.
/* oxlint-disable no-await-in-loop -- one change after the other, one step after the other */
import { afterAnswer, afterFailedLook } from '../../apply/answers.ts'
import { afterVerdict, nextStep, type Applying, type Step } from '../../apply/next-step.ts'
import type { Seen } from '../../apply/settings.ts'
import {
  isEnded,
  isInFlight,
  restartsCompute,
  type Change,
  type EndedChange,
  type JudgedState,
  type OpenChange,
} from '../../model/policy/change.ts'
import type { Compute } from '../../model/service/compute.ts'
import { after, instant, ratio, seconds, type Instant, type Seconds } from '../../model/units.ts'
import type { ApplyLoopOptions, RulesOfChange } from './apply-loop-options.ts'
import { createHolds, nextLookAfter, LOOK_INTERVAL, waitsForState } from './holds.ts'
import { lookAt } from './look-at.ts'
import { createLookPace, inLookOrder } from './look-pace.ts'
import { createMoves } from './record-moves.ts'
import { sendChange } from './send-change.ts'

/** Seconds between two readings of the journal where nobody says that it has changed: another process may write. */
const IDLE_INTERVAL = seconds(60)
/** Reason of the signal that ends a wait, which nobody reads. */
const CHANGED = 'the journal, a kill switch or the mode has changed'

/** With the time on the monotonic clock. */
type Looked = Readonly<{ seen: Seen; on: Seconds; rules: RulesOfChange }>
type Progress = Readonly<{ change: Change; looked: Looked | undefined }>

const withChange = (change: Change | undefined, looked?: Looked): Progress | undefined =>
  change && { change, looked }

/** Before the first look nothing is sent, so that no rule about the compute is asked. */
const UNSEEN: RulesOfChange = {
  shortenedAt: undefined,
  siblings: undefined,
  arrival: () => ratio(1),
  use: undefined,
}

export function createApplyLoop(options: ApplyLoopOptions) {
  const { account, clock, random, journal, epoch, log, stoppedBy, clockOffset } = options
  const { machine = { nextStep, afterAnswer } } = options
  const holds = createHolds()
  /** By id, oldest first. */
  let open = byId(options.initial ?? [])
  /** Monotonic time at which a change is looked at again, by its id: setting the wall clock moves none. */
  const dueOn = new Map<string, Seconds>()
  /** Monotonic time of the last look at a change that waits, by its id. */
  const lookedOn = new Map<string, Seconds>()
  const pace = createLookPace(clock, { ...options, perSecond: options.requestsPerSecond })
  let news = new AbortController()
  const now = () => instant(clock.now() + clockOffset())
  const openedOn = clock.monotonic()
  /** The service's time may be known only later. */
  const openedAt = () => instant(now() - 1000 * (clock.monotonic() - openedOn))

  const { record, replace } = createMoves({
    ...options,
    now,
    onMove: (change) => {
      holds.clear(change.id)
      if (isEnded(change.state)) open.delete(change.id)
      else open.set(change.id, change)
      options.onMove?.(change)
    },
  })

  async function followVerdict(change: Change, state: JudgedState): Promise<Change | undefined> {
    const given = await options.verification.judge(change, state)
    switch (given.verdict) {
      case 'undecided':
        if (given.judgement !== state.judgement)
          await record(change, { ...state, judgement: given.judgement })
        holds.set(change.id, { because: 'verdict', until: undefined }, now())
        return undefined
      case 'revert': {
        const reverted = afterVerdict(state, { at: 'reverted', because: given.because }, now())
        const replaced = await replace(change, reverted, options.revertOf(change, given))
        if (replaced) options.onVerdict?.('revert')
        return replaced
      }
      case 'keep': {
        const kept = await record(change, afterVerdict(state, { at: 'done', because: given.because }, now()))
        if (kept) options.onVerdict?.(given.isJudged ? 'keep' : 'undecided')
        return kept
      }
      case 'superseded':
        return record(change, afterVerdict(state, { at: 'superseded', because: given.because }, now()))
    }
  }

  /** Does what can be done now. @returns when to go on; undefined when the change has ended */
  async function advance(first: Change, signal: AbortSignal): Promise<Instant | undefined> {
    let progress: Progress | undefined = { change: first, looked: undefined }
    while (progress && !signal.aborted) {
      const { change, looked }: Progress = progress
      // until the next pass nobody can tell whether a request has settled
      if (change.state.at === 'applying' && !options.isClockSteady()) {
        holds.set(change.id, { because: 'clock', until: undefined }, now())
        break
      }
      const rules = {
        ...(looked?.rules ?? UNSEEN),
        stoppedBy: stoppedBy(),
        policy: options.policyHold(change),
        rungs: options.rungsOf(change),
        isKeyRefused: options.isKeyRefused(),
      }
      const input = {
        change,
        seen: looked?.seen,
        isDeleted: options.isDeleted(change),
        rules,
        epoch,
        openedAt: openedAt(),
        settle: options.settle(),
        isClockSteady: options.isClockSteady(),
      }
      const step = machine.nextStep(input, now())
      if (step.do === 'nothing') return undefined
      if (step.do === 'wait') {
        holds.set(change.id, step.hold, now())
        return nextLookAfter(step.hold, now())
      }
      progress = await take(step, progress, signal)
    }
    return after(now(), LOOK_INTERVAL)
  }

  /** @returns undefined where only time helps */
  async function take(
    step: Exclude<Step, { readonly do: 'nothing' | 'wait' }>,
    { change, looked }: Progress,
    signal: AbortSignal,
  ): Promise<Progress | undefined> {
    if (step.do === 'record') return withChange(await record(change, step.state), looked)
    if (step.do === 'judge') return withChange(await followVerdict(change, step.state))
    if (step.do === 'send') return withChange(looked && (await send(change, step.state, { looked, signal })))
    const result = looked ? undefined : await look(change, signal)
    if (!result) return undefined
    return 'seen' in result ? { change, looked: result } : withChange(await record(change, result))
  }

  /** Undefined where a look would tell nothing new, has no request left, or failed. */
  async function look(change: Change, signal: AbortSignal): Promise<Looked | EndedChange | undefined> {
    const { compute, project } = options.published(change) ?? {}
    const mayLookAwake = options.rungsOf(change) !== undefined || options.isSuspensionNear(change)
    const because = mayLookAwake ? undefined : waitsForState(change, compute)
    if (because) {
      holds.set(change.id, { because, until: undefined }, now())
      // so that it comes first when the state changes
      lookedOn.delete(change.id)
      return undefined
    }
    if (!pace.mayLook()) return holds.unseen(change.id, now())
    pace.charge(isInFlight(change) ? 2 : 1)
    const on = clock.monotonic()
    lookedOn.set(change.id, on)
    const looked = await lookAt({ ...options, now }, { change, project }, signal)
    if (!looked.ok) return afterFailedLook(change, looked.error, now()) ?? holds.unseen(change.id, now())
    return { seen: looked.value, on, rules: await options.rulesOf(change, looked.value, signal) }
  }

  /** Stores that a request may be on its way, writes it, and stores what its answer means. */
  async function send(
    scheduled: Change,
    state: Applying,
    { looked, signal }: Readonly<{ looked: Looked; signal: AbortSignal }>,
  ): Promise<Change | undefined> {
    const sessions = await sessionsOf(scheduled, looked.seen.compute, signal)
    const baseline = await options.verification.baselineOf(scheduled)
    const applying = { ...state, sessions, ...(baseline && { baseline }) }
    const change = await record(scheduled, applying)
    if (!change) return undefined
    pace.charge(1)
    const answer = await sendChange(change, {
      clock,
      service: options.service,
      lookedOn: looked.on,
      mayStillSend: () =>
        stoppedBy() === undefined &&
        options.policyHold(scheduled) === undefined &&
        !signal.aborted &&
        now() <= change.deadline &&
        options.isCurrent(),
    })
    return record(change, machine.afterAnswer(applying, { answer, random: random.unit(), now: now() }))
  }

  const sessionsOf = async ({ kind }: Change, compute: Compute | undefined, signal: AbortSignal) =>
    !restartsCompute(kind) || !compute || compute.state === 'idle'
      ? 0
      : options.countSessions(compute, signal)

  async function turn(signal: AbortSignal): Promise<Seconds> {
    const changes = await journal.openChanges(account)
    open = byId(changes)
    options.onTurn?.(changes, signal)
    for (const id of dueOn.keys()) if (!open.has(id)) forget(id)
    for (const change of inLookOrder(changes, lookedOn)) {
      if (signal.aborted || (dueOn.get(change.id) ?? 0) > clock.monotonic()) continue
      const next = await advance(change, signal)
      if (next === undefined) forget(change.id)
      else dueOn.set(change.id, seconds(clock.monotonic() + (next - now()) / 1000))
      await clock.yield()
    }
    const soonest = Math.min(...dueOn.values(), clock.monotonic() + IDLE_INTERVAL)
    // whole milliseconds, so that a sleep ends when something is due
    return seconds(Math.max(0, Math.ceil(1000 * (soonest - clock.monotonic()))) / 1000)
  }

  function forget(id: string) {
    dueOn.delete(id)
    lookedOn.delete(id)
    holds.clear(id)
  }

  return {
    /** Until `signal` aborts. Never rejects. */
    run: async (signal: AbortSignal): Promise<void> => {
      // not `AbortSignal.any`, which costs more than a turn with nothing to do
      signal.addEventListener('abort', () => news.abort(CHANGED), { once: true })
      while (!signal.aborted) {
        let wait = LOOK_INTERVAL
        // of before the turn, which may have read the journal already when there are news
        const { signal: told } = news
        try {
          wait = await turn(signal)
        } catch (err) {
          log.error({ err, account }, 'changes could not be worked on')
        }
        if (told.aborted) dueOn.clear()
        await clock.sleep(wait, told)
      }
    },
    /** The journal, a kill switch or the mode has changed: looks at once. */
    wake: () => {
      dueOn.clear()
      news.abort(CHANGED)
      news = new AbortController()
    },
    /** Oldest first, as of the last turn. */
    open: (): readonly OpenChange[] =>
      [...open.values()].map((change) => ({ change, hold: holds.of(change.id) })),
    /** Undefined where nothing holds it, or nobody looked yet. */
    holdOf: (id: string): OpenChange['hold'] => holds.of(id),
  }
}

const byId = (changes: readonly Change[]) => new Map(changes.map((change) => [change.id, change]))
