// Sizes and autosuspend delays that people choose, by kind of use.
import { FREE_LIMIT_CU } from '../control/sizing/sizes.ts'
import type { Chance } from './chance.ts'
import type { Kind } from './sessions.ts'

type Sizing = { readonly minCu: number; readonly maxCu: number }

const fixed = (cu: number): Sizing => ({ minCu: cu, maxCu: cu })
const range = (minCu: number, maxCu: number): Sizing => ({ minCu, maxCu })

/** Most sizes are small and fixed. */
const SIZINGS: readonly [Sizing, ...Sizing[]] = [
  ...([fixed(0.25), fixed(0.25), fixed(0.25), fixed(0.5), fixed(1), fixed(1), fixed(2), fixed(4)] as const),
  ...([range(0.25, 1), range(0.25, 2), range(0.5, 4), range(1, 8)] as const),
]

export const chooseSizing = (plan: 'free' | 'paid', chance: Chance): Sizing =>
  plan === 'free' ? fixed(FREE_LIMIT_CU) : chance.pick(SIZINGS)

/** Delays as on the wire, seconds: 0 is the default, -1 is never. Most people keep the default; the free plan forces it. */
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
