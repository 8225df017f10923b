// Connection limits of smaller sizes against the connections that clients hold.
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import type { RollupSums } from '../../model/ledger/rollup.ts'
import { DAY, type Cu, type Instant } from '../../model/units.ts'
import type { AdviseInput } from '../input.ts'

/** Factor above the peak seen: readings are a minute apart, and peaks grow. */
const MARGIN = 1.25
/** Share of the limit that the peak may take. */
const FILLED_LIMIT = 0.8

/** `peak`: undefined before the first reading that could count clients. */
export type ConnectionsSeen = Readonly<{
  peak: number | undefined
  since: Instant | undefined
  /** Days since the first value. */
  days: number
  /** Limit of today, and the part that clients cannot have. */
  limit: number
  reserved: number
}>

export function connectionsSeen({ entry, hours, preset, now }: AdviseInput): ConnectionsSeen {
  const { compute, rollups, reading } = entry
  const buckets: readonly RollupSums[] = [...hours, ...(rollups.coarse ? [rollups.coarse] : [])]
  const counted = buckets.filter((bucket) => bucket.connections !== undefined)
  const since = counted[0]?.from
  return {
    peak: since === undefined ? undefined : Math.max(...counted.map(peakOf)),
    since,
    days: since === undefined ? 0 : (now - since) / DAY,
    limit: Math.max(preset.maxConnections(compute.sizing), reading.last?.maxConnections ?? 0),
    reserved: reading.last?.reservedConnections ?? 0,
  }
}

/** Sessions that came between two readings may all have been there at once. */
export const peakOf = ({ connections, use }: Pick<RollupSums, 'connections' | 'use'>): number =>
  (connections?.all.max ?? 0) + (use ? use.arrivals / Math.max(1, connections?.count ?? 0) : 0)

type LimitOptions = Pick<AdviseInput, 'preset' | 'needs'> &
  Readonly<{
    connections: ConnectionsSeen
    sizing: (size: Cu) => Sizing
  }>

/**
 * Smallest of `sizes` with enough connections. One of these must hold:
 * 1. the limit is at least that of today;
 * 2. the peaks cover the time that is needed, and the limit holds them with both margins.
 */
export function leastForConnections(sizes: readonly Cu[], options: LimitOptions): Cu | undefined {
  const { preset, needs, connections, sizing } = options
  const { peak, days, reserved, limit } = connections
  const isCovered = peak !== undefined && days * DAY >= needs.minPeaks * 1000
  return sizes.find((size) => {
    const next = preset.maxConnections(sizing(size))
    return next >= limit || (isCovered && FILLED_LIMIT * (next - reserved) >= MARGIN * peak)
  })
}

/** Limits that clients notice, with the peak; undefined where no reading counted clients. */
export const connectionsUnder = (
  { peak, reserved }: ConnectionsSeen,
  to: Sizing,
  preset: AdviseInput['preset'],
): Readonly<{ peak: number; limit: number }> | undefined =>
  peak === undefined
    ? undefined
    : {
        peak: Math.ceil(peak),
        limit: preset.maxConnections({ min: smallestCu(to), max: largestCu(to) }) - reserved,
      }
