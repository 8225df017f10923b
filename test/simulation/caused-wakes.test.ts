// Records that state a longer delay than the real one, and sessions that take seconds to arrive: readings wake computes.
import { expect, test } from 'vitest'
import type { ComputeEntry } from '../../src/model/ledger/ledger.ts'
import type { Random } from '../../src/model/ports/clock.ts'
import { lifeAlone, simulateWeek } from './week.ts'
import type { Use, Wire } from './world.ts'

const DAY = 86_400_000
const [DELAY, STATED] = [60, 300]
const [days, computes] = [3, 4]

/** Clients come back after 30 s to ten minutes: most readings that the stated delay allows find a compute that is about to be suspended. */
function uses(random: Random): readonly Use[] {
  return Array.from({ length: computes }, (_, index) => {
    const activity: number[] = []
    for (let at = 60_000; at < days * DAY; at += 30_000 + 600_000 * random.unit())
      activity.push(Math.round(at))
    return { endpointId: `ep-${index}`, delay: DELAY, activity }
  })
}

const withLongerDelay = (record: Wire): Wire => ({ ...record, suspend_timeout_seconds: STATED })

const awakeSeconds = (usages: ReturnType<typeof lifeAlone>): number =>
  usages.reduce((sum, usage) => sum + usage.awakeSeconds, 0)

test('caused wakes are counted, charged as observer overhead, and paid for by the allowance', async () => {
  const options = { seed: 3, uses, days, twisted: withLongerDelay, slowSessions: 4 }
  const watched = await simulateWeek(options)
  const { simulation } = watched.world
  const usages = simulation.usages(simulation.now())
  const alone = awakeSeconds(lifeAlone(options, simulation.now()))
  const wakes = usages.flatMap((usage) =>
    usage.wakes.filter(({ cause }) => cause.applicationName === 'dormouse'),
  )
  const sum = (of: (entry: ComputeEntry) => number): number =>
    [...watched.ledger.computes.values()].reduce((total, entry) => total + of(entry), 0)
  const added = awakeSeconds(usages) - alone
  expect(wakes.length).toBeGreaterThan(0)
  expect(sum(({ totals }) => totals.wakesCaused)).toBe(wakes.length)
  expect(Math.abs(sum(({ totals }) => totals.observerOverhead) / 1000 - added)).toBeLessThan(0.1 * added)
  // A wake is paid for afterwards: at most one delay for each compute is added in advance.
  expect(added).toBeLessThanOrEqual(0.01 * alone + computes * STATED)
})
