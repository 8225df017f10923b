// The only sender of changes of an account, beside the passes. What to do is decided by apply/: this does it.
/* oxlint-disable no-await-in-loop -- one change after the other, one step after the other */
import type { ChangeRules, Hold } from '../../apply/hold.ts'
import {
  afterAnswer,
  afterFailedLook,
  MAX_LOOK_AGE,
  nextStep,
  type Applying,
  type Seen,
  type Sent,
  type Step,
} from '../../apply/next-step.ts'
import type { Change, ChangeState, EndedChange } from '../../model/policy/change.ts'
import type { Clock, Random } from '../../model/ports/clock.ts'
import { transition, type Journal } from '../../model/ports/journal.ts'
import type { Service } from '../../model/ports/service.ts'
import type { AccountStore } from '../../model/ports/store.ts'
import type { Compute, Project } from '../../model/service/compute.ts'
import { after, earliest, instant, latest, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { failed } from '../../std/result.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { lookAt } from './look-at.ts'

export type ApplyLoopOptions = Readonly<{
  account: string
  clock: Clock
  random: Random
  service: Service
  store: Pick<AccountStore, 'commit'>
  journal: Journal
  /** Epoch of this opening of the store. */
  epoch: number
  log: Pick<DaemonEnvironment['log'], 'info' | 'warn' | 'error'>
  settle: Seconds
  /** Requests a second that looks may take, a tenth of the request allowance. */
  looksPerSecond: number
  isKilled: () => boolean
  rulesOf: (change: Change) => Promise<Omit<ChangeRules, 'isKilled'>>
  /** Service time less wall clock, ms. */
  clockOffset: () => number
  /** The state machine. */
  machine?: ApplyMachine
  /** As the last pass saw it; undefined where none did. */
  published: (change: Change) => Readonly<{ compute: Compute; project: Project | undefined }> | undefined
}>

export type ApplyMachine = Readonly<{ nextStep: typeof nextStep; afterAnswer: typeof afterAnswer }>

/** Seconds between two looks at the compute of a waiting change. Source: changing.md, §2. */
const LOOK_INTERVAL = seconds(10)
/** Seconds between two readings of the journal where nobody says that it has changed: another process may write. */
const IDLE_INTERVAL = seconds(60)

/** With the time on the monotonic clock. */
type Looked = Readonly<{ seen: Seen; on: Seconds }>
type Progress = Readonly<{ change: Change; looked: Looked | undefined }>

const withChange = (change: Change | undefined, looked?: Looked): Progress | undefined =>
  change && { change, looked }

export function createApplyLoop(options: ApplyLoopOptions) {
  const { account, clock, random, store, journal, epoch, log, isKilled, clockOffset } = options
  const { machine = { nextStep, afterAnswer } } = options
  const holds = new Map<string, Hold>()
  /** When a change is looked at again, by its id. */
  const dueAt = new Map<string, Instant>()
  const takeLook = createLookPace(clock, options.looksPerSecond)
  let news = new AbortController()
  const now = () => instant(clock.now() + clockOffset())
  const openedAt = now()

  async function record(change: Change, to: ChangeState): Promise<Change | undefined> {
    const done = await transition(store, { change, to }, { at: now(), epoch })
    if (!done.ok) {
      log.warn({ change: change.id, problem: done.error.kind }, 'a change was changed by somebody else')
      return undefined
    }
    const { state } = done.value
    log.info({ change: change.id, endpointId: change.ref.endpointId, state }, 'a change moved on')
    holds.delete(change.id)
    return done.value
  }

  /** Does what can be done now. @returns when to go on; undefined when the change has ended */
  async function advance(first: Change, signal: AbortSignal): Promise<Instant | undefined> {
    const rules = await options.rulesOf(first)
    let progress: Progress | undefined = { change: first, looked: undefined }
    while (progress && !signal.aborted) {
      const input = { change: progress.change, seen: progress.looked?.seen, epoch, openedAt }
      const rulesNow = { ...rules, isKilled: isKilled() }
      const step = machine.nextStep({ ...input, rules: rulesNow, settle: options.settle }, now())
      if (step.do === 'nothing') return undefined
      if (step.do === 'wait') {
        holds.set(progress.change.id, step.hold)
        return dueAfter(step.hold, now())
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
    if (step.do === 'send') return withChange(await send(change, step.state, { looked, signal }))
    const result = looked ? undefined : await look(change, signal)
    if (!result) return undefined
    return 'seen' in result ? { change, looked: result } : withChange(await record(change, result))
  }

  /** Undefined where a look would tell nothing new, has no request left, or failed. */
  async function look(change: Change, signal: AbortSignal): Promise<Looked | EndedChange | undefined> {
    const { compute, project } = options.published(change) ?? {}
    if (isAwake(change, compute)) {
      holds.set(change.id, { because: 'awake', until: undefined })
      return undefined
    }
    if (!takeLook()) return undefined
    const on = clock.monotonic()
    const looked = await lookAt({ ...options, now }, { change, project }, signal)
    return looked.ok ? { seen: looked.value, on } : afterFailedLook(looked.error, now())
  }

  /** Stores that a request may be on its way, writes it, and stores what its answer means. */
  async function send(
    scheduled: Change,
    applying: Applying,
    { looked, signal }: Readonly<{ looked: Looked | undefined; signal: AbortSignal }>,
  ): Promise<Change | undefined> {
    const change = await record(scheduled, applying)
    if (!change) return undefined
    const wallOffset = clock.now() - 1000 * clock.monotonic()
    let isWithdrawn = false
    const maySend = () => {
      const isFresh = looked !== undefined && 1000 * (clock.monotonic() - looked.on) <= MAX_LOOK_AGE
      const isSteady = Math.abs(clock.now() - 1000 * clock.monotonic() - wallOffset) <= MAX_LOOK_AGE
      isWithdrawn = isKilled() || signal.aborted || !isFresh || !isSteady || now() > change.deadline
      return !isWithdrawn
    }
    const answer = await request(options.service.at('apply', maySend), change)
    const sent: Sent = isWithdrawn ? failed({ kind: 'withdrawn' }) : answer
    return record(change, machine.afterAnswer(applying, { answer: sent, random: random.unit(), now: now() }))
  }

  async function turn(signal: AbortSignal): Promise<Seconds> {
    const changes = await journal.openChanges(account)
    const known = new Set(changes.map(({ id }) => id))
    for (const id of dueAt.keys()) if (!known.has(id)) forget(id)
    for (const change of changes) {
      if (signal.aborted || (dueAt.get(change.id) ?? 0) > now()) continue
      const next = await advance(change, signal)
      if (next === undefined) forget(change.id)
      else dueAt.set(change.id, next)
    }
    const soonest = Math.min(...dueAt.values(), after(now(), IDLE_INTERVAL))
    return seconds(Math.max(0, soonest - now()) / 1000)
  }

  function forget(id: string) {
    dueAt.delete(id)
    holds.delete(id)
  }

  return {
    /** Until `signal` aborts. Never rejects. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        let wait = LOOK_INTERVAL
        try {
          wait = await turn(signal)
        } catch (err) {
          log.error({ err, account }, 'changes could not be worked on')
        }
        await clock.sleep(wait, AbortSignal.any([signal, news.signal]))
      }
    },
    /** The journal has changed: looks at once. */
    wake: () => {
      dueAt.clear()
      news.abort()
      news = new AbortController()
    },
    /** Why a change is not sent now; undefined where nothing holds it, or nobody looked yet. */
    holdOf: (id: string): Hold | undefined => holds.get(id),
  }
}

/** Seconds between two turns, at least: a time that has come makes no busy loop. */
const MIN_INTERVAL = seconds(1)

/** Looks tell nothing of holds that only time ends. */
function dueAfter({ because, until }: Hold, now: Instant): Instant {
  const isTimed = because === 'retry' || because === 'delay-pace'
  const next =
    until !== undefined && isTimed
      ? until
      : earliest(until ?? after(now, LOOK_INTERVAL), after(now, LOOK_INTERVAL))
  return latest(next, after(now, MIN_INTERVAL))
}

/** The request is carried through once it was written, also when the process stops: its deadline bounds it. */
const NEVER_STOPPED = new AbortController().signal

function request(service: Service, { kind, ref, desired }: Change): Promise<Sent> {
  const { projectId, endpointId } = ref
  return kind === 'restart'
    ? service.restartCompute(projectId, endpointId, NEVER_STOPPED)
    : service.updateCompute(projectId, endpointId, desired, NEVER_STOPPED)
}

/** Whether the last pass saw what the change waits to end: then a look would tell nothing new. */
const isAwake = ({ kind, when, state }: Change, compute: Compute | undefined): boolean =>
  state.at === 'scheduled' && kind === 'sizing' && when === 'idle' && compute?.state === 'active'

/** Looks that may go out at once after a quiet time. */
const LOOK_BURST = 5

/** Token bucket of looks. */
function createLookPace(clock: Pick<Clock, 'monotonic'>, perSecond: number) {
  let [tokens, at] = [LOOK_BURST, clock.monotonic()]
  return (): boolean => {
    const then = at
    at = clock.monotonic()
    tokens = Math.min(LOOK_BURST, tokens + (at - then) * perSecond)
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}
