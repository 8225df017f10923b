// Steps of budgets and schedules on the computes of one account: what they ask for now, and what is put back after their period.
/* oxlint-disable no-await-in-loop -- few computes, one commit after the other */
import { changeEvents } from '../../../apply/events.ts'
import { whyNotMade, type Candidate } from '../../../decide/decide.ts'
import {
  actingRungs,
  isOver,
  periodKey,
  rungOf,
  stepKey,
  type CurrentPeriods,
} from '../../../decide/steps.ts'
import { mayActOn } from '../../../ledger/budgets/evaluate.ts'
import type { NotMadeBecause } from '../../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import type { BudgetWithForecast, Rung, StepRung } from '../../../model/policy/budget.ts'
import { isEnded } from '../../../model/policy/change.ts'
import type { SelectorTarget } from '../../../model/policy/selector.ts'
import { transition } from '../../../model/ports/journal.ts'
import type { ComputeRef } from '../../../model/service/compute.ts'
import type { Instant, Interval } from '../../../model/units.ts'
import { isEngagedOn } from '../brakes/policy-brakes.ts'
import type { ChangeRunner } from '../change-runner.ts'
import { viewOfRef } from '../targets.ts'
import { createPutBacks, isSeenBefore } from './put-backs.ts'
import { upcomingPutBacks, type UpcomingPutBack } from './upcoming.ts'
import { loadStepMemory, type StepChange, type StepMemory } from './step-memory.ts'
import {
  candidateOfStep,
  openingsAt,
  openSchedule,
  overText,
  scheduledSteps,
  stepsAt,
  targetOf,
  unwantedText,
  type Openings,
  type StepSources,
  type WantedStep,
} from './wanted-steps.ts'

export type BudgetPreview = Readonly<{
  view: BudgetWithForecast
  /**
   * Steps of a rung, reached or not, each with the reason why no change is made of it; none where the budget does not act at it. Without those whose
   * change is open.
   */
  at: (rung: Rung) => readonly Readonly<{ step: WantedStep; because: NotMadeBecause | undefined }>[]
  madeAt: (rung: Rung) => readonly StepChange[]
}>

export type AccountSteps = Awaited<ReturnType<ReturnType<typeof createSteps>['of']>>

export function createSteps(sources: StepSources) {
  const { config, runnerOf, journal } = sources
  const putBackOf = createPutBacks(sources)
  /** By account: a promise, so that a decision and a preview at once share one. */
  const memories = new Map<string, Promise<StepMemory>>()

  function memoryOf(account: string): Promise<StepMemory> {
    const known = memories.get(account)
    if (known) return known
    const loading = loadStepMemory(journal, account, runnerOf(account).now())
    memories.set(account, loading)
    loading.catch(() => memories.delete(account))
    return loading
  }

  /** Whether another controller keeps setting the compute. */
  const isContested = ({ account, endpointId }: ComputeRef) =>
    isEngagedOn(runnerOf(account).storedBrakes, 'controller', endpointId)

  const periodsOf = (account: string, openings: Openings, now: Instant): CurrentPeriods =>
    new Map([
      ...config()
        .budgets.filter((budget) => budget.account === account)
        .map(({ name, periodAt }) => [periodKey({ by: 'budget', name }), periodAt(now)?.from] as const),
      ...[...openings].map(([name, { from }]) => [periodKey({ by: 'schedule', name }), from] as const),
    ])

  /** Budgets that act, with the rungs at which they do. */
  const actingIn = ({ accounts }: Snapshot, account: string) => {
    const views = accounts.find((view) => view.account === account)?.budgets ?? []
    return views.flatMap((view) => {
      const budget = config().budgets.find((one) => one.account === account && one.name === view.name)
      const rungs = actingRungs(view)
      return budget && rungs.length > 0 ? [{ budget, view, rungs }] : []
    })
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
      const standing = heldByOthers(memory)
      const madeIn = memory.ofPeriod({ by: 'budget', name, period: view.period.from })
      // named as made: as a candidate the change would stand in its own way
      const underWay = new Set(madeIn.filter(({ state }) => !isEnded(state)).map(stepKey))
      const { enforcement } = view
      const rungsThatAct: readonly StepRung[] = enforcement.kind === 'acts' ? enforcement.rungs : []
      const at = (asked: Rung) =>
        rungsThatAct
          .filter((rung) => rung === asked)
          .flatMap((rung) =>
            stepsAt(rung, { budget, view }, { ...snapshot, config, runnerOf })
              .filter((step) => !underWay.has(stepKey(step)))
              .map((step) => ({
                step,
                because: whyNotMade(
                  candidateOfStep('', step, {
                    wasMade: keys.has(stepKey(step)),
                    heldBy: standing.get(heldKey(step)),
                    isContested: isContested(step.ref),
                  }),
                ),
              })),
          )
      return { view, at, madeAt: (rung) => madeIn.filter(({ origin }) => rungOf(origin) === rung) }
    },
    /** What is put back after periods of budgets that end in `within`. Rejects where the journal cannot be read. */
    putBacksIn: async (account: string, within: Interval): Promise<readonly UpcomingPutBack[]> => {
      const memory = await memoryOf(account)
      const budgets = config().budgets.filter((budget) => budget.account === account)
      return upcomingPutBacks(memory.standing(), budgets, within)
    },
    /** Whether there are steps that may have to be put back. Rejects where the journal cannot be read. */
    hasAny: async (account: string): Promise<boolean> => (await memoryOf(account)).hasAny(),
    /** What budgets and schedules of an account ask for now. Rejects where the journal cannot be read. */
    of: async (snapshot: Snapshot, account: string) => {
      const runner = runnerOf(account)
      const memory = await memoryOf(account)
      const now = runner.now()
      const openings = openingsAt(config().windows, now)
      const periods = periodsOf(account, openings, now)
      const open = new Map(
        snapshot.computes.flatMap(({ changes = [] }) => changes.map(({ change }) => [change.id, change])),
      )
      await memory.refresh(open, periods)
      const acting = actingIn(snapshot, account)
      const ofBudgets = acting.flatMap(({ rungs, ...budget }) =>
        rungs.flatMap((rung) => stepsAt(rung, budget, { ...snapshot, config, runnerOf })),
      )
      await endUnwanted()
      await endNeedless()
      const made = memory.made()
      const wanted = onceEach(
        [...ofBudgets, ...scheduledSteps(account, { ...snapshot, config, openings })],
        (step) => made.has(stepKey(step)),
      )
      const isMade = (step: WantedStep) => {
        const wasMade = made.has(stepKey(step))
        const because = whyNotMade(candidateOfStep('', step, { wasMade, heldBy: undefined }))
        return because === undefined || because === 'open-change'
      }
      const held = new Map([
        // a budget goes before a schedule, but not with a step that is never made
        ...ofBudgets.filter(isMade).map((step) => [heldKey(step), 'budget'] as const),
        ...memory.standing().map((step) => [heldKey(step), step.origin.by] as const),
      ])
      const hardOnes = acting.filter(({ budget, rungs }) => budget.mode === 'hard' && rungs.includes(80))
      const isOfActing = (target: SelectorTarget) => acting.some(({ budget }) => mayActOn(budget, target))
      return {
        wanted,
        candidates: wanted.map((step) => {
          const heldBy = held.get(heldKey(step))
          return candidateOfStep(stepKey(step), step, {
            wasMade: made.has(stepKey(step)),
            heldBy: heldBy === step.origin.by ? undefined : heldBy,
            isContested: isContested(step.ref),
          })
        }),
        /** What set, or sets now, another value of that kind. */
        heldBy: ({ identity }: ComputeView, kind: string) => held.get(heldKey({ kind, ref: identity.ref })),
        /** Whether a budget of the compute has reached a rung that changes settings. */
        isNearlySpent: isOfActing,
        /** Views of computes with such a budget that is hard: smaller sizes of them that wait go before other changes. */
        nearlySpentOf: (views: readonly ComputeView[]) =>
          hardOnes.length === 0
            ? []
            : views.filter((view) => hardOnes.some(({ budget }) => mayActOn(budget, targetOf(view)))),
        /** Steps of periods that are over, of computes on which no other budget asks for the same now. */
        toPutBack: async (): Promise<readonly StepChange[]> => {
          const changes: StepChange[] = []
          for (const step of memory.standing()) {
            const view = viewOfRef(snapshot, step.ref)
            if (!isOver(step.origin, periods) || !view || isAskedAgain(step, view)) continue
            if (isSeenBefore(step, view) || memory.isCovered(step)) continue
            const change = await putBackOf(step, originalOf(step, view), view)
            if (change) changes.push(change)
            else memory.forget(step.id)
          }
          return changes
        },
        add: memory.add,
      }

      /** Ends steps that wait and whose period is over, or that nothing asks for any more: the configuration was changed. */
      async function endUnwanted(): Promise<void> {
        for (const step of memory.waiting()) {
          const view = viewOfRef(snapshot, step.ref)
          if (isOver(step.origin, periods)) await expire(step, overText(step.origin), runner)
          else if (view && !isAskedAgain(step, view)) await expire(step, unwantedText(step.origin), runner)
        }
      }

      /** The step whose value of before is restored: the lowest of those below it whose periods are over, too. */
      function originalOf(step: StepChange, view: ComputeView): StepChange {
        const below = memory.below(step)
        const isGone = below && isOver(below.origin, periods) && !isAskedAgain(below, view)
        return isGone ? originalOf(below, view) : step
      }

      /** Ends put-backs that wait and whose value is asked for again. */
      async function endNeedless(): Promise<void> {
        for (const { putBack, step } of memory.waitingPutBacks()) {
          const view = viewOfRef(snapshot, step.ref)
          const isNeedless = view !== undefined && isAskedAgain(step, view)
          if (isNeedless && (await expire(putBack, 'its value is asked for again', runner)))
            memory.forget(putBack.id)
        }
      }

      function isAskedAgain({ origin, desired }: StepChange, view: ComputeView): boolean {
        const target = targetOf(view)
        if (origin.by === 'budget')
          return acting.some(({ budget, rungs }) => rungs.includes(origin.rung) && mayActOn(budget, target))
        return openSchedule(config(), target, openings)?.delay === desired.autosuspendDelay
      }
    },
  }
}

const heldKey = ({ kind, ref }: Readonly<{ kind: string; ref: ComputeRef }>) => `${kind} ${ref.endpointId}`

/** What steps of schedules hold: a budget waits until their windows have closed. */
const heldByOthers = (memory: StepMemory): ReadonlyMap<string, Candidate['heldBy']> =>
  new Map(
    memory
      .standing()
      .filter(({ origin }) => origin.by === 'schedule')
      .map((step) => [heldKey(step), step.origin.by]),
  )

/** Without a second step for the same setting of a compute, of which the first is to be made. */
function onceEach(
  steps: readonly WantedStep[],
  isMade: (step: WantedStep) => boolean,
): readonly WantedStep[] {
  const taken = new Set<string>()
  return steps.filter((step) => {
    const key = `${step.origin.by} ${heldKey(step)}`
    if (taken.has(key)) return false
    if (!isMade(step)) taken.add(key)
    return true
  })
}

/**
 * Ends a change that was not sent, not as superseded: nobody else set the compute. A put-back has no event: its step goes on.
 *
 * @returns whether it has ended
 */
async function expire(
  change: StepChange,
  because: string,
  { store, now, send, wake }: ChangeRunner,
): Promise<boolean> {
  const to = { at: 'expired', because, endedAt: now() } as const
  const events = change.origin.of === undefined ? changeEvents(change, to, now()) : []
  const ended = await transition(store, { change, to }, { at: now(), events })
  if (!ended.ok) return false
  await send(events)
  wake()
  return true
}
