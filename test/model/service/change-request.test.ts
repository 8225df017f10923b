import { expect, test } from 'vitest'
import type { Proposal } from '../../../src/model/policy/recommendation.ts'
import { requestOf } from '../../../src/model/service/change-request.ts'
import { cu, seconds } from '../../../src/model/units.ts'

const ref = { account: 'main', projectId: 'p-1', endpointId: 'ep-a' }
const path = '/projects/p-1/endpoints/ep-a'

test.each<readonly [string, Proposal['kind'], Proposal['to'], unknown]>([
  ['a delay', 'delay', { delay: seconds(300) }, { suspend_timeout_seconds: 300 }],
  ['autosuspend off', 'delay', { delay: 'never' }, { suspend_timeout_seconds: -1 }],
  [
    'a range',
    'sizing',
    { sizing: { min: cu(0.25), max: cu(2) } },
    { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 },
  ],
  [
    'a fixed size',
    'sizing',
    { sizing: { fixed: cu(2) } },
    { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 },
  ],
  ['the pooler', 'pooler', { poolerEnabled: true }, { pooler_enabled: true }],
])('%s is an update of the compute', (_, kind, to, endpoint) => {
  expect(requestOf({ ref, kind, to })).toEqual({ method: 'PATCH', path, body: { endpoint } })
})

test('a refresh is a restart, without a body', () => {
  expect(requestOf({ ref, kind: 'refresh', to: {} })).toEqual({ method: 'POST', path: `${path}/restart` })
})

test('clients and deletions have no request', () => {
  expect(requestOf({ ref, kind: 'awake-for-nothing', to: {} })).toBeUndefined()
  expect(requestOf({ ref, kind: 'unused', to: {} })).toBeUndefined()
})
