// Sizes and autosuspend delays as people choose them.
import { FREE_LIMIT_CU } from '../control/sizing/sizes.ts'
import type { Chance } from './chance.ts'
import type { Kind } from './sessions.ts'

type Sizing = { readonly minCu: number; readonly maxCu: number }

const fixed = (cu: number): Sizing => ({ minCu: cu, maxCu: cu })
const range = (minCu: number, maxCu: number): Sizing => ({ minCu, maxCu })

/** Most are small and of fixed size. */
const SIZINGS: readonly [Sizing, ...Sizing[]] = [
  ...([fixed(0.25), fixed(0.25), fixed(0.25), fixed(0.5), fixed(1), fixed(1), fixed(2), fixed(4)] as const),
  ...([range(0.25, 1), range(0.25, 2), range(0.5, 4), range(1, 8)] as const),
]

export const chooseSizing = (plan: 'free' | 'paid', chance: Chance): Sizing =>
  plan === 'free' ? fixed(FREE_LIMIT_CU) : chance.pick(SIZINGS)

/** As on the wire, seconds: 0 the default, -1 never. Most people never touch it; the free plan does not let them. */
const DELAYS: Readonly<Record<Kind, readonly [number, ...number[]]>> = {
  office: [0, 0, 0, 0, 300, 600, 1800, 3600],
  batch: [0, 0, 60, 300],
  preview: [0, 0, 120],
  chatty: [0, 300, 900],
  always: [-1],
  rare: [0, 0, 0, 60, 3600],
  bursty: [0, 0, 60, 900],
}

export const chooseDelay = (kind: Kind, plan: 'free' | 'paid', chance: Chance): number =>
  plan === 'free' ? 0 : chance.pick(DELAYS[kind])
