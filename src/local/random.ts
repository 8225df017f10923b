import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export type Random = {
  /** A number in [0, 1), repeatable by seed. */
  uniform(): number
  /** Text of [a-z0-9] from the system's secure source, never seeded: ids, keys, passwords. */
  text(length: number): string
  uuid(): string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The seed concerns `uniform` only. */
export function createRandom(seed: number | undefined): Random {
  let state = (seed ?? randomBytes(4).readUInt32LE()) >>> 0
  return {
    // mulberry32; 32 bits of state suffice for latencies
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
