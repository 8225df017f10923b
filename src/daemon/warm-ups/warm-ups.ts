// Warm-ups of one account, beside the passes: starts sleeping computes ahead of the clients that are expected.
/* oxlint-disable no-await-in-loop -- one start after the other */
import type { AccountConfig, Config } from '../../config/load.ts'
import { warmUpHold } from '../../decide/warm-up-hold.ts'
import type { Hold } from '../../model/policy/hold.ts'
import type { SelectorTarget } from '../../model/policy/selector.ts'
import type { WarmUpView } from '../../model/policy/warm-up.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { accountIn } from '../accounts/live-plan.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { ChangeRunner } from '../changes/change-runner.ts'
import type { KillSwitch } from '../changes/kill-switch.ts'
import type { PassState } from '../pass/pass-state.ts'
import { createWarmUpPlans, type PlannedCompute } from './plans.ts'
import { loadSentWarmUps } from './sent.ts'
import { warmUpTerms } from './warm-up-terms.ts'

type WarmUpOptions = Readonly<{
  account: AccountConfig
  config: () => Config
  ports: Pick<Ports, 'clock' | 'service' | 'store' | 'epoch' | 'history'>
  history: Pick<Outbox, 'jobState'>
  placedHolds: ChangeRunner['placedHolds']
  killSwitch: Pick<KillSwitch, 'isEngaged'>
  isCurrent: () => boolean
  state: () => PassState
  log: DaemonEnvironment['log']
}>

/** A start is made up to so late, 60 s: the learner plans it a minute ahead. */
const LATEST = seconds(60)
/** Time between two looks for starts that are held. */
const HELD_INTERVAL = seconds(10)
/** Time between two looks for starts where none is planned: plans are made after passes, which end the wait. */
const IDLE_INTERVAL = seconds(3600)
/** Reason of the signal that ends a wait: without one, each pass would make an exception with its stack. */
const PLANNED_ANEW = 'starts were planned anew'

/** @throws when the store fails */
export async function createWarmUps(options: WarmUpOptions) {
  const { account, config, ports, isCurrent, state, log } = options
  const { clock, service } = ports
  const now = () => instant(clock.now() + state().clock.offset)
  const sent = await loadSentWarmUps({
    ...ports,
    account: account.name,
    history: options.history,
    now,
  })
  const plans = createWarmUpPlans({
    account: account.name,
    history: ports.history,
    clock,
    now,
    config: () => {
      const { policies, advice } = config()
      return { policies, needs: advice, prices: accountIn(config(), account).prices }
    },
  })
  /** By the key of the compute, of starts that are due now. */
  const holds = new Map<string, Hold>()
  /** By the key of the compute: the last start that was made, or that a client made needless. */
  const handled = new Map<string, Instant>()
  let news = new AbortController()
  let running: Promise<void> | undefined

  const holdOf = ({ target }: PlannedCompute): Hold | undefined =>
    warmUpHold(warmUpTerms(target, { ...options, clock, config: config(), state: state() }), now())

  /** The first start that is not made, nor too late; undefined without one. */
  const nextStart = ({ ref, plan }: PlannedCompute): Instant | undefined => {
    const last = Math.max(sent.lastTo(ref) ?? 0, handled.get(computeKey(ref)) ?? 0)
    return plan.starts.find((at) => at > last && at + LATEST * 1000 > now())
  }

  async function startDue(signal: AbortSignal): Promise<void> {
    holds.clear()
    for (const planned of plans.all()) {
      const due = nextStart(planned)
      if (due === undefined || due > now() || signal.aborted || !isCurrent()) continue
      const hold = holdOf(planned) ?? (await start(planned, due, signal))
      if (hold) holds.set(computeKey(planned.ref), hold)
    }
  }

  /** Looks first: a client may have come since the last pass. @returns what holds it; undefined where it was handled */
  async function start(
    planned: PlannedCompute,
    due: Instant,
    signal: AbortSignal,
  ): Promise<Hold | undefined> {
    const { ref, plan, suspendedAt } = planned
    const { projectId, endpointId } = ref
    const listed = await service.at('apply').listComputes(projectId, signal)
    if (!listed.ok) return { because: 'unseen', until: undefined }
    handled.set(computeKey(ref), due)
    const seen = listed.value.items.find((compute) => compute.endpointId === endpointId)
    const isAsleep = seen?.state === 'idle' && seen.pendingState === undefined && !seen.disabled
    if (!isAsleep || seen.suspendedAt !== suspendedAt) return undefined
    const at = now()
    await sent.add(ref, at)
    const isAllowed = () => isCurrent() && holdOf(planned) === undefined
    const answer = await service.at('apply', isAllowed).startCompute(projectId, endpointId, signal)
    if (answer.ok)
      log.info({ ...ref, ...plan.backtest }, 'a compute was started ahead of a client that is expected')
    else {
      if (hadNoEffect(answer.error)) await sent.failed(ref, at)
      const error = serviceErrorText(answer.error)
      log.warn({ ...ref, error }, 'a compute could not be started ahead of a client')
    }
    return undefined
  }

  const planAnew = async (next: PassState): Promise<void> => {
    await sent.follow(next.ledger)
    await plans.refresh(next)
    // of a gap that is over
    for (const [key, at] of handled) if (at + LATEST * 1000 < now()) handled.delete(key)
  }

  const nextWait = (): Seconds => {
    if (holds.size > 0) return HELD_INTERVAL
    const starts = [...plans.all()].flatMap((planned) => nextStart(planned) ?? [])
    const wait = Math.ceil(Math.min(...starts, Infinity) - now()) / 1000
    return seconds(Math.max(1, Math.min(IDLE_INTERVAL, wait)))
  }

  return {
    timesOf: sent.timesOf,
    waiting: sent.waiting,
    counts: sent.counts,
    /** Undefined where the policy of the compute allows none. */
    viewOf: (ref: ComputeRef, target: SelectorTarget): WarmUpView | undefined => {
      if (!config().policies.warmUpsOf(target)) return undefined
      const planned = plans.of(ref)
      return {
        plan: planned?.plan,
        nextAt: planned && nextStart(planned),
        hold: holds.get(computeKey(ref)),
      }
    },
    /** After a pass, beside everything else. Never throws. */
    refresh: (next: PassState): void => {
      running ??= planAnew(next)
        .catch((err: unknown) => {
          log.error({ err, account: account.name }, 'warm-ups could not be planned')
        })
        .finally(() => {
          running = undefined
          news.abort(PLANNED_ANEW)
        })
    },
    idle: async (): Promise<void> => running,
    /** Until `signal` aborts. Never rejects. */
    run: async (signal: AbortSignal): Promise<void> => {
      signal.addEventListener('abort', () => news.abort(PLANNED_ANEW), { once: true })
      while (!signal.aborted) {
        news = new AbortController()
        try {
          await startDue(signal)
        } catch (err) {
          log.error({ err, account: account.name }, 'computes could not be started ahead of clients')
        }
        await clock.sleep(nextWait(), news.signal)
      }
    },
  }
}

/** Whether the service certainly did nothing. */
const hadNoEffect = ({ kind }: ServiceError): boolean => kind !== 'uncertain' && kind !== 'malformed'
