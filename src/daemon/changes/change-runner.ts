// Changes of one account: its apply loop, and what commands need of the account.
import type { AwakeRungs, ChangePolicy } from '../../model/policy/change-policy.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import { breakerState, isFailure } from '../../decide/breaker.ts'
import { changeHold, type ChangeTerms } from '../../decide/change-hold.ts'
import { changeSlot, slotSpan } from '../../decide/slot.ts'
import { engagedBrakesOf } from '../../decide/engaged-brakes.ts'
import { awakeRungs } from '../../decide/policy-hold.ts'
import { ifRead } from '../../model/observation.ts'
import type { BrakeName } from '../../model/policy/brakes.ts'
import { isEnded, restartsCompute, type Change, type OpenChange } from '../../model/policy/change.ts'
import type { Hold } from '../../model/policy/hold.ts'
import type { PlanLimits } from '../../model/policy/plan-limits.ts'
import type { Journal, StoredChanges } from '../../model/ports/journal.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { instant, type Instant, type Interval } from '../../model/units.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { recommends } from '../accounts/ports.ts'
import type { PassState } from '../pass/pass-state.ts'
import { earliestNow, isSteady } from '../pass/service-clock.ts'
import { createApplyLoop } from './apply-loop.ts'
import type { ApplyLoopOptions } from './apply-loop-options.ts'
import { moveBreaker } from './brakes/policy-brakes.ts'
import { createAwakeUse, createLightReading } from './awake-use.ts'
import { createChangeTimes, type ChangeTimes } from './change-times.ts'
import { createDurations } from './durations.ts'
import { createPlacedHolds, type PlacedHolds } from './placed-holds.ts'
import type { KillSwitch } from './kill-switch.ts'
import { createRestarts } from './restarts.ts'
import { changingProjects, isSuspensionNear } from './holds.ts'
import { newRevert } from './new-change.ts'
import { createProjectWindows } from './project-windows.ts'
import { createStoredBrakes, type StoredBrakes } from './stored-brakes.ts'
import { createChangeRules } from './rules.ts'
import { createPublished } from './targets.ts'
import { createVerification } from './verification.ts'

export type ChangeRunner = Readonly<{
  store: Ports['store']
  send: Ports['send']
  /** Service time. */
  now: () => Instant
  limits: () => Readonly<{ preset: Preset; limits: PlanLimits | undefined }>
  open: () => readonly OpenChange[]
  /** What a pass must know of changes. */
  forPass: () => Readonly<{ changesOf: ChangeTimes['of']; changing: ReadonlySet<string> }>
  holdOf: (id: string) => OpenChange['hold']
  /** By a freeze, a hold of a person, or the policy of the compute, as configured now. @param isForced default: whether it is forced now */
  policyHold: (change: Change, isForced?: boolean) => Hold | undefined
  /** When windows, freezes, holds and brakes let it be sent, within a week; undefined where nobody can say. */
  slotOf: (change: Change) => Interval | undefined
  placedHolds: PlacedHolds
  storedBrakes: StoredBrakes
  /** Engages the breaker where changes failed, and moves it on afterwards. */
  watchBreaker: () => Promise<void>
  /** Besides the kill switch; those of policies only where policies make changes. */
  engagedBrakes: () => readonly BrakeName[]
  /** The journal, the kill switch or the mode has changed. */
  wake: () => void
  /** Until `signal` aborts. Never rejects. */
  run: (signal: AbortSignal) => Promise<void>
}>

export type ApplyLoopMaker = typeof createApplyLoop

type ChangeRunnerOptions = Pick<ApplyLoopOptions, 'isCurrent' | 'isPassing' | 'onMove' | 'onVerdict'> &
  Readonly<{
    account: AccountConfig
    config: () => Config
    ports: Ports
    journal: Journal
    /** As stored at the start. Open changes, oldest first, are shown before the first turn. */
    initial: StoredChanges
    killSwitch: Pick<KillSwitch, 'isEngaged'>
    log: DaemonEnvironment['log']
    state: () => PassState
    preset: () => Preset
    /** Default `createApplyLoop`. */
    applyLoop?: ApplyLoopMaker | undefined
    /** Ids of computes with a hard budget that is nearly spent. Default: none. */
    nearlySpent?: () => ReadonlySet<string>
  }>

/** Share of the request allowance that the loop may take. Source: changing.md. */
const LOOP_SHARE = 0.1

export function createChangeRunner(options: ChangeRunnerOptions): ChangeRunner {
  const { account, config, ports, journal, killSwitch, log, state, applyLoop = createApplyLoop } = options
  const { clock, store, send } = ports
  const clockOffset = () => state().clock.offset
  const now = () => instant(clock.now() + clockOffset())
  const isClockSteady = () => isSteady(state().clock, clock)
  const times = createChangeTimes(now)
  const durations = createDurations()
  const restarts = createRestarts(now)
  const placedHolds = createPlacedHolds({
    ...ports,
    account: account.name,
    // no hold ends early where the wall clock was set
    now: () => earliestNow(state().clock, clock),
    log,
    initial: options.initial,
    onChange: () => loop.wake(),
  })
  const storedBrakes = createStoredBrakes({
    ...ports,
    account: account.name,
    now,
    initial: options.initial.brakes,
    onChange: () => loop.wake(),
  })
  const startedOn = clock.monotonic()
  /** Whether restarts of earlier processes are known. */
  let isLoaded = false
  const published = createPublished({ account: account.name, state })
  const { entryOf, computeOf, defaultDelayOf } = published
  /** Undefined where no pass has seen it. */
  const policyOf = (ref: TargetRef): ChangePolicy | undefined => {
    const target = published.selectorTargetOf(ref)
    return target && config().policies.changesOf(target)
  }
  const projectWindows = createProjectWindows({
    ...ports,
    account: account.name,
    now,
    rulesOf: ({ ref }) => policyOf(ref)?.restart,
    log,
  })
  const termsOf = ({ projectId }: TargetRef, policy: ChangePolicy) => ({
    policy,
    windows: config().windows,
    ofProject: projectWindows.of(projectId),
    duration: durations.p99(),
  })
  const freezes = () => {
    const { windows, changes } = config()
    return changes.freeze.map((name) => [name, windows.get(name)] as const)
  }
  const holdTermsOf = (
    { id, ref, when }: Change,
    isForced = placedHolds.forceOf(id) !== undefined,
  ): ChangeTerms => {
    const policy = policyOf(ref)
    return {
      freezes: freezes(),
      holds: placedHolds.fitting(published.selectorTargetOf(ref)),
      duration: durations.p99(),
      isClockSteady: isClockSteady(),
      mode: policy?.mode,
      unasked:
        policy && when === 'policy'
          ? {
              policy: { ...termsOf(ref, policy), isForced },
              brakes: {
                ...brakeContext(),
                createdAt: entryOf(ref)?.compute.createdAt ?? instant(0),
                goFirst: goFirst(),
              },
            }
          : undefined,
    }
  }
  const policyHoldOf = (change: Change, isForced?: boolean): Hold | undefined =>
    changeHold(change, holdTermsOf(change, isForced), now())
  const goFirst = (): readonly Change[] => {
    const computes = options.nearlySpent?.() ?? new Set()
    if (computes.size === 0) return []
    const waiting = loop.open().filter(({ hold }) => hold?.because === 'fleet-pace')
    return waiting.map(({ change }) => change).filter(({ ref }) => computes.has(ref.endpointId ?? ''))
  }
  const brakeContext = () => ({
    brakes: config().brakes,
    restarts: restarts.all(),
    engaged: storedBrakes.engaged(),
    breaker: storedBrakes.of('breaker'),
    failedRequests: ports.failedRequests?.(config().brakes.breakerErrorWithin),
    // the service's time may be known only later
    startedAt: instant(now() - 1000 * (clock.monotonic() - startedOn)),
    isSwept: isLoaded && state().polling.list.finished !== undefined,
  })
  const watchBreaker = () =>
    moveBreaker(storedBrakes, config().policies.decidesChanges && breakerState(brakeContext(), now()))
  const verification = createVerification({
    history: ports.history,
    entryOf,
    defaultDelayOf,
    warmUp: () => config().verify.warmUp,
    now,
  })
  const rungsOf = (change: Change): AwakeRungs | undefined => {
    const policy = change.when === 'policy' ? policyOf(change.ref) : undefined
    if (!policy || !restartsCompute(change.kind)) return undefined
    return awakeRungs({ ...termsOf(change.ref, policy), freezes: freezes() }, now())
  }
  /** A person who waits for a suspension wants the next one. */
  const waitsNaturally = ({ ref, kind, when }: Change) =>
    restartsCompute(kind) &&
    (when === 'idle' || (when === 'policy' && policyOf(ref)?.restart.when.includes('natural') === true))
  const isRead = () => config().reading.mode !== 'off'
  const readLightly = createLightReading({ ...ports, isRead, defaultDelayOf, now })
  const uses = createAwakeUse({ history: ports.history, entryOf, readLightly, now })
  const rulesOf = createChangeRules({
    account: account.name,
    journal,
    history: ports.history,
    duration: durations.p99,
    now,
  })
  const loop = applyLoop({
    ...ports,
    verification,
    account: account.name,
    journal,
    isCurrent: options.isCurrent,
    initial: options.initial.open,
    log,
    settle: () => config().service.settle,
    isPassing: options.isPassing,
    requestsPerSecond: (LOOP_SHARE * config().service.requestsPerMinute) / 60,
    stoppedBy: () => {
      if (!recommends(config())) return 'mode'
      return killSwitch.isEngaged() ? 'kill-switch' : undefined
    },
    isKeyRefused: () => state().service.status === 'unauthorized',
    policyHold: (change) => policyHoldOf(change),
    rungsOf,
    isSuspensionNear: (change) => {
      const seen = waitsNaturally(change) ? computeOf(change.ref) : undefined
      return seen !== undefined && isSuspensionNear(seen, config().poll.interval, now())
    },
    rulesOf: async (change, seen, signal) => {
      const { compute } = seen
      const rungs = compute?.state === 'active' ? rungsOf(change) : undefined
      return {
        ...(await rulesOf(change, seen)),
        use: compute && rungs && (await uses.of(change, { compute, rungs }, signal)),
      }
    },
    revertOf: (change, why) => {
      const isProposed = policyOf(change.ref)?.mode !== 'apply'
      return newRevert(change, { ...why, isProposed, random: ports.random, now: now() })
    },
    countSessions: async (compute, signal) => {
      const counts = ifRead((await readLightly(compute, signal))?.connections)
      return counts ? counts.active + counts.idle + counts.idleInTransaction + counts.other : 'unknown'
    },
    clockOffset,
    isClockSteady,
    onTurn: (open, signal) => void projectWindows.refresh(open, signal),
    onVerdict: (verdict) => options.onVerdict?.(verdict),
    onMove: (change) => {
      times.add(change)
      durations.add(change)
      restarts.add(change)
      options.onMove?.(change)
      // at once, not after the next pass
      if (isFailure(change.state) || (isEnded(change.state) && storedBrakes.of('breaker')))
        watchBreaker().catch((err: unknown) =>
          log.error({ err, account: account.name }, 'the breaker could not be stored'),
        )
      if (!isEnded(change.state)) return
      verification.forget(change.id)
      uses.forget(change.id)
    },
    isDeleted: ({ ref }) => published.isDeleted(ref),
    published: ({ ref }) => computeOf(ref),
  })
  return {
    store,
    send,
    now,
    limits: () => ({ preset: options.preset(), limits: account.limits }),
    open: loop.open,
    forPass: () => ({ changesOf: times.of, changing: changingProjects(loop.open(), state()) }),
    holdOf: loop.holdOf,
    policyHold: policyHoldOf,
    slotOf: (change) => changeSlot(change, holdTermsOf(change), slotSpan(now())),
    placedHolds,
    storedBrakes,
    watchBreaker,
    engagedBrakes: () => {
      const { decidesChanges } = config().policies
      const isHeld = placedHolds.standing().length > 0
      return engagedBrakesOf({ freezes: freezes(), isHeld, decidesChanges, brakes: brakeContext() }, now())
    },
    wake: loop.wake,
    run: async (signal) => {
      await times.load(journal, account.name, log)
      await durations.load(journal, account.name, log)
      isLoaded = await restarts.load(journal, account.name, log)
      await Promise.all([loop.run(signal), placedHolds.run(signal)])
    },
  }
}
