import { createRandom } from '../random.ts'

/** Seeded chance: the same name, the same sequence. */
export type Chance = {
  /** A number in [0, 1). */
  uniform(): number
  between(least: number, most: number): number
  /** Whether something of this probability happens. */
  happens(probability: number): boolean
  /** A waiting time with this mean, and without memory. */
  wait(mean: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  /** `length` characters of [a-z0-9]. */
  text(length: number): string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** What happens by chance in one part of a past must not move what happens in another: each has a name of its own. */
export function createChance(name: string): Chance {
  const random = createRandom(hashOf(name))
  const uniform = (): number => random.uniform()
  return {
    uniform,
    between: (least, most) => least + (most - least) * uniform(),
    happens: (probability) => uniform() < probability,
    wait: (mean) => -mean * Math.log(1 - uniform()),
    pick: (items) => items[Math.floor(uniform() * items.length)] ?? items[0],
    text: (length) => Array.from({ length }, () => LETTERS[Math.floor(uniform() * LETTERS.length)]).join(''),
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
