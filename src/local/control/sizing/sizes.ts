import type { ConnectionsBasis } from '../behaviour.ts'
import type { SizeRange } from '../project.ts'

/** CU. Source: interface, "Limits". */
const SIZES: readonly number[] = [0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

/** CU (S-10). */
export const FREE_LIMIT_CU = 0.25

export const LARGEST_CU = 10

/** CU: the smallest, and the default, which is not in the interface. */
export const DEFAULT_CU = 0.25

export const SIZES_TEXT = SIZES.join(', ')

/** Whether the service offers this size (S-45 to S-47). */
export const isSupported = (cu: number): boolean => SIZES.includes(cu)

/** By minimum size or range (Q-11; S-103, S-105 to S-107): the formula behind the interface's table (service-facts 7). */
export function maxConnectionsOf({ minCu, maxCu }: SizeRange, basis: ConnectionsBasis): number {
  const cu = basis === 'min' ? minCu : Math.min(maxCu, 8 * minCu)
  return Math.min(4000, Math.max(100, Math.floor((cu * 4 * 1_073_741_824) / 9_531_392)))
}

/** 80 % of 4 GiB per CU, rounded down (S-100, service-facts 8.4). */
export const fileCacheMiB = (cu: number): number => Math.floor(0.8 * cu * 4096)
