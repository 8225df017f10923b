// Presets: sizes, memory and connection limit by size.
import { largestCu, smallestCu, type Sizing } from './compute.ts'
import { cu, type Bytes, type Cu } from '../units.ts'

export type Preset = Readonly<{
  /** Fixed sizes and limits of ranges, ascending; a plan may allow fewer. */
  sizes: readonly Cu[]
  maxConnections: (sizing: Sizing) => number
  /** MiB of RAM for MiB of file cache. */
  memoryOf: (cache: number) => number
}>

/** Source: service interface, "Limits", second table. */
const INTERFACE_SIZES: readonly number[] = [0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

/** Source: service-facts.md, "Presets": whole sizes up to 16, every second one up to 56. */
const LATER_SIZES: readonly number[] = [
  0.25,
  0.5,
  ...Array.from({ length: 16 }, (_, index) => index + 1),
  ...Array.from({ length: 20 }, (_, index) => 18 + 2 * index),
]

/** CU → connections, from the same table. */
const INTERFACE_CONNECTIONS: Readonly<Record<string, number>> = {
  0.25: 112,
  0.5: 225,
  1: 450,
  2: 901,
  3: 1351,
  4: 1802,
  5: 2253,
  6: 2703,
  7: 3154,
  8: 3604,
  9: 4000,
  10: 4000,
}

/** CU → connections. Source: service-facts.md, "Presets"; 4000 above. */
const LATER_CONNECTIONS: Readonly<Record<string, number>> = {
  0.25: 104,
  0.5: 209,
  1: 419,
  2: 839,
  3: 1258,
  4: 1678,
  5: 2098,
  6: 2517,
  7: 2937,
  8: 3357,
}

const clamp = (value: number) => Math.min(4000, Math.max(100, Math.floor(value)))

const interfaceConnections = (sizing: Sizing) => {
  const min = smallestCu(sizing)
  return INTERFACE_CONNECTIONS[min] ?? clamp((min * 4 * 2 ** 30) / 9_531_392)
}

const laterConnections = (sizing: Sizing) => {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  const basis = Math.min(max, 8 * min)
  return LATER_CONNECTIONS[basis] ?? (basis > 8 ? 4000 : clamp(419.63 * basis))
}

/** `interface`: the interface text; `2026-03`: the service's documentation since then (service-facts.md, "Presets"). */
const PRESETS = {
  interface: {
    sizes: INTERFACE_SIZES.map(cu),
    maxConnections: interfaceConnections,
    memoryOf: (cache) => cache / 0.8,
  },
  // below 1,097 MiB of cache the service reserves 256 MiB and a tenth
  '2026-03': {
    sizes: LATER_SIZES.map(cu),
    maxConnections: laterConnections,
    memoryOf: (cache) => (cache < 1097 ? 1.1 * cache + 256 : cache / 0.75),
  },
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS
export const createPreset = (name: PresetName): Preset => PRESETS[name]

/**
 * From the file cache limit that a compute shows now.
 *
 * @returns undefined when no size within 10 % fits: then the size is unknown inside `[min, max]`
 * @see service-facts.md, "Cache limit → current CU"
 */
export function currentCu(cacheLimit: Bytes, sizing: Sizing, preset: Preset): Cu | undefined {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  const measured = preset.memoryOf(cacheLimit / 2 ** 20) / 4096
  const snapped = Math.min(max, Math.max(min, Math.round(measured * 4) / 4))
  return Math.abs(snapped - measured) > 0.1 * snapped ? undefined : cu(snapped)
}

/** Smallest of `sizes` that is at least `wanted`, else the largest. */
export function sizeAtLeast(sizes: readonly Cu[], wanted: number): Cu {
  for (const size of sizes) if (size >= wanted) return size
  return sizes.at(-1) ?? cu(wanted)
}

/** Largest of `sizes` that is at most `wanted`, else the smallest. */
export const sizeAtMost = (sizes: readonly Cu[], wanted: number): Cu =>
  sizes.findLast((size) => size <= wanted) ?? sizeAtLeast(sizes, 0)
