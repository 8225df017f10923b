// For each kind a proposal, or the reason why there is none. The kinds that one fact decides, `refresh` and `pooler`, are judged here.
import type { Advice, Proposal, RecommendationKind, Withheld } from '../model/policy/recommendation.ts'
import { after, DAY, SECOND, seconds, type Instant } from '../model/units.ts'
import { adviseAwakeForNothing } from './awake-for-nothing.ts'
import { adviseDelay } from './delay/advise-delay.ts'
import type { AdviseInput } from './input.ts'
import { NO_EFFECT, propose, withhold } from './propose.ts'
import { adviseSizing } from './sizing/advise-sizing.ts'
import { adviseUnused } from './unused.ts'

/** @param others proposals of this evaluation so far */
type AdviseKind = (input: AdviseInput, others: readonly Proposal[]) => Proposal | Withheld

/** The defaults are those of a project (defaults/advise-defaults.ts). */
type ComputeKind = Exclude<RecommendationKind, 'defaults'>

/** By kind, in the order of evaluation: a refresh may come with another proposal. */
const ADVISERS: Readonly<Record<ComputeKind, AdviseKind>> = {
  delay: adviseDelay,
  sizing: adviseSizing,
  'awake-for-nothing': adviseAwakeForNothing,
  pooler: advisePooler,
  unused: adviseUnused,
  refresh: adviseRefresh,
}

export function advise(input: AdviseInput): Advice {
  const { kinds } = input.policy
  const proposals: Proposal[] = []
  const withheld: Withheld[] = []
  for (const [kind, adviseKind] of Object.entries(ADVISERS) as [ComputeKind, AdviseKind][]) {
    const result = kinds.includes(kind) ? adviseKind(input, proposals) : withhold(kind, 'policy')
    if ('ref' in result) proposals.push(result)
    else withheld.push(result)
  }
  return { proposals, withheld }
}

/** Share of the connection limit from which a peak is near it, 0.8: a quarter more connections would reach the limit. */
const NEAR = 0.8
/** Concurrent clients of a pooler. Source: service interface, "Limits". */
const POOLED_CLIENTS = 10_000

/** The pooler, for computes whose direct connections come near their limit. Pooled clients share few connections. */
export function advisePooler(input: AdviseInput): Proposal | Withheld {
  const { hours, needs, entry, now } = input
  // one weekday cycle: older peaks may be from before the pooler
  const recent = hours.filter(({ from }) => from >= now - needs.minPeaks * SECOND)
  const peaks = recent.flatMap(({ connections }) => connections?.all.max ?? [])
  if (peaks.length === 0) return withhold('pooler', 'no-readings', { needs: (needs.minPeaks * SECOND) / DAY })
  const peak = Math.max(...peaks)
  if (peak < NEAR * clientLimit(input)) return withhold('pooler', 'fits')
  const { poolerEnabled } = entry.compute
  return propose(input, 'pooler', {
    from: poolerEnabled ? {} : { poolerEnabled },
    to: poolerEnabled ? {} : { poolerEnabled: true },
    effect: { ...NO_EFFECT, connections: { peak, limit: POOLED_CLIENTS } },
    ...(poolerEnabled && { detail: { kind: 'pooler' } }),
  })
}

/** Connections that clients may have. */
function clientLimit({ entry, preset }: AdviseInput): number {
  const reading = entry.reading.last
  return preset.maxConnections(entry.compute.sizing) - (reading?.reservedConnections ?? 0)
}

/** Days awake without a start after which an update was missed. Source: service interface, "Effects": updates about weekly. */
const MAX_DAYS = 7

/**
 * A start for the service's updates, which are applied at starts only. A recommendation that brings a start makes a restart superfluous.
 *
 * @param others proposals of the same evaluation
 */
export function adviseRefresh(input: AdviseInput, others: readonly Proposal[] = []): Proposal | Withheld {
  const { now } = input
  const startedAt = startOf(input)
  if (startedAt === undefined) return withhold('refresh', 'fits')
  const days = (now - startedAt) / DAY
  const until = after(startedAt, seconds((MAX_DAYS * DAY) / 1000))
  if (days < MAX_DAYS) return withhold('refresh', 'fits', { have: Math.floor(days), needs: MAX_DAYS, until })
  const ridesWith = others.find(bringsStart)?.kind
  return propose(input, 'refresh', {
    restarts: ridesWith === undefined,
    detail: { kind: 'refresh', startedAt: input.entry.compute.startedAt, ridesWith },
  })
}

/** Latest possible start of an awake compute; undefined while it sleeps: its next wake is a start. */
function startOf({ entry }: AdviseInput): Instant | undefined {
  const { compute, current, deletedAt } = entry
  const isAwake = compute.state === 'active' && !compute.disabled && deletedAt === undefined
  return isAwake ? (compute.startedAt ?? current?.from.latest) : undefined
}

/** Whether applying it restarts the compute, or lets a compute without autosuspend suspend. */
const bringsStart = ({ restarts, from, to }: Proposal) =>
  restarts || (from.delay === 'never' && to.delay !== undefined)
