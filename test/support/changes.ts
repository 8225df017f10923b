// Changes for tests.
import type { Change, ChangeState } from '../../src/model/policy/change.ts'
import { after, cu, instant, seconds } from '../../src/model/units.ts'
import { at } from './build.ts'

export const SCHEDULED: ChangeState = {
  at: 'scheduled',
  approvedBy: undefined,
  notBefore: instant(0),
  attempts: 0,
}

/** From 1 CU to 0.25 CU, made at minute 0, for 14 days. */
export const changeOf = (fields: Partial<Change> = {}): Change => ({
  id: 'ch-one',
  version: 1,
  ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
  kind: 'sizing',
  origin: { by: 'person', name: 'alice' },
  desired: { sizing: { fixed: cu(0.25) } },
  before: { sizing: { fixed: cu(1) } },
  when: 'idle',
  planHash: 'hash',
  reason: '',
  promised: undefined,
  createdAt: at(0),
  deadline: after(at(0), seconds(14 * 86_400)),
  state: SCHEDULED,
  ...fields,
})
