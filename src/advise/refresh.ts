// A start for the service updates, which come about weekly and are picked up at a start alone. Any start will do: a recommendation that
// brings one makes a start of its own superfluous.
import type { Proposal, Withheld } from '../model/policy/recommendation.ts'
import { after, DAY, seconds, type Instant } from '../model/units.ts'
import type { AdviseInput } from './input.ts'
import { propose, withhold } from './propose.ts'

/** Days awake without a start after which an update was missed. Source: service interface, "Effects": updates about weekly. */
const MAX_DAYS = 7

/**
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

/** Whether it restarts the compute, or lets one that never slept suspend. */
const bringsStart = ({ restarts, from, to }: Proposal) =>
  restarts || (from.delay === 'never' && to.delay !== undefined)
