import { describe, expect, test } from 'vitest'
import { decodeOperations } from '../../../src/service/wire/decode.ts'
import { operation, operationModel } from '../records.ts'

const lostOf = (...operations: readonly unknown[]) => {
  const page = decodeOperations({ operations }, operation.project_id)
  return page.ok && page.value.lost
}
describe('an operation', () => {
  const { endpointId, createdAt: createdBy } = operationModel
  test.each([
    ['that does not fit is of its compute', { ...operation, status: 7 }, { endpointId, createdBy }],
    [
      'that tells no compute may be of any',
      { ...operation, status: 7, endpoint_id: 7 },
      { endpointId: undefined, createdBy },
    ],
    [
      'that tells no time is no newer than the one before',
      { ...operation, created_at: 7 },
      { endpointId, createdBy },
    ],
    ['that is no record may be of any, too', 'x', { endpointId: undefined, createdBy }],
    [
      'of another project is not known here',
      { ...operation, id: 'op-2', project_id: 'other' },
      { endpointId, createdBy },
    ],
    ['with the id of another is not known', operation, { endpointId, createdBy }],
    [
      'that starts nobody is not known',
      { ...operation, id: 'op-2', endpoint_id: null, action: 'start_compute', status: 'finished' },
      { endpointId: undefined, createdBy },
    ],
  ])('%s', (_, record, expected) => {
    expect(lostOf(operation)).toBeUndefined()
    expect(lostOf(operation, record)).toEqual([expected])
  })

  test('that tells neither may be anybody’s at any time', () => {
    expect(lostOf(7)).toEqual([{ endpointId: undefined, createdBy: undefined }])
  })
})
