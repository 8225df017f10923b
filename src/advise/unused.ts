// Computes that nobody uses. People decide whether they are deleted: the saving is what they cost.
import { clientActivities, observerActivities } from '../ledger/evidence/activity.ts'
import type { Proposal, RecommendationDetail, Withheld } from '../model/policy/recommendation.ts'
import { DAY, instant, latest, type Instant } from '../model/units.ts'
import type { AdviseInput } from './input.ts'
import { propose, recentUse, withhold } from './propose.ts'

/** Days without client activity after which a compute counts as unused, 30: monthly jobs use theirs. */
const MIN_DAYS = 30

type UnusedDetail = Extract<RecommendationDetail, { kind: 'unused' }>

export function adviseUnused(input: AdviseInput): Proposal | Withheld {
  const { compute } = input.entry
  const since = lastUse(input)
  const days = (input.now - since) / DAY
  if (compute.disabled) return unused(input, { kind: 'unused', what: 'disabled', since: compute.lastActive })
  if (days < MIN_DAYS) return withhold('unused', 'fits', { have: Math.floor(days), needs: MIN_DAYS })
  return unused(input, {
    kind: 'unused',
    what: compute.type === 'read_only' ? 'replica' : 'no-clients',
    since,
  })
}

const unused = (input: AdviseInput, detail: UnusedDetail): Proposal =>
  propose(input, 'unused', { saving: recentUse(input).spend, detail })

/** Last client activity as far as known, at least the creation. Recorded activity may be that of an own session. */
function lastUse({ entry, gaps }: AdviseInput): Instant {
  const { compute, evidence } = entry
  const last = gaps.at(-1)
  const { lastActive } = compute
  const isOwn = lastActive !== undefined && observerActivities(evidence).includes(lastActive)
  return latest(
    compute.createdAt,
    ...clientActivities(evidence).slice(-1),
    ...(last ? [instant(last.from + last.high * 1000)] : []),
    ...(lastActive !== undefined && !isOwn ? [lastActive] : []),
  )
}
