// Looks and rules for tests of the state machine.
import type { ChangeAsk, PlanTarget } from '../../src/apply/asked-settings.ts'
import type { ChangeRules } from '../../src/apply/hold.ts'
import type { Applying, StepInput } from '../../src/apply/next-step.ts'
import type { ComparedCompute, Seen } from '../../src/apply/settings.ts'
import type { Change, ChangeState } from '../../src/model/policy/change.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { ratio, seconds } from '../../src/model/units.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import { at, compute, preset } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'

/** When the tests decide. */
export const NOW = at(1000)

export const RULES: ChangeRules = {
  stoppedBy: undefined,
  policy: undefined,
  rungs: undefined,
  use: undefined,
  isKeyRefused: false,
  shortenedAt: undefined,
  siblings: undefined,
  arrival: () => ratio(0),
}

/** Asked a second before `NOW`. */
export const seenOf = (
  over: Partial<Compute> = {},
  rest: Partial<Omit<Seen, 'compute'>> = {},
): Seen & ComparedCompute => ({
  compute: compute(over),
  defaultDelay: seconds(300),
  others: [],
  openOperations: 0,
  operations: [],
  askedAt: at(999),
  ...rest,
})

export const applyingOf = (over: Partial<Applying> = {}): Applying => ({
  at: 'applying',
  approvedBy: undefined,
  attempt: 1,
  sentAt: at(900),
  sessions: 0,
  baseStartedAt: at(-600),
  epoch: 3,
  uncertainAt: at(905),
  ...over,
})

export const inputOf = (
  state: ChangeState,
  over: Partial<StepInput> = {},
  fields: Partial<Change> = {},
): StepInput => ({
  change: changeOf({ state, ...fields }),
  seen: seenOf(),
  isDeleted: false,
  rules: RULES,
  epoch: 3,
  openedAt: at(-60),
  settle: seconds(120),
  isClockSteady: true,
  ...over,
})

/** A compute of 1 CU with a delay of 300 s on a plan that allows what the interface does. */
export const targetOf = (over: Partial<Compute> = {}, rest: Partial<PlanTarget> = {}): PlanTarget => ({
  ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
  compute: compute(over),
  defaultDelay: seconds(300),
  preset,
  limits: planLimits('interface', 'scale'),
  ...rest,
})

export const ask = (over: Partial<ChangeAsk> = {}): ChangeAsk => ({
  size: undefined,
  delay: undefined,
  restart: false,
  when: 'idle',
  ...over,
})
