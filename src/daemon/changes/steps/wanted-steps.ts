// Steps that budgets and schedules ask for now, and the changes that they become.
import type { ChangeAsk } from '../../../apply/asked-settings.ts'
import { planChange } from '../../../apply/plan.ts'
import { knownEnds, type Window } from '../../../calendar/window.ts'
import type { Candidate } from '../../../decide/decide.ts'
import { makesWay } from '../../../decide/policy-changes.ts'
import {
  scheduledStepOf,
  stepKey,
  stepOf,
  type OpenSchedule,
  type SettingStep,
} from '../../../decide/steps.ts'
import { mayActOn } from '../../../ledger/budgets/evaluate.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { Budget, BudgetView, StepRung } from '../../../model/policy/budget.ts'
import { isStepOrigin, type StepOrigin } from '../../../model/policy/step-origin.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import type { Policies } from '../../../model/policy/policies.ts'
import { selectorTargetOf, type SelectorTarget } from '../../../model/policy/selector.ts'
import type { Random } from '../../../model/ports/clock.ts'
import type { History } from '../../../model/ports/history.ts'
import type { Journal } from '../../../model/ports/journal.ts'
import { effectiveDelay } from '../../../model/service/compute.ts'
import { after, earliest, instant, type Instant, type Interval } from '../../../model/units.ts'
import { digest } from '../../advice/evaluate.ts'
import type { ChangeRunner } from '../change-runner.ts'
import { newChange, scheduledAt } from '../new-change.ts'
import { planTargetOf } from '../targets.ts'
import type { StepChange } from './step-memory.ts'

export type StepSources = Readonly<{
  journal: Pick<Journal, 'change' | 'changes'>
  history: Pick<History, 'settings'>
  random: Random
  config: () => Readonly<{
    policies: Policies
    budgets: readonly Budget[]
    windows: ReadonlyMap<string, Window>
  }>
  runnerOf: (account: string) => ChangeRunner
}>

/** A step, and the compute as the last pass saw it. */
export type WantedStep = SettingStep &
  Readonly<{
    view: ComputeView
    policy: ChangePolicy
    /** End of the period. */
    until: Instant
  }>

export const targetOf = ({ identity: { ref, compute, project } }: ComputeView): SelectorTarget =>
  selectorTargetOf(ref.account, compute, project)

/** Steps of a rung on the computes that the budget may act on and that are not at their floor, in the order of the computes. */
export function stepsAt(
  rung: StepRung,
  { budget, view }: Readonly<{ budget: Budget; view: BudgetView }>,
  { computes, config, runnerOf }: Pick<StepSources, 'config' | 'runnerOf'> & Pick<Snapshot, 'computes'>,
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

/** Steps of the schedules of an account, of which a window is open and that do not have its delay, in the order of the computes. */
export function scheduledSteps(
  account: string,
  {
    computes,
    config,
    openings,
  }: Pick<StepSources, 'config'> & Pick<Snapshot, 'computes'> & Readonly<{ openings: Openings }>,
): readonly WantedStep[] {
  if (!config().policies.hasSchedules) return []
  return computes.flatMap((view) => {
    const { ref, compute, project } = view.identity
    if (ref.account !== account || view.state.isDeleted) return []
    const target = targetOf(view)
    const open = openSchedule(config(), target, openings)
    const step = open && scheduledStepOf(open, { ref, delay: effectiveDelay(compute, project) })
    return step ? [{ ...step, view, policy: config().policies.changesOf(target), until: open.until }] : []
  })
}

/** Windows that are open, by name. One that was open as far back as windows are followed has the same opening at any time: 0. */
export type Openings = ReadonlyMap<string, Interval>

export const openingsAt = (windows: ReadonlyMap<string, Window>, now: Instant): Openings =>
  new Map(
    [...windows].flatMap(([name, window]) => {
      const open = window.at(now)
      return open ? [[name, { ...open, from: knownEnds(window, open).from ?? instant(0) }]] : []
    }),
  )

/** The first entry of the schedule of a compute whose window is open. */
export function openSchedule(
  { policies }: Pick<ReturnType<StepSources['config']>, 'policies'>,
  target: SelectorTarget,
  openings: Openings,
): (OpenSchedule & Readonly<{ until: Instant }>) | undefined {
  for (const { window, delay } of policies.scheduleOf(target)) {
    const open = openings.get(window)
    if (open) return { window, delay, openedAt: open.from, until: open.to }
  }
  return undefined
}

/** A step obeys no adviser: only what was made, and what the policy allows. */
export const candidateOfStep = (
  id: string,
  step: WantedStep,
  { wasMade, heldBy, isContested = false }: Pick<Candidate, 'wasMade' | 'heldBy' | 'isContested'>,
): Candidate => ({
  id,
  kind: step.kind,
  policy: step.policy,
  hasOpenChange:
    step.view.changes?.some(({ change }) => change.kind === step.kind && !makesWay(change)) === true,
  wasMade,
  isBarred: false,
  isDemoted: false,
  isContested,
  heldBy,
  needsApproval: false,
})

export const hasOpenChange = ({ changes = [] }: ComputeView, kind: string): boolean =>
  changes.some(({ change }) => change.kind === kind)

/** Whether its own change is open. */
export const isUnderWay = ({ origin, ref, view: { changes = [] } }: WantedStep): boolean =>
  changes.some(
    ({ change }) =>
      isStepOrigin(change.origin) &&
      change.origin.of === undefined &&
      stepKey({ origin: change.origin, ref }) === stepKey({ origin, ref }),
  )

/** The step as a change that its policy makes. Undefined where the compute or its plan refuses it. */
export function changeOfStep(
  { origin, desired, view, policy, until }: WantedStep,
  { runnerOf, random }: Pick<StepSources, 'runnerOf' | 'random'>,
  isProposed: boolean,
): StepChange | undefined {
  const { now, limits } = runnerOf(view.identity.ref.account)
  const plan = planChange(planTargetOf(view, limits()), askOfStep(desired), digest)
  if (!plan.ok) return undefined
  const at = now()
  const deadline = plan.value.restarts ? earliest(until, after(at, policy.restart.maxWait)) : until
  return {
    ...newChange(plan.value, { random, now: at, until: deadline }),
    ref: view.identity.ref,
    origin,
    reason: reasonOf(origin),
    state: isProposed ? { at: 'proposed' } : scheduledAt(at, undefined),
  }
}

export const askOfStep = ({ sizing, autosuspendDelay: delay }: SettingStep['desired']): ChangeAsk => ({
  size: sizing,
  delay,
  restart: false,
  when: 'policy',
})

const reasonOf = (origin: StepOrigin): string =>
  origin.by === 'budget'
    ? `${origin.rung} % of the budget ${origin.name}`
    : `the window ${origin.name} is open`

/** Why a step ends, or is put back. */
export const overText = ({ by, name }: StepOrigin): string =>
  by === 'budget' ? `the period of the budget ${name} is over` : `the window ${name} has closed`

/** Why a step ends in its period. */
export const unwantedText = ({ by, name }: StepOrigin): string =>
  `the ${by} ${name} does not ask for it any more`
