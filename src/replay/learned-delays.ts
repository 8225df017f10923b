// The policy of Dormouse: the learner of the per-gap delay under its guard, with or without warm-ups.
import { createFleetHazard } from '../advise/delay/fleet-hazard.ts'
import type { GapPlan } from '../advise/delay/gap-plan.ts'
import { createGuard } from '../advise/delay/guard.ts'
import { createDelayLearner } from '../advise/delay/learner.ts'
import { createWarmUpLearner } from '../advise/delay/warm-learner.ts'
import type { DelayPlayer, DelayPolicy, PlaySettings } from './play.ts'

export const learnedDelays: DelayPolicy = {
  name: 'dormouse',
  start: (settings, count) => {
    const { startCost } = settings
    return startCost === undefined
      ? delaysAlone(settings, count)
      : delaysAndWarmUps({ ...settings, startCost }, count)
  },
}

function delaysAlone(settings: PlaySettings, count: number): DelayPlayer {
  const fleet = createFleetHazard()
  const computeOf = numbered(count, () => ({
    learner: createDelayLearner(settings, fleet),
    guard: createGuard(settings),
  }))
  return {
    decide: (series, at) => {
      const { guard, learner } = computeOf(series)
      return guard.bind(learner.decide(at))
    },
    learn: (series, { length, applied }) => {
      const { guard, learner } = computeOf(series)
      guard.add(length, { delay: applied, warmUps: [] })
      learner.learn(length)
    },
  }
}

/** As deployed there is no suspend lever: a warmed compute stays awake for the delay in force. */
function delaysAndWarmUps(
  settings: PlaySettings & Readonly<{ startCost: number }>,
  count: number,
): DelayPlayer {
  const fleet = createFleetHazard()
  const terms = { ...settings, hasSuspendLever: !settings.asDeployed }
  const computeOf = numbered(count, () => ({
    learner: createWarmUpLearner(terms, fleet),
    guard: createGuard(settings),
    applied: { delay: settings.floor, warmUps: [] } as GapPlan,
  }))
  return {
    decide: (series, at) => {
      const { guard, learner } = computeOf(series)
      return guard.bind(learner.decide(at))
    },
    warmUps: {
      plan: (series, delay) => {
        const compute = computeOf(series)
        const wanted = { delay, warmUps: compute.learner.warmUps(delay) }
        compute.applied = compute.guard.bindWarmUps(wanted)
        return compute.applied.warmUps
      },
      record: (series) => computeOf(series).learner.record(),
    },
    learn: (series, { length }) => {
      const { guard, learner, applied } = computeOf(series)
      guard.add(length, applied)
      learner.learn(length)
    },
  }
}

/** Throws for another number. */
function numbered<Value>(count: number, create: () => Value): (at: number) => Value {
  const values = Array.from({ length: count }, create)
  return (at) => {
    const value = values[at]
    if (value === undefined) throw new Error(`no series ${at} of ${count}`)
    return value
  }
}
