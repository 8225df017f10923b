// Awake time added by readings, and what they show, under any use, compared with the simulation's truth.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Random } from '../../src/model/ports/clock.ts'
import { checkSlowly } from '../support/property.ts'
import { lifeAlone, simulateWeek } from './week.ts'
import type { Use } from './world.ts'

const DAY = 86_400_000
const HOUR = 3600
const DAYS = 1.1

/** A compute whose clients return after about `gaps` times its delay. About 1 is the worst case for readings. */
type UsePattern = {
  readonly delay: number
  readonly gaps: number
  /** How much a gap differs from the mean, 0–1. */
  readonly spread: number
  /** Hours of the day with clients. */
  readonly hours: number
}

const patterns: fc.Arbitrary<UsePattern> = fc.record({
  delay: fc.constantFrom(60, 120, 300, 900, 3600),
  gaps: fc.constantFrom(0.05, 0.3, 0.9, 1, 1.05, 1.5, 4),
  spread: fc.constantFrom(0, 0.1, 1),
  hours: fc.constantFrom(1, 6, 24),
})

function useOf({ delay, gaps, spread, hours }: UsePattern, random: Random, index: number): Use {
  const activity: number[] = []
  const mean = Math.max(20, delay * gaps)
  for (let at = 60_000; at < DAYS * DAY; at += 1000 * mean * (1 + spread * (random.unit() - 0.5)))
    if (at % DAY < hours * HOUR * 1000) activity.push(at)
  return { endpointId: `ep-${index}`, delay, activity }
}

type Outcome = { readonly awake: number; readonly isKnown: boolean }

test('looking wakes nothing, adds at most its share, and knows what is used', async () => {
  await checkSlowly(
    fc.asyncProperty(
      fc.array(patterns, { minLength: 2, maxLength: 2 }),
      fc.nat(1000),
      async (drawn, seed) => {
        const uses = (random: Random): readonly Use[] =>
          drawn.map((pattern, index) => useOf(pattern, random, index))
        const options = { seed, uses, days: DAYS }
        const watched = await simulateWeek(options)
        const alone = lifeAlone(options, watched.world.simulation.now())
        expect(watched.world.blind).toEqual([])
        const slow = await simulateWeek({ seed, uses, days: DAYS / 4, slowAddresses: true })
        expect(slow.world.blind).toEqual([])
        for (const { endpointId } of slow.world.simulation.usages(slow.world.simulation.now()))
          outcomeOf(slow, endpointId)
        drawn.forEach(({ delay }, index) => {
          const before = alone.find(({ endpointId }) => endpointId === `ep-${index}`)?.awakeSeconds ?? 0
          const after = outcomeOf(watched, `ep-${index}`)
          expect(after.awake - before).toBeLessThanOrEqual(0.01 * before + delay)
          const due = before >= DAYS * HOUR
          expect({ ...drawn[index], isKnown: after.isKnown || !due }).toMatchObject({ isKnown: true })
        })
      },
    ),
    3,
  )
})

/** Awake seconds, and whether the hit ratio was ever known. */
function outcomeOf({ world, ledger }: Awaited<ReturnType<typeof simulateWeek>>, endpointId: string): Outcome {
  const accounts = world.simulation.usages(world.simulation.now())
  const real = accounts.find((account) => account.endpointId === endpointId)
  const entry = [...ledger.computes.values()].find(({ ref }) => ref.endpointId === endpointId)
  expect(real?.wakes.filter(({ cause }) => cause.applicationName === 'dormouse') ?? []).toEqual([])
  return { awake: real?.awakeSeconds ?? 0, isKnown: entry?.reading.cacheReadAt !== undefined }
}
