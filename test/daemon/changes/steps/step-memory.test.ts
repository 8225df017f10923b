// Steps that a daemon remembers of the journal, over decisions and previews.
import { expect, test } from 'vitest'
import { createSteps } from '../../../../src/daemon/changes/steps/steps.ts'
import { changeOfStep } from '../../../../src/daemon/changes/steps/wanted-steps.ts'
import type { Journal } from '../../../../src/model/ports/journal.ts'
import { budgetWorld } from './step-world.ts'

/** Steps at 80 % of the budget, whose n-th read of the journal answers after `before(n)`. */
async function stepsAt80(before: (read: number) => Promise<void>) {
  const world = await budgetWorld()
  world.reach(80)
  let reads = 0
  const changes: Journal['changes'] = async (...asked) => {
    const found = await world.sources.journal.changes(...asked)
    await before((reads += 1))
    return found
  }
  const steps = createSteps({ ...world.sources, journal: { ...world.sources.journal, changes } })
  return { steps, sources: world.sources, snapshot: await world.snapshot() }
}

test('a preview during the first decision loses no step that it made', async () => {
  const later = Promise.withResolvers<void>()
  const { steps, sources, snapshot } = await stepsAt80((read) =>
    read === 1 ? Promise.resolve() : later.promise,
  )
  const [first, preview] = [steps.of(snapshot, 'main'), steps.preview(snapshot, 'preview')]
  const { wanted, add } = await first
  for (const step of wanted) {
    const change = changeOfStep(step, sources, false)
    if (change) add(change)
  }
  later.resolve()
  await preview
  const { candidates } = await steps.of(snapshot, 'main')
  expect(candidates.map(({ wasMade }) => wasMade)).toEqual([true])
})

test('a journal that could not be read is read again', async () => {
  const { steps, snapshot } = await stepsAt80(async (read) => {
    if (read === 1) throw new Error('the store is away')
  })
  await expect(steps.of(snapshot, 'main')).rejects.toThrow('away')
  expect((await steps.of(snapshot, 'main')).wanted).toHaveLength(1)
})
