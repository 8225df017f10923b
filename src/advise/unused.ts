// Computes that nobody uses. People decide whether they are deleted: the saving is what they cost.
import { clientActivities, observerActivities } from '../ledger/evidence/activity.ts'
import type { Proposal, RecommendationDetail, Withheld } from '../model/policy/recommendation.ts'
import { after, DAY, instant, latest, seconds, type Instant } from '../model/units.ts'
import type { AdviseInput } from './input.ts'
import { propose, recentUse, withhold } from './propose.ts'

/** Days without client activity after which a compute counts as unused, 30: monthly jobs use theirs. */
const MIN_DAYS = 30

/** Time after which a past that was not read is looked for again, 1 h: operations that could not be read are asked for within minutes. */
const UNREAD_RETRY = seconds(3600)

type UnusedDetail = Extract<RecommendationDetail, { kind: 'unused' }>

export function adviseUnused(input: AdviseInput): Proposal | Withheld {
  const { compute } = input.entry
  const since = lastUse(input)
  const days = (input.now - since) / DAY
  if (!compute.disabled && days < MIN_DAYS)
    return withhold('unused', 'fits', { have: Math.floor(days), needs: MIN_DAYS })
  if (!isPastRead(input))
    return withhold('unused', 'history-short', { until: after(input.now, UNREAD_RETRY) })
  if (compute.disabled) return unused(input, { kind: 'unused', what: 'disabled', since: compute.lastActive })
  return unused(input, {
    kind: 'unused',
    what: compute.type === 'read_only' ? 'replica' : 'no-clients',
    since,
  })
}

/** Whether the days say what it costs: its project's operations were read, and time awake has reached the days. */
const isPastRead = ({ entry, project, days }: AdviseInput): boolean =>
  !project?.listed?.needsBackfill && (days.length > 0 || entry.compute.state !== 'active')

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
