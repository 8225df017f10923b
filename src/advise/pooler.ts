// The pooler, for computes whose direct connections come near their limit. Pooled clients share few of them.
import type { Proposal, Withheld } from '../model/policy/recommendation.ts'
import { DAY, SECOND } from '../model/units.ts'
import type { AdviseInput } from './input.ts'
import { NO_EFFECT, propose, withhold } from './propose.ts'

/** Share of the connections for clients from which a peak is near the limit, 0.8: a quarter more would reach it. */
const NEAR = 0.8
/** Concurrent clients of a pooler. Source: service interface, "Limits". */
const POOLED_CLIENTS = 10_000

export function advisePooler(input: AdviseInput): Proposal | Withheld {
  const { hours, needs, entry, now } = input
  // of one weekday cycle: older ones may be from before the pooler
  const recent = hours.filter(({ from }) => from >= now - needs.minPeaks * SECOND)
  const seen = recent.flatMap(({ connections }) => connections?.all.max ?? [])
  if (seen.length === 0) return withhold('pooler', 'no-readings', { needs: (needs.minPeaks * SECOND) / DAY })
  const peak = Math.max(...seen)
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
