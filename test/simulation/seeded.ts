import type { Random } from '../../src/model/ports/clock.ts'

/** Randomness that a seed replays (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(unit() * 16).toString(16)).join('')
  return { unit, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}` }
}
