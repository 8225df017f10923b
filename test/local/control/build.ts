import type { Context, Event, Settings, StepResult } from '../../../src/local/control/events.ts'
import { UNUSED } from '../../../src/local/control/meter.ts'
import type { Compute, ComputeConfig, Project } from '../../../src/local/control/project.ts'
import { DEFAULT_CONFIG } from '../../../src/local/control/requests.ts'
import { step } from '../../../src/local/control/step.ts'

/** 2026-01-05T00:00:00Z. */
export const START = Date.UTC(2026, 0, 5)

export const settings = (changes: Partial<Settings> = {}): Settings => ({
  plan: 'paid',
  allowShortDelays: false,
  patchWakesIdle: true,
  lastActiveLag: 5000,
  ...changes,
})

/** A compute that was started at START and has been active since. */
export const compute = (changes: Partial<Compute> = {}, config: Partial<ComputeConfig> = {}): Compute => ({
  id: 'ep-one',
  branchId: 'br-one',
  config: { ...DEFAULT_CONFIG, ...config },
  createdAt: START,
  updatedAt: START,
  state: 'active',
  pending: undefined,
  startedAt: START,
  suspendedAt: undefined,
  activity: { settled: START, recent: [] },
  wanted: undefined,
  meter: { ...UNUSED, open: { from: START, cu: 0.25 } },
  ...changes,
})

/** A compute that sleeps since START. */
export const sleeping = (config: Partial<ComputeConfig> = {}): Compute =>
  compute({ state: 'idle', startedAt: undefined, suspendedAt: START, meter: UNUSED }, config)

export const project = (computes: readonly Compute[] = [compute()]): Project => ({
  id: 'project-one',
  name: 'one',
  createdAt: START,
  updatedAt: START,
  branches: [
    { id: 'br-one', name: 'main', createdAt: START },
    { id: 'br-two', name: 'other', createdAt: START },
  ],
  computes,
  queue: [],
  spent: { awakeMs: 0, cuMs: 0 },
})

/** A context at `seconds` after START whose operation ids count up. */
export function context(seconds = 0, changes: Partial<Settings> = {}): Context {
  let number = 0
  return {
    now: START + seconds * 1000,
    settings: settings(changes),
    operationId: () => {
      number += 1
      return `operation-${seconds}-${number}`
    },
  }
}

/** Folds events, each with the second after START at which it happens. */
export function play(
  first: Project,
  events: readonly (readonly [number, Event])[],
  changes: Partial<Settings> = {},
): StepResult & { readonly results: readonly StepResult[] } {
  const results: StepResult[] = []
  for (const [at, event] of events) {
    results.push(step(results.at(-1)?.project ?? first, event, context(at, changes)))
  }
  const last = results.at(-1) ?? { project: first, effects: [], answer: undefined, wakeAt: undefined }
  return { ...last, results }
}
