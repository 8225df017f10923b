// Days of random worlds: what must hold whatever happens. FAULT_SEEDS sets the number of days, FAULT_SEED the first.
import { expect, test } from 'vitest'
import { runDays } from './days.ts'
import { violationsAtEnd, violationsOfPass } from './invariants.ts'
import { randomWorld } from './random-world.ts'

const FIRST = Number(process.env['FAULT_SEED'] ?? 0)
const SEEDS = Number(process.env['FAULT_SEEDS'] ?? 3)

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST + index))('seed %i', async (seed) => {
  const world = randomWorld(seed)
  const violations: unknown[] = []
  const days = await runDays({
    ...world,
    passed: (pass) => violations.push(...violationsOfPass(world, pass)),
  })
  expect([...violations, ...violationsAtEnd(world, days)].slice(0, 10)).toEqual([])
})
