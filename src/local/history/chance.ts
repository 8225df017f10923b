import { fnv1a } from '../control/fnv1a.ts'
import { createRandom } from '../random.ts'

/** Seeded: a name gives one sequence. */
export type Chance = {
  /** A number in [0, 1). */
  uniform(): number
  between(min: number, max: number): number
  happens(probability: number): boolean
  /** Exponentially distributed. */
  wait(mean: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  /** Text of [a-z0-9]. */
  text(length: number): string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** `name`: a part of a history, so that a change of one moves no other. */
export function createChance(name: string): Chance {
  const random = createRandom(fnv1a(name))
  const uniform = () => random.uniform()
  return {
    uniform,
    between: (min, max) => min + (max - min) * uniform(),
    happens: (probability) => uniform() < probability,
    wait: (mean) => -mean * Math.log(1 - uniform()),
    pick: (items) => items[Math.floor(uniform() * items.length)] ?? items[0],
    text: (length) => Array.from({ length }, () => LETTERS[Math.floor(uniform() * LETTERS.length)]).join(''),
  }
}
