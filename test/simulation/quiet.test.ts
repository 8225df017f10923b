// What looking costs and tells, whatever the use: the judge is the simulation's truth.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Random } from '../../src/model/ports/clock.ts'
import { checkSlowly } from '../support/property.ts'
import { simulateWeek } from './week.ts'
import type { Use } from './world.ts'

const DAY = 86_400_000
const HOUR = 3600
const DAYS = 1.1

/** A compute whose clients come back after a gap around some multiple of its delay: about 1 is the worst for us. */
type Habit = {
  readonly delay: number
  readonly gaps: number
  /** How much a gap differs from the mean, 0–1. */
  readonly spread: number
  /** Hours of the day with clients. */
  readonly hours: number
}

const habits: fc.Arbitrary<Habit> = fc.record({
  delay: fc.constantFrom(60, 120, 300, 900, 3600),
  gaps: fc.constantFrom(0.05, 0.3, 0.9, 1, 1.05, 1.5, 4),
  spread: fc.constantFrom(0, 0.1, 1),
  hours: fc.constantFrom(1, 6, 24),
})

function useOf({ delay, gaps, spread, hours }: Habit, random: Random, index: number): Use {
  const activity: number[] = []
  const mean = Math.max(20, delay * gaps)
  for (let at = 60_000; at < DAYS * DAY; at += 1000 * mean * (1 + spread * (random.unit() - 0.5)))
    if (at % DAY < hours * HOUR * 1000) activity.push(at)
  return { endpointId: `ep-${index}`, delay, activity }
}

type Seen = { readonly awake: number; readonly known: boolean }

test('looking wakes nothing, adds at most its share, and knows what is used', async () => {
  await checkSlowly(
    fc.asyncProperty(fc.array(habits, { minLength: 2, maxLength: 2 }), fc.nat(1000), async (some, seed) => {
      const uses = (random: Random): readonly Use[] => some.map((habit, index) => useOf(habit, random, index))
      const alone = await simulateWeek({ seed, uses, days: DAYS, readings: 'off' })
      const watched = await simulateWeek({ seed, uses, days: DAYS })
      expect(watched.world.blind).toEqual([])
      some.forEach(({ delay }, index) => {
        const before = seen(alone, `ep-${index}`)
        const after = seen(watched, `ep-${index}`)
        expect(after.awake - before.awake).toBeLessThanOrEqual(0.01 * before.awake + delay)
        const due = before.awake >= DAYS * HOUR
        expect({ ...some[index], known: after.known || !due }).toMatchObject({ known: true })
      })
    }),
    3,
  )
})

/** Awake seconds, and whether the hit ratio was ever known. */
function seen({ world, ledger }: Awaited<ReturnType<typeof simulateWeek>>, endpointId: string): Seen {
  const accounts = world.simulation.usages(world.simulation.now())
  const real = accounts.find((one) => one.endpointId === endpointId)
  const known = [...ledger.computes.values()].find(({ ref }) => ref.endpointId === endpointId)
  expect(real?.wakes.filter(({ cause }) => cause.applicationName === 'dormouse') ?? []).toEqual([])
  return { awake: real?.awakeSeconds ?? 0, known: known?.reading.cacheReadAt !== undefined }
}
