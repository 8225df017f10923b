import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export type Random = {
  /** A number in [0, 1), the same sequence for the same seed. */
  uniform(): number
  /** `length` characters of [a-z0-9], from the system's secure source: ids, keys, passwords. Never seeded. */
  text(length: number): string
  uuid(): string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Randomness whose `uniform` replays with `seed`; without one each run differs. */
export function createRandom(seed: number | undefined): Random {
  let state = (seed ?? randomBytes(4).readUInt32LE()) >>> 0
  return {
    // mulberry32; 32 bits of state are enough for latencies
    uniform: () => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
    text: (length) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
    uuid: () => randomUUID(),
  }
}
