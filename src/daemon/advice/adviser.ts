// Recommendations beside the passes, one compute, or the defaults of one project, per step: each once a day, when an answer is due, after its
// past was read, after a change of its settings, and when it needs a larger size.
import { accountUtilisation } from '../../ledger/metering/sizes-from-metering.ts'
import { meteredProjects } from '../../ledger/apply-sweep.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Recommendation, Setting } from '../../model/policy/recommendation.ts'
import { projectTargetOf, selectorTargetOf } from '../../model/policy/selector.ts'
import { commit, type AccountStore } from '../../model/ports/store.ts'
import type { Clock } from '../../model/ports/clock.ts'
import {
  DEFAULT_AUTOSUSPEND_DELAY,
  isComputeRef,
  isSameSizing,
  targetKey,
  type TargetRef,
} from '../../model/service/compute.ts'
import { instant, micros, seconds, type Instant } from '../../model/units.ts'
import { createOrder } from '../../std/in-order.ts'
import type { Result } from '../../std/result.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { PassState } from '../pass/pass-state.ts'
import { createAdviceViews } from './advice-views.ts'
import { createDueBySaturation, findDue } from './due.ts'
import { findDueProjects } from './due-projects.ts'
import { evaluateDefaults } from './evaluate-defaults.ts'
import { changeRecommendation, evaluateCompute, type AdviceChange, type AdvicePlan } from './evaluate.ts'
import type { SavedSpend } from './saved-spend.ts'
import { readStoredAdvice, type AdviceHistory } from './read-input.ts'

type AdviserOptions = Readonly<{
  account: string
  clock: Clock
  history: AdviceHistory
  store: Pick<AccountStore, 'commit'>
  epoch: number
  /** Absent where nobody asks for changes. */
  savedSpend?: SavedSpend
  log: DaemonEnvironment['log']
  /** As configured now. */
  plan: () => AdvicePlan
  /** Share of a core that evaluations may take; 1 for a command that waits for the answer. */
  share: number
}>

export type Adviser = Awaited<ReturnType<typeof createAdviser>>

/** Seconds between two scans for computes that are due, at the most. */
const MAX_SCAN_INTERVAL = 3600

export async function createAdviser(options: AdviserOptions) {
  const { account, clock, history, store, epoch, savedSpend, log, plan, share } = options
  const views = createAdviceViews()
  await views.load(history, account, clock.now())
  const pace = createPace(clock, share)
  const inOrder = createOrder()
  const dueBySaturation = createDueBySaturation()
  /** Keys of computes to be evaluated, in order. */
  const queue = new Set<string>()
  /** Ids of projects whose defaults are to be evaluated, after all computes. */
  const projectQueue = new Set<string>()
  /** Ids of projects whose defaults were evaluated, perhaps before their past was read. */
  const judgedProjects = new Set<string>()
  const scans = createScans(clock, share)
  let utilisation = accountUtilisation([])
  let state: PassState | undefined
  let running: Promise<void> | undefined

  const now = () => instant(clock.now() + (state?.clock.offset ?? 0))

  async function put({ ref, before, after, writes, saved }: AdviceChange) {
    await commit(store, writes, { epoch })
    savedSpend?.add(saved)
    views.replace(targetKey(ref), before, after)
  }

  async function scan({ ledger }: PassState) {
    const finish = scans.start()
    utilisation = accountUtilisation(meteredProjects(ledger, new Map()))
    const { needs, policies } = plan()
    const needsOf = ({ ref, compute }: ComputeEntry) => {
      const project = ledger.projects.get(ref.projectId)?.project
      // the price of an awake hour has no part in what is needed
      return policies.of(selectorTargetOf(account, compute, project), micros(0)).needs ?? needs
    }
    const due = await findDue(ledger, { history, clock, needsOf, now: now() })
    for (const key of due.keys) queue.add(key)
    const dueProjects = await findDueProjects(ledger, openProjects(), {
      history,
      clock,
      // the price of an awake hour has no part in what is needed
      needsOf: (project) => policies.of(projectTargetOf(account, project), micros(0)).needs ?? needs,
      now: now(),
    })
    for (const projectId of dueProjects.projectIds) projectQueue.add(projectId)
    finish()
    for (const nextAt of [due.nextAt, dueProjects.nextAt])
      if (nextAt !== undefined) scans.dueIn((nextAt - now()) / 1000)
  }

  /** Ids of projects with open recommendations of their own. */
  const openProjects = () => [...views.openProjects()].map(({ projectId }) => projectId)

  /** Evaluates one compute. A failure is logged and ends no other evaluation. */
  async function evaluate(key: string, { ledger }: PassState) {
    const entry = ledger.computes.get(key)
    if (!entry) return
    const project = ledger.projects.get(entry.ref.projectId)
    await make(entry.ref, () => evaluateCompute(entry, { ...context(), utilisation, project }))
  }

  async function evaluateProject(projectId: string, { ledger }: PassState) {
    const entry = ledger.projects.get(projectId)
    const ref = { account, projectId }
    judgedProjects.add(projectId)
    if (entry)
      await make(ref, () => evaluateDefaults(ref, entry, { ...context(), utilisation, ledger, clock }))
  }

  const context = () => ({ history, plan: plan(), finished: views.finished(), savedSpend, now: now() })

  async function make(ref: TargetRef, evaluated: () => Promise<AdviceChange>) {
    try {
      await inOrder(async () => {
        const change = await evaluated()
        await put(change)
        if (change.dueAt !== undefined) scans.dueIn((change.dueAt - now()) / 1000)
      })
    } catch (err) {
      log.error(
        { err, ...ref },
        isComputeRef(ref)
          ? 'recommendations of a compute could not be made'
          : 'recommended defaults of a project could not be made',
      )
    }
    await clock.yield()
  }

  async function work(signal: AbortSignal) {
    for (let step = nextStep(); step && !signal.aborted; step = nextStep())
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      await pace.run(step, signal)
  }

  /** On the newest state; undefined when nothing is due. */
  function nextStep() {
    const current = state
    if (!current) return undefined
    const [key] = queue
    if (key !== undefined) {
      queue.delete(key)
      return () => evaluate(key, current)
    }
    const [projectId] = projectQueue
    if (projectId !== undefined) {
      projectQueue.delete(projectId)
      return () => evaluateProject(projectId, current)
    }
    return scans.isDue() ? () => scan(current) : undefined
  }

  return {
    /** Open recommendations of a compute or project by its key; undefined where there are none. */
    openOf: views.openOf,
    /** Projects with open recommendations of their own. */
    openProjects: views.openProjects,
    summary: views.summary,
    /** Notes what is due by what a turn brought. */
    observed: ({ ledger, persistence: { settingsChanged, pastRead, saturated } }: PassState) => {
      for (const key of [...settingsChanged, ...pastRead, ...dueBySaturation(saturated, now())])
        queue.add(key)
      for (const key of pastRead) {
        const projectId = ledger.computes.get(key)?.ref.projectId
        if (projectId !== undefined && judgedProjects.has(projectId)) projectQueue.add(projectId)
      }
    },
    /** Starts what is due, beside everything else. Never throws. */
    refresh: (next: PassState, signal: AbortSignal) => {
      state = next
      for (const key of views.openKeys())
        if (next.ledger.computes.get(key)?.deletedAt !== undefined) queue.add(key)
      for (const { projectId, from } of views.openProjects())
        if (isChanged(next.ledger.projects.get(projectId), from)) projectQueue.add(projectId)
      running ??= work(signal)
        .catch((err: unknown) => {
          log.error({ err, account }, 'recommendations could not be made')
        })
        .finally(() => {
          running = undefined
        })
    },
    /** Commits the change of a recommendation between two evaluations, unless it is refused. @throws when the store fails */
    change: <Problem>(
      recommendation: Recommendation,
      change: (current: Recommendation, now: Instant) => Result<Recommendation, Problem>,
    ): Promise<Result<Recommendation, Problem>> =>
      inOrder(async () => {
        const stored = await readStoredAdvice(history, recommendation.ref, now())
        const current = stored.recommendations.find(({ id }) => id === recommendation.id) ?? recommendation
        const changed = change(current, now())
        if (!changed.ok) return changed
        await put(changeRecommendation(stored, changed.value))
        // the next evaluation says why nothing is recommended now
        const { ref } = recommendation
        if (isComputeRef(ref)) queue.add(targetKey(ref))
        else projectQueue.add(ref.projectId)
        return changed
      }),
    /** Resolves when nothing is running. */
    idle: async () => running,
  }
}

/** Whether the project is deleted, or its defaults are not those that a recommendation was made for. */
function isChanged(entry: ProjectEntry | undefined, { delay, sizing }: Setting): boolean {
  if (!entry) return false
  const { defaultAutosuspendDelay = DEFAULT_AUTOSUSPEND_DELAY, defaultSizing } = entry.project
  const hasDelay = delay === undefined || defaultAutosuspendDelay === delay
  const hasSize = !sizing || (defaultSizing !== undefined && isSameSizing(defaultSizing, sizing))
  return entry.deletedAt !== undefined || !hasDelay || !hasSize
}

/** Seconds of work at full speed before the share holds: a small account gets all its answers at once. */
const WORK_BURST = 2

/** Pace of work beside the passes. @param share of a core; 1 for no waits */
export function createPace(clock: Pick<Clock, 'monotonic' | 'sleep'>, share: number) {
  let credit = WORK_BURST
  let at = clock.monotonic()
  return {
    /** Runs `work`, then waits as long as the share asks for. */
    run: async (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
      const startedAt = clock.monotonic()
      credit = Math.min(WORK_BURST, credit + share * (startedAt - at))
      at = startedAt
      await work()
      credit -= clock.monotonic() - startedAt
      if (credit < 0 && share < 1) await clock.sleep(seconds(-credit / share), signal)
    },
  }
}

/** When computes are looked for that are due: when the first of them is, at least every hour, and within the share of a core. */
function createScans(clock: Pick<Clock, 'monotonic'>, share: number) {
  let nextAt = clock.monotonic()
  let notBefore = nextAt
  return {
    isDue: () => clock.monotonic() >= nextAt,
    /** @returns to be called when the scan has ended */
    start: () => {
      const startedAt = clock.monotonic()
      nextAt = seconds(startedAt + MAX_SCAN_INTERVAL)
      return () => {
        notBefore = seconds(startedAt + (clock.monotonic() - startedAt) / share)
        nextAt = seconds(Math.max(nextAt, notBefore))
      }
    },
    /** A compute is due after so many seconds. */
    dueIn: (span: number) => {
      nextAt = seconds(Math.max(notBefore, Math.min(nextAt, clock.monotonic() + span)))
    },
  }
}
