// What stands over a request by the judge: holds of people from the promise to their end, and the hours of a freeze.
import { expect, test } from 'vitest'
import { at } from '../../../support/build.ts'
import { idsOf } from '../../../support/simulated-service.ts'
import type { WrittenRequest } from '../network.ts'
import { drawWorld } from '../world.ts'
import { createStandingHolds, type AskedHold } from './standing-holds.ts'

const HOUR = 3600
const PLACED = 10 * HOUR
const { projectId, endpointId } = idsOf(1)

const over = (seconds: number, hold: Partial<AskedHold>, request: Partial<WrittenRequest> = {}) => {
  const standing = createStandingHolds({ ...drawWorld(1, 1), zone: 'UTC', freeze: { from: 2, to: 3 } })
  standing.place({ id: 'h', held: { of: 'all' }, until: at(PLACED + HOUR), ...hold }, at(PLACED))
  standing.resume('other', at(PLACED))
  return standing.over({
    projectId,
    endpointId,
    writtenAt: at(seconds),
    fields: {},
    isRestart: false,
    isLate: false,
    ...request,
  })
}

test.each<[string, number, Partial<AskedHold>, string | undefined]>([
  ['before a person was promised it', PLACED, {}, undefined],
  ['a moment later', PLACED + 0.01, {}, 'h'],
  ['shortly before its end', PLACED + HOUR - 2, {}, 'h'],
  ['when its end is near', PLACED + HOUR - 0.5, {}, undefined],
  ['over the compute', PLACED + 60, { held: { of: 'compute', id: endpointId } }, 'h'],
  ['over another compute', PLACED + 60, { held: { of: 'compute', id: 'ep-other' } }, undefined],
  ['over its project', PLACED + 60, { held: { of: 'project', id: projectId } }, 'h'],
  ['over primaries', PLACED + 60, { held: { of: 'primaries' } }, 'h'],
])('a hold %s', (_, seconds, hold, expected) => {
  expect(over(seconds, hold)).toBe(expected)
})

test('a hold over primaries is none over a replica', () => {
  const request = { endpointId: 'ep-replica-0' }
  expect(over(PLACED + 60, { held: { of: 'primaries' } }, request)).toBeUndefined()
})

test('a hold ends when a person asks for its end', () => {
  const standing = createStandingHolds({ ...drawWorld(1, 1), zone: 'UTC', freeze: undefined })
  standing.place({ id: 'h', held: { of: 'all' }, until: at(PLACED + HOUR) }, at(PLACED))
  standing.resume('h', at(PLACED + 60))
  const request = { projectId, endpointId, fields: {}, isRestart: false, isLate: false }
  const found = [30, 90].map((later) => standing.over({ ...request, writtenAt: at(PLACED + later) }))
  expect(found).toEqual(['h', undefined])
})

test.each([
  [2 * HOUR - 1, undefined],
  [2 * HOUR + 1, 'freeze'],
  [3 * HOUR - 0.5, undefined],
  [26 * HOUR + 1, 'freeze'],
])('a freeze from 2 to 3, %i s after midnight: %s', (seconds, expected) => {
  expect(over(seconds, {})).toBe(expected)
})
