// Records without an autosuspend delay, as the interface text has them: no reading wakes a compute whose real delay is the smallest.
import { expect, test } from 'vitest'
import type { Random } from '../../src/model/ports/clock.ts'
import { lifeAlone, simulateWeek } from './week.ts'
import type { Use, Wire } from './world.ts'

const DAY = 86_400_000
const DELAY = 60
const [days, computes] = [4, 6]

/** Clients come back after 20 s to an hour: sometimes before the suspension, sometimes after it. */
function uses(random: Random): readonly Use[] {
  return Array.from({ length: computes }, (_, index) => {
    const activity: number[] = []
    const mean = 20_000 + (index % 6) * 40_000
    for (
      let at = 60_000;
      at < days * DAY;
      at += mean * (0.2 + 2 * random.unit() ** 3 + (random.unit() < 0.05 ? 20 : 0))
    )
      if (at % DAY < 10 * 3_600_000) activity.push(Math.round(at))
    return { endpointId: `ep-${index}`, delay: DELAY, activity }
  })
}

const withoutDelay = (record: Wire): Wire => ({ ...record, suspend_timeout_seconds: undefined })

const awakeSeconds = (usages: ReturnType<typeof lifeAlone>): number =>
  usages.reduce((sum, usage) => sum + usage.awakeSeconds, 0)

test('readings wake nothing, add at most 1 %, and still find out what the cache does', async () => {
  const options = { seed: 5, uses, days, twisted: withoutDelay }
  const watched = await simulateWeek(options)
  const { simulation } = watched.world
  const usages = simulation.usages(simulation.now())
  const alone = awakeSeconds(lifeAlone(options, simulation.now()))
  const wakes = usages.flatMap((usage) =>
    usage.wakes.filter(({ cause }) => cause.applicationName === 'dormouse'),
  )
  expect(wakes).toEqual([])
  expect(awakeSeconds(usages) - alone).toBeLessThanOrEqual(0.01 * alone + computes * DELAY)
  const read = [...watched.ledger.computes.values()].filter(
    ({ reading }) => reading.cacheReadAt !== undefined,
  )
  expect(read).toHaveLength(computes)
})
