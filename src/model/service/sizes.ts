// Sizes, memory, file cache and connection limit by size.
import type { Sizing } from './compute.ts'
import { cu, seconds, type Bytes, type Cu, type Seconds } from '../units.ts'

/** `interface`: the interface text; `2026-03`: the service's documentation since then (service-facts.md, "Presets"). */
type PresetName = 'interface' | '2026-03'

export type Preset = Readonly<{
  name: PresetName
  /** Ascending. */
  sizes: readonly Cu[]
  fileCacheShare: number
  maxConnections: (sizing: Sizing) => number
  /** Smallest delay that the service accepts. */
  delayFloor: Seconds
}>

const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

/** CU → connections. Source: service interface, "Limits", second table. */
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

const bounds = (sizing: Sizing): Readonly<{ min: number; max: number }> =>
  'fixed' in sizing ? { min: sizing.fixed, max: sizing.fixed } : sizing

const interfaceConnections = (sizing: Sizing) => {
  const { min } = bounds(sizing)
  return INTERFACE_CONNECTIONS[min] ?? clamp((min * 4 * 2 ** 30) / 9_531_392)
}

const laterConnections = (sizing: Sizing) => {
  const { min, max } = bounds(sizing)
  const basis = Math.min(max, 8 * min)
  return LATER_CONNECTIONS[basis] ?? (basis > 8 ? 4000 : clamp(419.63 * basis))
}

export function createPreset(name: PresetName): Preset {
  switch (name) {
    case 'interface':
      return {
        name,
        sizes: [0.25, 0.5, ...range(1, 10, 1)].map(cu),
        fileCacheShare: 0.8,
        maxConnections: interfaceConnections,
        delayFloor: seconds(60),
      }
    case '2026-03':
      return {
        name,
        sizes: [0.25, 0.5, ...range(1, 16, 1), ...range(18, 56, 2)].map(cu),
        fileCacheShare: 0.75,
        maxConnections: laterConnections,
        delayFloor: seconds(60),
      }
  }
}

/**
 * From the file cache limit that a compute shows now.
 *
 * @returns undefined when no size within 10 % fits: then the size is unknown inside `[min, max]`
 * @see service-facts.md, "Cache limit → current CU"
 */
export function currentCu(cacheLimit: Bytes, sizing: Sizing, preset: Preset): Cu | undefined {
  const { min, max } = bounds(sizing)
  const mebibytes = cacheLimit / 2 ** 20
  const memory = preset.name === 'interface' ? mebibytes / preset.fileCacheShare : laterMemory(mebibytes)
  const measured = memory / 4096
  const snapped = Math.min(max, Math.max(min, Math.round(measured * 4) / 4))
  return Math.abs(snapped - measured) > 0.1 * snapped ? undefined : cu(snapped)
}

/** MiB of RAM for MiB of cache: below 1,097 MiB the service reserves 256 MiB and a tenth. */
const laterMemory = (cache: number) => (cache < 1097 ? 1.1 * cache + 256 : cache / 0.75)
