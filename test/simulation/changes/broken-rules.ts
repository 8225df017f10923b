// Rules of the product, each broken in one way: another apply loop, or another journal, that is passed in. The judge must find each.
import { afterAnswer } from '../../../src/apply/answers.ts'
import { nextStep, type StepInput } from '../../../src/apply/next-step.ts'
import type { ApplyLoopOptions } from '../../../src/daemon/changes/apply-loop-options.ts'
import { createApplyLoop } from '../../../src/daemon/changes/apply-loop.ts'
import type { ApplyLoopMaker } from '../../../src/daemon/changes/change-runner.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import type { HoldReason } from '../../../src/model/policy/hold.ts'
import type { ServiceOperations } from '../../../src/model/ports/service.ts'
import type { memoryStore } from '../../support/memory-store.ts'
import { seconds, type Instant } from '../../../src/model/units.ts'

const machine = { nextStep, afterAnswer }

const brokenLoop =
  (broken: (options: ApplyLoopOptions) => Partial<ApplyLoopOptions>): ApplyLoopMaker =>
  (options) =>
    createApplyLoop({ ...options, ...broken(options) })

/** Holds of these kinds hold nothing. */
const without = (reasons: readonly HoldReason[]) =>
  brokenLoop(({ policyHold }) => ({
    policyHold: (change) => {
      const hold = policyHold(change)
      return hold && reasons.includes(hold.because) ? undefined : hold
    },
  }))

/** Sends again what was not answered. */
const resend = brokenLoop(() => ({
  machine: {
    nextStep,
    afterAnswer: (state, given) => {
      const next = afterAnswer(state, given)
      if (next.at !== 'applying') return next
      return {
        at: 'scheduled',
        approvedBy: state.approvedBy,
        notBefore: given.now,
        attempts: state.attempt,
      }
    },
  },
}))

/** Once a window was open, or no window denied it, it counts as open from then on. */
const planned: ApplyLoopMaker = (options) => {
  const open = new Set<string>()
  return createApplyLoop({
    ...options,
    policyHold: (change) => {
      const hold = options.policyHold(change)
      const isWindow = hold?.because === 'outside-window' || hold?.because === 'denied-window'
      if (!isWindow) open.add(change.id)
      return isWindow && open.has(change.id) ? undefined : hold
    },
  })
}

/** Takes the settings of the look for those that the change was made for, and knows of nobody else. */
const overwriting = brokenLoop(({ rulesOf }) => ({
  machine: {
    ...machine,
    nextStep: (input: StepInput, now: Instant) =>
      nextStep({ ...input, change: { ...input.change, before: beforeOf(input) } }, now),
  },
  rulesOf: async (...given) => {
    const rules = await rulesOf(...given)
    return { ...rules, siblings: rules.siblings?.because === 'foreign-change' ? undefined : rules.siblings }
  },
}))

const beforeOf = ({ change: { before }, seen }: StepInput): Change['before'] =>
  seen?.compute === undefined
    ? before
    : {
        ...(before.sizing && { sizing: seen.compute.sizing }),
        ...(before.autosuspendDelay !== undefined && {
          autosuspendDelay: seen.compute.autosuspendDelay ?? seen.defaultDelay,
        }),
      }

/** Operations of a request that have ended by then, seconds. */
const BETWEEN_FIELDS = seconds(20)

/** Sends a request for each limit of a size, the second when the first has been carried out. */
const byField = brokenLoop(({ service, clock }) => {
  const split = (guarded: ServiceOperations): ServiceOperations => ({
    ...guarded,
    updateCompute: async (project, compute, settings, signal) => {
      const first = await guarded.updateCompute(project, compute, settings, signal)
      if (!settings.sizing || !first.ok) return first
      await clock.sleep(BETWEEN_FIELDS, signal)
      return service.at('apply').updateCompute(project, compute, settings, signal)
    },
  })
  return {
    service: { ...service, at: (...given) => ({ ...service.at(...given), ...split(service.at(...given)) }) },
  }
})

/** Judges reverts, too, as if a policy had decided them. */
const judgedReverts = brokenLoop(() => ({
  machine: {
    ...machine,
    nextStep: (input: StepInput, now: Instant) => {
      const { change } = input
      const origin = { by: 'policy', id: '', hash: '', name: change.origin.name } as const
      return change.state.at === 'verifying' && change.origin.by === 'revert'
        ? nextStep({ ...input, change: { ...change, origin } }, now)
        : nextStep(input, now)
    },
  },
}))

type MemoryStore = ReturnType<typeof memoryStore>

/** Parts of the product in place of its own. */
export type BrokenProduct = Readonly<{
  applyLoop?: ApplyLoopMaker
  storeOf?: (store: MemoryStore) => MemoryStore
}>

/** The journal knows nothing of changes that budgets made, but for the open ones. */
const forgettingSteps = (store: MemoryStore): MemoryStore => ({
  ...store,
  change: async (...given) => withoutStep(await store.change(...given)),
  changes: async (...given) => (await store.changes(...given)).filter((change) => withoutStep(change)),
})

const withoutStep = (change: Change | undefined) => (change?.origin.by === 'budget' ? undefined : change)

export const BROKEN_RULES = {
  'blind-resend': { applyLoop: resend },
  'no-settle': { applyLoop: brokenLoop(() => ({ settle: () => seconds(0) })) },
  'window-checked-when-planned': { applyLoop: planned },
  'hold-ignored': { applyLoop: without(['hold', 'freeze']) },
  'kill-switch-ignored': { applyLoop: brokenLoop(() => ({ stoppedBy: () => undefined })) },
  'persons-value-overwritten': { applyLoop: overwriting },
  'revert-of-a-revert': { applyLoop: judgedReverts },
  'brake-off': { applyLoop: without(['hold-off', 'breaker', 'compute-pace', 'fleet-pace']) },
  'two-restarts-for-two-fields': { applyLoop: byField },
  'rung-fired-twice': { storeOf: forgettingSteps },
} as const satisfies Readonly<Record<string, BrokenProduct>>

export type BrokenRule = keyof typeof BROKEN_RULES

export const isBrokenRule = (name: string): name is BrokenRule => name in BROKEN_RULES
