// A sizing as a proposal: saving, effect, grounds, and the ranges that cost more.
import { addBounds, eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Alternative, Proposal } from '../../model/policy/recommendation.ts'
import { ratio, type Instant } from '../../model/units.ts'
import { confidenceOf, MAX_AWAKE, savedTimeInterval, statedWidening } from '../interval.ts'
import type { AdviseInput } from '../input.ts'
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
  const awake = awakeSeconds(input)
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

/** Awake seconds in 30 days, from the days that are known. */
function awakeSeconds({ days, settings, entry, finished, now }: AdviseInput): Bounds<number> | undefined {
  const since: Instant = settings[0]?.since ?? entry.compute.createdAt
  const known = days.filter(({ from, to }) => to > since && from < now)
  const blocks = known.map(({ from, to, awake }) => ({
    saved: awake.likely / 1000,
    observed: Math.min(to, now) - Math.max(from, since),
  }))
  const sum = known.reduce((total, day) => addBounds(total, day.awake, Number), NO_TIME)
  const time = savedTimeInterval(
    blocks,
    eachBound((bound) => sum[bound] / 1000),
    statedWidening(finished?.get('sizing')),
  )
  return time && mapBounds(time, (span) => Math.min(MAX_AWAKE, Math.max(0, span)))
}

const NO_TIME: Bounds<number> = { low: 0, likely: 0, high: 0 }
