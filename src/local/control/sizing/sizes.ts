import type { ConnectionsBasis } from '../behaviour.ts'

/** Row of the size table: Compute Units, and the connections of a server of that size. Source: interface, "Limits". */
type Size = { readonly cu: number; readonly maxConnections: number }

const SIZES: readonly Size[] = [
  { cu: 0.25, maxConnections: 112 },
  { cu: 0.5, maxConnections: 225 },
  { cu: 1, maxConnections: 450 },
  { cu: 2, maxConnections: 901 },
  { cu: 3, maxConnections: 1351 },
  { cu: 4, maxConnections: 1802 },
  { cu: 5, maxConnections: 2253 },
  { cu: 6, maxConnections: 2703 },
  { cu: 7, maxConnections: 3154 },
  { cu: 8, maxConnections: 3604 },
  { cu: 9, maxConnections: 4000 },
  { cu: 10, maxConnections: 4000 },
]

/** The largest size of the free plan, CU (S-10). */
export const FREE_LIMIT_CU = 0.25

export const LARGEST_CU = 10

/** The smallest and the default size, CU; the default is not in the interface. */
export const DEFAULT_CU = 0.25

/** The supported sizes as people read them: "0.25, 0.5, 1, …". */
export const SIZES_TEXT = SIZES.map(({ cu }) => cu).join(', ')

/** Whether the service offers this size (S-45 to S-47). */
export const isSupported = (cu: number): boolean => SIZES.some((size) => size.cu === cu)

/** `max_connections` of a compute (S-103, S-105 to S-107), by its minimum size or by its range. */
export const maxConnectionsOf = (
  { minCu, maxCu }: { readonly minCu: number; readonly maxCu: number },
  basis: ConnectionsBasis,
): number => connectionsOf(basis === 'min' ? minCu : Math.min(maxCu, 8 * minCu))

/** Connections by the table; between its rows by the formula that yields them (service-facts 7). */
function connectionsOf(cu: number): number {
  const row = SIZES.find((size) => size.cu === cu)
  return row
    ? row.maxConnections
    : Math.min(4000, Math.max(100, Math.floor((cu * 4 * 1_073_741_824) / 9_531_392)))
}

/** The file cache limit of a size in MiB: 80 % of 4 GiB per CU, rounded down (S-100, service-facts 8.4). */
export const fileCacheMiB = (cu: number): number => Math.floor(0.8 * cu * 4096)
