// The first start over a service with a past, whose operations are not all read at once.
import { expect, test } from 'vitest'
import type { Service } from '../../../src/model/ports/service.ts'
import { failed } from '../../../src/std/result.ts'
import { GOOD } from '../../config/loading.ts'
import { openAccount } from './running-account.ts'

const DAY = 86_400_000
const PAST_DAYS = 20

/** Used at each noon; the last time 12 hours ago. */
const USES = [
  {
    endpointId: 'ep-one',
    delay: 300,
    activity: Array.from({ length: PAST_DAYS }, (_, day) => (day + 0.5) * DAY),
    range: [1, 1] as const,
  },
]

test('a delay is judged by the past as soon as that was read, also where the computes were evaluated before', async () => {
  const answers: Partial<Service> = {
    listOperations: () => Promise.resolve(failed({ kind: 'unavailable', message: 'not yet' })),
  }
  const { open } = openAccount({ uses: USES, config: GOOD, past: PAST_DAYS, answers })
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
