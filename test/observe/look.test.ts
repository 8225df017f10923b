import { expect, test } from 'vitest'
import type { Compute } from '../../src/model/service/compute.ts'
import type { Listing } from '../../src/model/ports/service.ts'
import type { ServiceError } from '../../src/model/service/service-error.ts'
import { UNDATED, look } from '../../src/observe/look.ts'
import { failed, ok, type Result } from '../../src/std/result.ts'
import { seconds } from '../../src/model/units.ts'
import { compute } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { UNASKED } from '../support/unasked.ts'

const REF = { account: 'main', projectId: 'project-one', endpointId: 'ep-a' }
const wanted = compute({ endpointId: 'ep-a' })

/** A look at `ep-a` whose answer comes after two seconds. */
async function lookAt(answer: Result<Listing<Compute>, ServiceError>, isDated = true) {
  const clock = fakeClock('2026-01-01T00:00:00Z')
  const listComputes = async () => {
    await clock.advance(seconds(2))
    return answer
  }
  const undated = { ...clock, between: () => undefined }
  const ports = { clock: isDated ? clock : undated, service: { ...UNASKED, listComputes } }
  const start = clock.now()
  return { start, result: await look(ports, REF, new AbortController().signal) }
}

const listing = (...items: Compute[]): Result<Listing<Compute>, ServiceError> => ok({ items, problems: [] })

test('a look is true at some time between question and answer', async () => {
  const { start, result } = await lookAt(listing(compute({ endpointId: 'ep-b' }), wanted))
  const answeredAt = start + 2000
  expect(result).toEqual(ok({ compute: wanted, askedAt: start, answeredAt, askedOn: 0 }))
})

const unavailable: ServiceError = { kind: 'unavailable', message: 'no answer within 10 s' }

test.each<[string, Result<Listing<Compute>, ServiceError>, ServiceError]>([
  ['the request fails', failed(unavailable), unavailable],
  ['the list does not hold it', listing(), { kind: 'gone', message: 'compute ep-a' }],
  [
    'its record does not fit',
    ok({ items: [], problems: ['endpoints[0].type: no'], unread: ['ep-a'] }),
    { kind: 'malformed', problems: ['endpoints[0].type: no'] },
  ],
  [
    'a record does not even have an id',
    ok({ items: [], problems: ['endpoints[0].id: missing'], hasUnidentified: true }),
    { kind: 'malformed', problems: ['endpoints[0].id: missing'] },
  ],
])('there is no look when %s', async (_, answer, error) => {
  expect((await lookAt(answer)).result).toEqual(failed(error))
})

test('an answer whose time is in doubt is no look', async () => {
  expect((await lookAt(listing(wanted), false)).result).toEqual(
    failed({ kind: 'unavailable', message: UNDATED }),
  )
})
