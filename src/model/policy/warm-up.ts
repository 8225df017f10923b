// Warm-ups: computes are started ahead of clients that are expected. Counted actions, no changes: nothing has to be verified or put back.
import type { Instant, Seconds } from '../units.ts'
import type { Hold } from './hold.ts'

/** Plans of the gaps before, as if each had been carried out. `saved`: awake time less than with the delay alone, wakes at their price. */
export type WarmUpBacktest = Readonly<{ gaps: number; predicted: number; came: number; saved: Seconds }>

export type NoWarmUpReason =
  /** Nobody knows when a client was active last. */
  | 'unseen'
  | 'autosuspend-off'
  /** A wake costs no more than the delay and a minute. */
  | 'wake-cost'
  /** Fewer than five were seen. */
  | 'few-gaps'
  /** The plans of earlier gaps would have cost more than they saved, and those since have not made that good. */
  | 'in-loss'
  /** No plan of the gap saves 5 %. */
  | 'no-gain'

export type WarmUpPlan = Readonly<{
  /** Last client activity; undefined where it is not known. */
  gapFrom: Instant | undefined
  /** Instants in the gap in progress, in order, past ones included. */
  starts: readonly Instant[]
  /** Undefined where there are starts. */
  because: NoWarmUpReason | undefined
  backtest: WarmUpBacktest
}>

/** Warm-ups of one compute. */
export type WarmUpView = Readonly<{
  /** Undefined before it is made, and while the compute is awake. */
  plan: WarmUpPlan | undefined
  nextAt: Instant | undefined
  /** Why the start that is due is not made; undefined where none is due. */
  hold: Hold | undefined
}>

export const WARM_UP_RESULTS = ['used', 'unused', 'failed'] as const
/** `used`: a client came while the compute was awake. `failed`: the service did not start it. */
export type WarmUpResult = (typeof WARM_UP_RESULTS)[number]

export type WarmUpCounts = Readonly<Record<WarmUpResult, number>>
