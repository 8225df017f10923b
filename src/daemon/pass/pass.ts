// A pass over one account. The body of `pass` is the picture of the program: each stage is one line and is timed.
import type { Ports } from '../../model/ports/ports.ts'
import { applyInChunks } from './apply-in-chunks.ts'
import { observeOnServiceTime } from './observe-on-service-time.ts'
import { evaluatePassBudgets } from './evaluate-budgets.ts'
import { nextState } from './next-state.ts'
import type { PassInput } from './pass-input.ts'
import type { PassState } from './pass-state.ts'
import { persist } from './persist.ts'

export type PassStage = 'observe' | 'apply' | 'budgets' | 'persist' | 'publish'

/** Runs one stage and records its duration in `dormouse_pass_stage_duration_seconds`. */
export type Timed = <Value>(stage: PassStage, work: () => Promise<Value>) => Promise<Value>

/** Runs stages without recording them. */
export const untimed: Timed = (_, work) => work()

export type PassPorts = Ports & { readonly timed: Timed }

/**
 * @returns the state for the next pass, durable before anybody is notified. It is the state before when `signal` aborted the sweep. What
 *   could not be stored is not in it: the next pass observes it again.
 */
export async function pass(ports: PassPorts, input: PassInput, signal: AbortSignal): Promise<PassState> {
  const { timed } = ports
  const observed = await timed('observe', () => observeOnServiceTime(ports, input, signal))
  if (signal.aborted) return input.before
  const applied = await timed('apply', () => applyInChunks(ports, input, observed))
  const evaluated = await timed('budgets', () =>
    evaluatePassBudgets(ports.clock, input, { observed, applied }),
  )
  const persisted = await timed('persist', () => persist(ports, input, { observed, applied, evaluated }))
  await timed('publish', () => ports.send(persisted.events))
  return nextState(input.before, { observed, applied, persisted })
}
