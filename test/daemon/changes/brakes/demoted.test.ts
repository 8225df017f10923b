// A kind whose savings did not come: policies make no change of it until a person gives it back.
import { expect, test } from 'vitest'
import type { AdviceSummary } from '../../../../src/model/output/snapshot.ts'
import { after, micros, seconds } from '../../../../src/model/units.ts'
import { ASKED_AT } from '../../../support/changes-daemon.ts'
import { APPLY, delay, sizing, worldOf } from '../decided/decided-world.ts'

const DAY = 86_400
const BOTH = [{ ...APPLY, levers: ['delay', 'sizing'] as const }]

/** Follow-ups of sizes: on each day from `first` on one ended that saved half of what was promised. */
const halfSaved = (count: number, first = -28) => ({
  advice: {
    promised: new Map([
      [
        'sizing',
        Array.from({ length: count }, (_, day) => ({
          likely: micros(10),
          realised: micros(5),
          endedAt: after(ASKED_AT, seconds((first + day) * DAY)),
        })),
      ],
    ]),
  } as unknown as AdviceSummary,
})

test('after 20 of them its recommendations are shown alone, with an event, and other kinds are made', async () => {
  const { pass, changes, events, braked } = await worldOf(BOTH, [sizing(0), delay(1)])
  const [decision] = await pass(halfSaved(20))
  expect(decision?.held).toEqual([{ id: 'ep-0.sizing.1', because: 'demoted' }])
  expect((await changes()).map(({ kind }) => kind)).toEqual(['delay'])
  await pass(halfSaved(20))
  expect(braked()).toEqual(['the last 20 of the kind saved 50 % of what was promised'])
  expect(events.filter(({ kind }) => kind === 'brake-engaged')).toMatchObject([{ brake: 'demoted.sizing' }])
})

test('after 19 of them it is made', async () => {
  const { pass, changes, braked } = await worldOf(BOTH)
  await pass(halfSaved(19))
  expect(braked()).toEqual([])
  expect(await changes()).toHaveLength(1)
})

test('a person gives it back: what ended before does not count any more', async () => {
  const { pass, changes, storedBrakes } = await worldOf(BOTH)
  await pass(halfSaved(28))
  expect(await changes()).toEqual([])
  await storedBrakes.release('demoted.sizing', { by: 'ann', reason: 'a new preset' })
  await pass(halfSaved(28))
  expect(storedBrakes.engaged()).toEqual([])
  expect(await changes()).toHaveLength(1)
  // the next ones are no better
  await pass(halfSaved(20, 1))
  expect(storedBrakes.engaged()).toMatchObject([{ name: 'demoted', subject: 'sizing' }])
})
