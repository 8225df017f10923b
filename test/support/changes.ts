// Changes for tests.
import type { Snapshot } from '../../src/model/output/snapshot.ts'
import type { Change, ChangeState, ChangeTally, OpenChange } from '../../src/model/policy/change.ts'
import type { Saved } from '../../src/model/policy/saved.ts'
import type { ComputeRef } from '../../src/model/service/compute.ts'
import { after, cu, instant, seconds } from '../../src/model/units.ts'
import { sumOf } from '../../src/std/sum.ts'
import { at } from './build.ts'

export const SCHEDULED: ChangeState = {
  at: 'scheduled',
  approvedBy: undefined,
  notBefore: instant(0),
  attempts: 0,
}

/** Compute of `changeOf()`. */
export const CHANGED: ComputeRef = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

/** From 1 CU to 0.25 CU, made at minute 0, for 14 days. */
export const changeOf = (fields: Partial<Change> = {}): Change => ({
  id: 'ch-one',
  version: 1,
  ref: CHANGED,
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

/** Of `changeOf()`: done at minute 1. */
export const tallyOf = (fields: Partial<ChangeTally> = {}): ChangeTally => ({
  ref: changeOf().ref,
  kind: 'sizing',
  outcome: 'done',
  count: 1,
  interrupted: 0,
  avoided: 0,
  lastAt: at(60),
  ...fields,
})

type Changes = Readonly<{ open?: readonly OpenChange[]; tallies?: readonly ChangeTally[] }>

/** Each compute has these changes, by default an open one; each account sums up. */
export function withChanges(
  snapshot: Snapshot,
  { open = [{ change: changeOf(), hold: undefined }], tallies = [] }: Changes = {},
): Snapshot {
  const computes = snapshot.computes.map((view) => ({
    ...view,
    ...(open.length > 0 && { changes: open }),
    ...(tallies.length > 0 && { changeTallies: tallies }),
  }))
  const ended = new Map(
    tallies.map(({ kind, outcome, count }) => [`${kind}/${outcome}`, count * computes.length] as const),
  )
  const restartsAvoided = computes.length * sumOf(tallies, ({ avoided }) => avoided)
  const changes = { open: computes.flatMap(() => open), ended, restartsAvoided }
  const accounts = snapshot.accounts.map((account) => ({
    ...account,
    changes,
    saved: account.saved ?? new Map<string, Saved>(),
  }))
  return { ...snapshot, computes, accounts }
}
