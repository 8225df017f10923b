// A sizing as a proposal: saving, effect, grounds, and the ranges that cost more.
import type { Alternative, Proposal } from '../../model/policy/recommendation.ts'
import { ratio } from '../../model/units.ts'
import { confidenceOf } from '../interval.ts'
import type { AdviseInput } from '../input.ts'
import { awakeUnderDelay } from './awake-under-delay.ts'
import type { LoadSeen } from './load-seen.ts'
import {
  dearerSizings,
  sizesUnder,
  sizingEffect,
  sizingSaving,
  sizingSpend,
  type PricedLoad,
} from './pricing.ts'
import type { SizingDecision } from './range.ts'

export type SizingEvidence = PricedLoad & Readonly<{ input: AdviseInput; load: LoadSeen }>

/** Undefined before any awake time is known. */
export function sizingProposal(
  evidence: SizingEvidence,
  { to, because }: SizingDecision,
): Proposal | undefined {
  const { input, load } = evidence
  const { sizing, perCuHour } = evidence
  const awake = awakeUnderDelay(input)
  if (!awake) return undefined
  const saving = sizingSaving(evidence, to, awake)
  return {
    ref: input.entry.ref,
    kind: 'sizing',
    from: { sizing },
    to: { sizing: to },
    restarts: true,
    spend: sizingSpend(evidence, awake),
    saving,
    effect: sizingEffect(evidence, to),
    confidence: confidenceOf(load.days, saving),
    grounds: {
      from: load.from,
      to: load.to,
      days: load.days,
      followed: ratio(load.awake === 0 ? 0 : Math.min(1, load.covered / load.awake)),
      cu: sizesUnder(evidence, to),
      perCuHour,
      gaps: [],
    },
    alternatives: dearerSizings(evidence, { to, because }).map((other): Alternative => ({
      to: { sizing: other },
      saving: sizingSaving(evidence, other, awake),
      effect: sizingEffect(evidence, other),
      because: 'dearer',
    })),
    ...detailOf(evidence, because),
  }
}

/** Budget or cache that asks for the sizing. */
function detailOf(
  { input, cache }: SizingEvidence,
  because: SizingDecision['because'],
): Pick<Proposal, 'detail'> {
  const { overBudget, policy } = input
  if (because === 'budget' && overBudget !== undefined)
    return { detail: { kind: 'budget', name: overBudget } }
  if (because === 'cache' && cache)
    return { detail: { kind: 'cache', hitRatio: cache.hitRatio, target: policy.sizing.hitRatio } }
  return {}
}
