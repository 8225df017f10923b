// The first start over a service with a past, whose operations are not all read at once.
import { expect, test } from 'vitest'
import type { Service } from '../../../src/model/ports/service.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { GOOD } from '../../config/loading.ts'
import { operation } from '../../support/build.ts'
import { openAccount } from './running-account.ts'

const DAY = 86_400_000
const PAST_DAYS = 20

/** Used at each noon; the last time 12 hours ago. */
const USE = {
  endpointId: 'ep-one',
  delay: 300,
  activity: Array.from({ length: PAST_DAYS }, (_, day) => (day + 0.5) * DAY),
  range: [1, 1] as const,
}

/** Operations of one answer that are as many as a sweep holds. */
const MANY = Array.from({ length: 10_000 }, (_, index) =>
  operation('check_availability', -index, { endpointId: undefined, operationId: `op-${index}` }),
)

test('histories that a turn left for want of memory are read at once, at the pace of the requests', async () => {
  const asked: string[] = []
  const answers: Partial<Service> = {
    listOperations: (projectId) => {
      asked.push(projectId)
      return Promise.resolve(ok({ items: MANY, problems: [] }))
    },
  }
  const uses = ['ep-one', 'ep-two', 'ep-three'].map((endpointId) => ({ ...USE, endpointId }))
  const { open } = openAccount({ uses, config: GOOD, past: PAST_DAYS, answers })
  const { turn, store } = await open()
  const nextIn = [await turn(), await turn(), await turn()]
  expect(asked).toHaveLength(3)
  expect(new Set(asked).size).toBe(3)
  // five and two of the some 340 requests of a minute's pace
  expect(nextIn.map((span) => span !== undefined && span > 0 && span < 2)).toEqual([true, true, false])
  await store.close()
})

test('a delay is judged by the past as soon as that was read, also where the computes were evaluated before', async () => {
  const answers: Partial<Service> = {
    listOperations: () => Promise.resolve(failed({ kind: 'unavailable', message: 'not yet' })),
  }
  const { open } = openAccount({ uses: [USE], config: GOOD, past: PAST_DAYS, answers })
  const { turn, store } = await open()
  const judged = async () => {
    for await (const { withheld } of store.advice('main', {}))
      return withheld.find(({ kind }) => kind === 'delay')
    return undefined
  }
  await turn()
  expect(await judged()).toMatchObject({ because: 'history-short' })
  delete answers.listOperations
  await turn()
  expect(await judged()).not.toMatchObject({ because: 'history-short' })
  await store.close()
})
