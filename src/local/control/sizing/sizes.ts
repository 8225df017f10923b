import type { ConnectionsBasis } from '../behaviour.ts'
import type { SizeRange } from '../project.ts'
import type { LimitsPreset } from './plans.ts'

/** From `first` to `last`, CU. */
const steps = (first: number, last: number, step: number): readonly number[] =>
  Array.from({ length: (last - first) / step + 1 }, (_, at) => first + step * at)

/** CU. Sources: interface, "Limits"; service-facts 7. */
const SIZES: Readonly<Record<LimitsPreset, readonly number[]>> = {
  interface: [0.25, 0.5, ...steps(1, 10, 1)],
  '2026-03': [0.25, 0.5, ...steps(1, 16, 1), ...steps(18, 56, 2)],
}

/** CU: the smallest, and the default, which is not in the interface. */
export const DEFAULT_CU = 0.25

export const sizesText = (preset: LimitsPreset): string => SIZES[preset].join(', ')

/** Whether the service offers this size (S-45 to S-47). */
export const isSupported = (cu: number, preset: LimitsPreset): boolean => SIZES[preset].includes(cu)

/** What decides about `max_connections`. */
type ConnectionRules = Readonly<{ connectionsBasis: ConnectionsBasis; preset: LimitsPreset }>

/** By minimum size or range (Q-11; S-103, S-105 to S-107). */
export function maxConnectionsOf(
  { minCu, maxCu }: SizeRange,
  { connectionsBasis, preset }: ConnectionRules,
): number {
  const cu = connectionsBasis === 'min' ? minCu : Math.min(maxCu, 8 * minCu)
  return Math.min(4000, Math.max(100, Math.floor(CONNECTIONS[preset](cu))))
}

/** The formulae behind the tables (service-facts 7); that of 2026-03 holds up to 8 CU. */
const CONNECTIONS: Readonly<Record<LimitsPreset, (cu: number) => number>> = {
  interface: (cu) => (cu * 4 * 1_073_741_824) / 9_531_392,
  '2026-03': (cu) => (cu > 8 ? 4000 : 419.63 * cu),
}

/** File cache of a size, MiB, at 4 GiB per CU, rounded down (S-100, service-facts 8.4). */
export const fileCacheMiB = (cu: number, preset: LimitsPreset): number =>
  Math.floor(FILE_CACHE[preset](4096 * cu))

/** MiB of file cache for MiB of RAM. */
const FILE_CACHE: Readonly<Record<LimitsPreset, (memory: number) => number>> = {
  interface: (memory) => 0.8 * memory,
  '2026-03': (memory) => Math.min((memory - 256) / 1.1, 0.75 * memory),
}
