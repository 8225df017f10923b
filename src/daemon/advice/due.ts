// Computes whose evaluation is due.
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { AdviceNeeds } from '../../model/policy/advice-policy.ts'
import type { ComputeAdvice } from '../../model/policy/recommendation.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { computeKey, targetKey } from '../../model/service/compute.ts'
import { after, earliest, seconds, type Instant } from '../../model/units.ts'
import { SATURATED_STEPS, UP_COOLDOWN } from '../../advise/sizing/up.ts'
import { inChunks, inTurns } from '../turns.ts'

/** Time after which a compute is evaluated again, a day; less where less history is needed. */
const EVALUATED_EVERY = seconds(86_400)
/** Computes or projects whose last evaluation is read at a time. */
export const TARGETS_PER_READ = 500

export type DueComputes = Readonly<{
  /** Dearest first. */
  keys: readonly string[]
  /** When the next of the others is due; undefined where there are none. */
  nextAt: Instant | undefined
}>

export type ScanContext = Readonly<{
  history: Pick<History, 'advice'>
  clock: Pick<Clock, 'yield'>
  needsOf: (entry: ComputeEntry) => Pick<AdviceNeeds, 'minHistory'>
  now: Instant
}>

/** Computes that exist and were never evaluated, or not for a day, or whose answer was to be there by now. */
export async function findDue(
  { account, computes }: Ledger,
  { history, clock, needsOf, now }: ScanContext,
): Promise<DueComputes> {
  const due: ComputeEntry[] = []
  let nextAt: Instant | undefined
  const existing = computes.values().filter(({ deletedAt }) => deletedAt === undefined)
  for await (const entries of inTurns(inChunks(existing, TARGETS_PER_READ), clock)) {
    const refs = entries.map(({ ref }) => ref)
    const known = new Map<string, ComputeAdvice>()
    for await (const advice of history.advice(account, { targets: refs }))
      known.set(targetKey(advice.ref), advice)
    for (const entry of entries) {
      const dueAt = dueAfter(known.get(computeKey(entry.ref)), needsOf(entry))
      if (dueAt === undefined || dueAt <= now) due.push(entry)
      else nextAt = earliest(dueAt, nextAt ?? dueAt)
    }
  }
  const dearest = due.toSorted((a, b) => b.counters.spend - a.counters.spend)
  return { keys: dearest.map(({ ref }) => computeKey(ref)), nextAt }
}

/** When a compute is due again; undefined where it was never evaluated. */
export function dueAfter(
  advice: ComputeAdvice | undefined,
  { minHistory }: Pick<AdviceNeeds, 'minHistory'>,
): Instant | undefined {
  if (!advice) return undefined
  const answers = advice.withheld.flatMap(({ until }) =>
    until !== undefined && until > advice.evaluatedAt ? [until] : [],
  )
  return earliest(after(advice.evaluatedAt, seconds(Math.min(EVALUATED_EVERY, minHistory))), ...answers)
}

/**
 * Saturated computes that are due: after the third saturated step within the cooldown of increases, and then not before it is over. What nobody
 * saturates takes no memory.
 */
export function createDueBySaturation() {
  const counted = new Map<string, { readonly since: Instant; steps: number }>()
  return (saturated: readonly string[], now: Instant): readonly string[] => {
    for (const [key, { since }] of counted) if (now - since >= UP_COOLDOWN) counted.delete(key)
    return saturated.filter((key) => {
      const one = counted.get(key) ?? { since: now, steps: 0 }
      counted.set(key, one)
      one.steps += 1
      return one.steps === SATURATED_STEPS
    })
  }
}
