import { expect, test } from 'vitest'
import { createForeignWatch } from '../../../../src/daemon/changes/foreign/foreign-watch.ts'
import type { ChangeRunner } from '../../../../src/daemon/changes/change-runner.ts'
import { at } from '../../../support/build.ts'

test('computes that an earlier process did not look at are read again after a failed read', async () => {
  let reads = 0
  const watch = createForeignWatch({
    journal: {
      changes: () => {
        reads += 1
        return reads === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve([])
      },
    },
    history: { settings: async function* () {} },
    runnerOf: () => ({ now: () => at(0) }) as ChangeRunner,
  })
  const look = () =>
    watch.look('main', [], { policyOf: () => Promise.reject(new Error()) as never, mayBrake: true })
  await expect(look()).rejects.toThrow('the disk is full')
  await look()
  await look()
  expect(reads).toBe(2)
})
