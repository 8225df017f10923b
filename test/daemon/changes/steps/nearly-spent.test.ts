import { expect, test } from 'vitest'
import { APPLY, budgetWorld } from './step-world.ts'

test('a hard budget lets smaller sizes go before other changes at 80 % of it, on the computes that it may act on', async () => {
  const [hard, soft] = [await budgetWorld(), await budgetWorld([APPLY], 'soft')]
  const seen: unknown[] = []
  for (const world of [hard, soft])
    for (const rungs of [[50], [50, 80], []] as const) {
      world.reach(...rungs)
      // oxlint-disable-next-line no-await-in-loop -- one pass after the other
      await world.pass()
      seen.push(world.nearlySpent())
    }
  expect(seen).toEqual([[], ['ep-0'], [], [], [], []])
})
