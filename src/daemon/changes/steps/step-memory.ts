// Steps of one account, and the changes that put them back: those of the journal that still say something.
/* oxlint-disable no-await-in-loop -- few changes end between two passes */
import { isRestoredBy, isStanding, stepBelow } from '../../../decide/step-stack.ts'
import { isOver, stepKey, type CurrentPeriods } from '../../../decide/steps.ts'
import { isEnded, type Change } from '../../../model/policy/change.ts'
import { isStepOrigin, type StepOrigin } from '../../../model/policy/step-origin.ts'
import type { Journal } from '../../../model/ports/journal.ts'
import { isComputeRef, type ComputeRef } from '../../../model/service/compute.ts'
import { DAY, instant, type Instant } from '../../../model/units.ts'

export type StepChange = Change & Readonly<{ origin: StepOrigin; ref: ComputeRef }>

/** The store keeps changes for so long after their end: longer than any period. */
const KEPT_DAYS = 93
/** Changes of one account that are read at the start. */
const MANY = 100_000

const isStepChange = (change: Change): change is StepChange =>
  isStepOrigin(change.origin) && isComputeRef(change.ref)

/** Ended before its time, and not sent. */
const wasUnwanted = ({ state, deadline }: StepChange) => state.at === 'expired' && state.endedAt < deadline

const isPutBack = ({ origin }: StepChange) => origin.of !== undefined

/** Key of what a step sets. */
const settingKey = ({ kind, ref }: StepChange) => `${kind} ${ref.endpointId}`

function standingIn(stack: ReadonlyMap<string, StepChange>): readonly StepChange[] {
  const all = [...stack.values()]
  const backs = all.filter(isPutBack)
  return all.filter((step) => isStanding(step) && !backs.some((back) => isRestoredBy(step, back)))
}

const isWaiting = ({ state }: StepChange) => state.at === 'proposed' || state.at === 'scheduled'

export type StepMemory = Awaited<ReturnType<typeof loadStepMemory>>

/** As the journal has them. Rejects where it cannot be read. */
export async function loadStepMemory(
  journal: Pick<Journal, 'change' | 'changes'>,
  account: string,
  now: Instant,
) {
  const since = instant(now - KEPT_DAYS * DAY)
  const stored = await journal.changes(account, { since, count: MANY })
  const byId = new Map<string, StepChange>()
  /** By compute and kind, then by id: a large budget has a step of each of its computes. */
  const stacks = new Map<string, Map<string, StepChange>>()
  const put = (change: StepChange) => {
    byId.set(change.id, change)
    const stack = stacks.get(settingKey(change)) ?? new Map<string, StepChange>()
    stacks.set(settingKey(change), stack.set(change.id, change))
  }
  const drop = (id: string) => {
    const change = byId.get(id)
    byId.delete(id)
    if (change) stackOf(change).delete(id)
  }
  const stackOf = (change: StepChange) => stacks.get(settingKey(change)) ?? new Map<string, StepChange>()
  stored.filter(isStepChange).forEach(put)
  const steps = () => [...byId.values()].filter(({ origin }) => origin.of === undefined)
  const standing = () => [...stacks.values()].flatMap(standingIn)

  async function takeOver(open: ReadonlyMap<string, Change>): Promise<void> {
    for (const { id, state } of byId.values()) {
      if (isEnded(state)) continue
      const next = open.get(id) ?? (await journal.change(account, id))
      if (next && isStepChange(next)) put(next)
    }
  }

  /** Put-backs that were not made in time: their steps stand again. */
  function forgetExpired(): void {
    for (const { id, origin, state } of byId.values())
      if (origin.of !== undefined && state.at === 'expired') drop(id)
  }

  /** Steps of periods that are over, and that nobody has to put back any more. */
  function forgetSettled(periods: CurrentPeriods): void {
    for (const [key, stack] of stacks) {
      const backs = [...stack.values()].filter(isPutBack)
      const settled = [...stack.values()].flatMap((step) => {
        const back = backs.find((one) => isRestoredBy(step, one))
        const isSettled = back ? isEnded(back.state) : !isStanding(step)
        if (isPutBack(step) || !isSettled || !isEnded(step.state) || !isOver(step.origin, periods)) return []
        return [step.id, ...(back?.origin.of === step.id ? [back.id] : [])]
      })
      for (const id of settled) drop(id)
      if (stack.size === 0) stacks.delete(key)
    }
  }

  forgetExpired()
  return {
    add: put,
    /** @param open changes of the account as the last pass showed them */
    refresh: async (open: ReadonlyMap<string, Change>, periods: CurrentPeriods): Promise<void> => {
      await takeOver(open)
      forgetExpired()
      forgetSettled(periods)
    },
    /** Keys of the steps that were made, whatever became of them; one that was not wanted for a time may be made again. */
    made: (): ReadonlySet<string> =>
      new Set(
        steps()
          .filter((step) => !wasUnwanted(step))
          .map(({ origin, ref }) => stepKey({ origin, ref })),
      ),
    ofPeriod: ({ by, name, period }: Pick<StepOrigin, 'by' | 'name' | 'period'>): readonly StepChange[] =>
      steps().filter(({ origin }) => origin.by === by && origin.name === name && origin.period === period),
    /** Steps that took effect, and that no change puts back. */
    standing: (): readonly StepChange[] => standing(),
    /** Whether another step stands on top of it, or is about to. */
    isCovered: (step: StepChange): boolean => {
      const stack = stackOf(step)
      const all = standingIn(stack)
      const open = [...stack.values()].filter((one) => !isPutBack(one) && !isEnded(one.state))
      return [...all, ...open].some((one) => stepBelow(one, all)?.id === step.id)
    },
    /** The standing step that it was made on top of. */
    below: (step: StepChange): StepChange | undefined => stepBelow(step, standingIn(stackOf(step))),
    hasAny: (): boolean => byId.size > 0,
    /** Steps that were not sent. */
    waiting: (): readonly StepChange[] => steps().filter(isWaiting),
    /** Put-backs that were not sent, each with its step. */
    waitingPutBacks: () =>
      [...byId.values()].flatMap((putBack) => {
        const step = putBack.origin.of === undefined ? undefined : byId.get(putBack.origin.of)
        return step && isWaiting(putBack) ? [{ putBack, step }] : []
      }),
    /** Called for a step whose value is another one now, so that nothing is put back, and for a put-back that has expired. */
    forget: drop,
  }
}
