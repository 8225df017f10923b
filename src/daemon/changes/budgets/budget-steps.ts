// Steps of budgets on the computes of one account: what the rungs reached ask for, and what is put back after their period.
/* oxlint-disable no-await-in-loop -- few computes, one commit after the other */
import type { ChangeAsk } from '../../../apply/asked-settings.ts'
import { changeEvents } from '../../../apply/events.ts'
import { planChange, planRevert } from '../../../apply/plan.ts'
import { hasSettings } from '../../../apply/settings.ts'
import {
  actingRungs,
  isOver,
  stepKey,
  stepOf,
  wasSetByOthers,
  type BudgetStep,
  type CurrentPeriods,
} from '../../../decide/budget-steps.ts'
import { whyNotMade, type Candidate } from '../../../decide/decide.ts'
import { mayActOn } from '../../../ledger/budgets/evaluate.ts'
import type { NotMadeBecause } from '../../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Budget, BudgetView, BudgetWithForecast, Rung, StepRung } from '../../../model/policy/budget.ts'
import { sentAtOf } from '../../../model/policy/change.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import type { Policies } from '../../../model/policy/policies.ts'
import { selectorTargetOf, type SelectorTarget } from '../../../model/policy/selector.ts'
import type { History } from '../../../model/ports/history.ts'
import { transition, type Journal } from '../../../model/ports/journal.ts'
import type { Random } from '../../../model/ports/clock.ts'
import { effectiveDelay, type ComputeRef } from '../../../model/service/compute.ts'
import { after, earliest, type Instant } from '../../../model/units.ts'
import { digest } from '../../advice/evaluate.ts'
import type { ChangeRunner } from '../change-runner.ts'
import { newChange, scheduledAt } from '../new-change.ts'
import { planTargetOf, viewOfRef } from '../targets.ts'
import { loadStepMemory, type BudgetChange, type StepMemory } from './step-memory.ts'

export type BudgetStepSources = Readonly<{
  journal: Pick<Journal, 'change' | 'changes'>
  history: Pick<History, 'settings'>
  random: Random
  config: () => Readonly<{ policies: Policies; budgets: readonly Budget[] }>
  runnerOf: (account: string) => ChangeRunner
}>

/** A step, and the compute as the last pass saw it. */
export type WantedStep = BudgetStep &
  Readonly<{
    view: ComputeView
    policy: ChangePolicy
    /** End of the period. */
    until: Instant
  }>

export type BudgetPreview = Readonly<{
  view: BudgetWithForecast
  /** Steps of a rung, reached or not, each with the reason why no change is made of it; none where the budget does not act at it. */
  at: (rung: Rung) => readonly Readonly<{ step: WantedStep; because: NotMadeBecause | undefined }>[]
  madeAt: (rung: Rung) => readonly BudgetChange[]
}>

export const targetOf = ({ identity: { ref, compute, project } }: ComputeView): SelectorTarget =>
  selectorTargetOf(ref.account, compute, project)

/** Steps of a rung on the computes that the budget may act on and that are not at their floor, in the order of the computes. */
export function stepsAt(
  rung: StepRung,
  { budget, view }: Readonly<{ budget: Budget; view: BudgetView }>,
  { computes, config, runnerOf }: Pick<BudgetStepSources, 'config' | 'runnerOf'> & Pick<Snapshot, 'computes'>,
): readonly WantedStep[] {
  const { policies } = config()
  const { limits } = runnerOf(view.account).limits()
  return computes.flatMap((one) => {
    const target = targetOf(one)
    const { ref, compute, project } = one.identity
    if (ref.account !== view.account || one.state.isDeleted || !mayActOn(budget, target)) return []
    const { sizing } = compute
    const delay = effectiveDelay(compute, project)
    const step = stepOf(view, rung, { ref, sizing, delay, floors: policies.floorsOf(target), limits })
    return step ? [{ ...step, view: one, policy: policies.changesOf(target), until: view.period.to }] : []
  })
}

export function createBudgetSteps(sources: BudgetStepSources) {
  const { config, runnerOf, journal, history, random } = sources
  const memories = new Map<string, StepMemory>()

  async function memoryOf(account: string): Promise<StepMemory> {
    const known = memories.get(account)
    if (known) return known
    const loaded = await loadStepMemory(journal, account, runnerOf(account).now())
    memories.set(account, loaded)
    return loaded
  }

  const periodsOf = (account: string, now: Instant): CurrentPeriods =>
    new Map(
      config()
        .budgets.filter((budget) => budget.account === account)
        .map(({ name, periodAt }) => [name, periodAt(now)?.from]),
    )

  /** Budgets that act, with the rungs at which they do. */
  const actingIn = ({ accounts }: Snapshot, account: string) => {
    const views = accounts.find((view) => view.account === account)?.budgets ?? []
    return views.flatMap((view) => {
      const budget = config().budgets.find((one) => one.account === account && one.name === view.name)
      const rungs = actingRungs(view)
      return budget && rungs.length > 0 ? [{ budget, view, rungs }] : []
    })
  }

  /** Whether the value was another one since the step was sent: by a change that somebody asked for, or past Dormouse. */
  async function isForeign(
    { ref, kind, desired, state, createdAt }: BudgetChange,
    now: Instant,
  ): Promise<boolean> {
    const interval = { from: sentAtOf(state) ?? createdAt, to: now, computes: [ref] }
    const settings = await Array.fromAsync(history.settings(ref.account, interval))
    if (wasSetByOthers(desired, settings)) return true
    const changes = await journal.changes(ref.account, { target: ref, since: createdAt, count: MANY })
    return changes.some(
      (one) => one.kind === kind && one.createdAt > createdAt && sentAtOf(one.state) !== undefined,
    )
  }

  /** The change that puts a step back; undefined where the value is no longer that of the budget. */
  async function putBackOf(step: BudgetChange, view: ComputeView): Promise<BudgetChange | undefined> {
    const runner = runnerOf(step.ref.account)
    const now = runner.now()
    const isOurs = hasSettings(planTargetOf(view, runner.limits()), step.desired)
    if (!isOurs || (await isForeign(step, now))) return undefined
    const { mode, restart } = config().policies.changesOf(targetOf(view))
    return {
      ...newChange(planRevert(step, 'policy', digest), { random, now, until: after(now, restart.maxWait) }),
      ref: step.ref,
      origin: { ...step.origin, of: step.id },
      reason: `puts back ${step.id}: the period of the budget ${step.origin.name} is over`,
      state: mode === 'apply' ? scheduledAt(now, undefined) : { at: 'proposed' },
    }
  }

  return {
    /** What a rung of a budget would change now, and what it changed in this period. Undefined where there is no such budget or period. */
    preview: async (snapshot: Snapshot, name: string): Promise<BudgetPreview | undefined> => {
      const budget = config().budgets.find((one) => one.name === name)
      const view = snapshot.accounts
        .find(({ account }) => account === budget?.account)
        ?.budgets.find((one) => one.name === name)
      if (!budget || !view) return undefined
      const memory = await memoryOf(view.account)
      const keys = memory.made()
      const madeIn = memory.ofPeriod({ name, period: view.period.from })
      const { enforcement } = view
      const rungsThatAct: readonly StepRung[] = enforcement.kind === 'acts' ? enforcement.rungs : []
      const at = (asked: Rung) =>
        rungsThatAct
          .filter((rung) => rung === asked)
          .flatMap((rung) =>
            stepsAt(rung, { budget, view }, { ...snapshot, config, runnerOf }).map((step) => ({
              step,
              because: whyNotMade(candidateOfStep('', step, keys.has(stepKey(step)))),
            })),
          )
      return { view, at, madeAt: (rung) => madeIn.filter(({ origin }) => origin.rung === rung) }
    },
    /** What the budgets of an account ask for now. Rejects where the journal cannot be read. */
    of: async (snapshot: Snapshot, account: string) => {
      const runner = runnerOf(account)
      const memory = await memoryOf(account)
      const periods = periodsOf(account, runner.now())
      const open = new Map(
        snapshot.computes.flatMap(({ changes = [] }) => changes.map(({ change }) => [change.id, change])),
      )
      await memory.refresh(open, periods)
      await endOverdue(memory, periods, runner)
      const acting = actingIn(snapshot, account)
      const wanted = acting.flatMap(({ rungs, ...budget }) =>
        rungs.flatMap((rung) => stepsAt(rung, budget, { ...snapshot, config, runnerOf })),
      )
      const made = memory.made()
      const held = new Set(memory.standing().map(({ kind, ref }) => heldKey(kind, ref)))
      const isOfActing = (target: SelectorTarget) => acting.some(({ budget }) => mayActOn(budget, target))
      return {
        wanted,
        wasMade: (step: BudgetStep) => made.has(stepKey(step)),
        /** Whether a budget set another value of that kind. */
        isHeld: ({ identity }: ComputeView, kind: string) => held.has(heldKey(kind, identity.ref)),
        /** Whether a budget of the compute has reached a rung that changes settings. */
        isNearlySpent: isOfActing,
        /** Steps of periods that are over, of computes on which no other budget asks for the same now. */
        toPutBack: async (): Promise<readonly BudgetChange[]> => {
          const changes: BudgetChange[] = []
          for (const step of memory.standing()) {
            const view = viewOfRef(snapshot, step.ref)
            if (!isOver(step.origin, periods) || !view || isAskedAgain(step, view)) continue
            const change = await putBackOf(step, view)
            if (change) changes.push(change)
            else memory.forget(step.id)
          }
          return changes
        },
        add: memory.add,
      }

      function isAskedAgain({ origin: { rung } }: BudgetChange, view: ComputeView): boolean {
        return acting.some(({ budget, rungs }) => rungs.includes(rung) && mayActOn(budget, targetOf(view)))
      }
    },
  }
}

const heldKey = (kind: string, { endpointId }: ComputeRef) => `${kind} ${endpointId}`

/** A step obeys no adviser: only what was made, and what the policy allows. */
export const candidateOfStep = (id: string, step: WantedStep, wasMade: boolean): Candidate => ({
  id,
  kind: step.kind,
  policy: step.policy,
  hasOpenChange: hasOpenChange(step.view, step.kind),
  wasMade,
  isBarred: false,
  isDemoted: false,
  isHeldByBudget: false,
  needsApproval: false,
})

export const hasOpenChange = ({ changes = [] }: ComputeView, kind: string): boolean =>
  changes.some(({ change }) => change.kind === kind)

/** Steps whose period ended before they were sent. */
async function endOverdue(memory: StepMemory, periods: CurrentPeriods, runner: ChangeRunner) {
  const { store, now, send, wake } = runner
  for (const change of memory.waiting()) {
    if (!isOver(change.origin, periods)) continue
    const because = `the period of the budget ${change.origin.name} is over`
    const to = { at: 'superseded', because, endedAt: now() } as const
    const events = changeEvents(change, to, now())
    const done = await transition(store, { change, to }, { at: now(), events })
    if (!done.ok) continue
    await send(events)
    wake()
  }
}

/** Changes of a compute since a step that are looked through. */
const MANY = 200

/** The step as a change that its policy makes. Undefined where the compute or its plan refuses it. */
export function changeOfStep(
  { desired, view, policy, until, name, rung, period }: WantedStep,
  { runnerOf, random }: Pick<BudgetStepSources, 'runnerOf' | 'random'>,
  isProposed: boolean,
): BudgetChange | undefined {
  const { now, limits } = runnerOf(view.identity.ref.account)
  const plan = planChange(planTargetOf(view, limits()), askOfStep(desired), digest)
  if (!plan.ok) return undefined
  const at = now()
  return {
    ...newChange(plan.value, { random, now: at, until: earliest(until, after(at, policy.restart.maxWait)) }),
    ref: view.identity.ref,
    origin: { by: 'budget', name, rung, period },
    reason: `${rung} % of the budget ${name}`,
    state: isProposed ? { at: 'proposed' } : scheduledAt(at, undefined),
  }
}

export const askOfStep = ({ sizing, autosuspendDelay: delay }: BudgetStep['desired']): ChangeAsk => ({
  size: sizing,
  delay,
  restart: false,
  when: 'policy',
})
