// A person puts a recommendation aside, or takes that back.
import type { Recommendation } from '../model/policy/recommendation.ts'
import { failed, ok, type Result } from '../std/result.ts'
import type { Instant } from '../model/units.ts'

export type Dismissal = Readonly<{
  reason: string
  /** Undefined: until its likely saving has doubled. */
  until: Instant | undefined
  /** Name of the token. */
  by: string
  now: Instant
}>

/** Problem: why it cannot be. A second dismissal replaces the first. */
export function dismiss(
  recommendation: Recommendation,
  { reason, until, by, now }: Dismissal,
): Result<Recommendation, string> {
  const { life } = recommendation
  if (life.state !== 'open' && life.state !== 'dismissed') return failed(endedText(recommendation))
  return ok({ ...recommendation, life: { state: 'dismissed', at: now, until, reason, by } })
}

/**
 * Open again; an open one stays as it is. Problem: why it cannot be.
 *
 * @param others of the same compute: at most one of a kind is open
 */
export function undoDismiss(
  recommendation: Recommendation,
  others: readonly Recommendation[],
): Result<Recommendation, string> {
  const { id, kind, life } = recommendation
  if (life.state === 'open') return ok(recommendation)
  if (life.state !== 'dismissed') return failed(endedText(recommendation))
  const open = others.find((other) => other.id !== id && other.kind === kind && other.life.state === 'open')
  if (open) return failed(`${open.id} has taken the place of ${id}`)
  return ok({ ...recommendation, life: { state: 'open' } })
}

const endedText = ({ id, life }: Recommendation) => `${id} has ended: it is ${life.state}`
