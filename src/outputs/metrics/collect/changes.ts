import type { AccountView, ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { BRAKE_NAMES } from '../../../model/policy/brakes.ts'
import {
  CHANGE_KINDS,
  ENDED_STATES,
  isUnderJudgement,
  OPEN_STATES,
  type ChangeKind,
  type ChangeTally,
  type OpenChange,
} from '../../../model/policy/change.ts'
import { WARM_UP_RESULTS } from '../../../model/policy/warm-up.ts'
import { targetKey } from '../../../model/service/compute.ts'
import { latest, type Instant } from '../../../model/units.ts'
import { NOTHING_SAVED, type Saved } from '../../../model/policy/saved.ts'
import { sumOf } from '../../../std/sum.ts'
import { inMoney } from '../../text/compute-fields.ts'
import { appendLabel, flag, inSeconds, type AddSample, type ComputeLabels } from '../exposition/samples.ts'

/** A compute that never had a change has no series. */
export function putComputeChanges(
  { changes = [], changeTallies = [], saved, identity: { currency } }: ComputeView,
  labels: ComputeLabels,
  put: AddSample,
): void {
  if (changes.length === 0 && changeTallies.length === 0) return
  putPendingChanges({ changes, changeTallies }, labels, put)
  putSaved({ saved, currency }, labels, put)
  // also at 0, while the first is open: the first increase of a series that starts above 0 is invisible
  put(
    'connections_interrupted_total',
    labels.id,
    sumOf(changeTallies, ({ interrupted }) => interrupted),
  )
}

/** Savings of a compute or project with a change. */
export function putSaved(
  { saved = NOTHING_SAVED, currency }: Readonly<{ saved?: Saved | undefined; currency: string }>,
  labels: ComputeLabels,
  put: AddSample,
): void {
  const id = appendLabel(labels, currency)
  put('compute_saved_total', id, inMoney(saved.saved))
  put('compute_extra_spend_total', id, inMoney(saved.extra))
}

/** What waits, and how the last ones ended, of a compute or of a project without an endpoint id. */
export function putPendingChanges(
  { changes = [], changeTallies = [] }: Pick<ComputeView, 'changes' | 'changeTallies'>,
  labels: ComputeLabels,
  put: AddSample,
): void {
  // one whose effect is judged waits for nothing that a person could do
  for (const { change } of changes.filter(({ change: one }) => !isUnderJudgement(one.state)))
    put(
      'compute_change_pending_since_timestamp_seconds',
      appendLabel(labels, change.kind),
      inSeconds(change.createdAt),
    )
  for (const kind of new Set(changeTallies.map((tally) => tally.kind))) {
    const id = appendLabel(labels, kind)
    const lastOf = (outcomes: ReadonlySet<ChangeTally['outcome']>) =>
      lastEnd(changeTallies, { kind, outcomes })
    put('compute_change_last_failure_timestamp_seconds', id, inSeconds(lastOf(FAILURES)))
    put('compute_change_last_success_timestamp_seconds', id, inSeconds(lastOf(SUCCESSES)))
  }
}

/** After both a person must look at the compute. */
const FAILURES: ReadonlySet<ChangeTally['outcome']> = new Set(['failed', 'unknown'])
const SUCCESSES: ReadonlySet<ChangeTally['outcome']> = new Set(['done'])

function lastEnd(
  tallies: readonly ChangeTally[],
  { kind, outcomes }: Readonly<{ kind: ChangeKind; outcomes: ReadonlySet<ChangeTally['outcome']> }>,
): Instant | undefined {
  const ends = tallies
    .filter((tally) => tally.kind === kind && outcomes.has(tally.outcome))
    .map(({ lastAt }) => lastAt)
  return ends.length === 0 ? undefined : latest(...ends)
}

/** Every state and outcome has a series, also at 0: the first increase of a series that starts above 0 is invisible. */
export function putChanges({ accounts, engagedBrakes, windows }: Snapshot, put: AddSample): void {
  const views = accounts.flatMap(({ changes }) => changes ?? [])
  if (views.length === 0) return
  for (const state of OPEN_STATES) {
    const open = sumOf(views, (view) => view.open.filter(({ change }) => change.state.at === state).length)
    put('changes_open', [state], open)
  }
  for (const kind of CHANGE_KINDS)
    for (const outcome of ENDED_STATES)
      put(
        'changes_total',
        [kind, outcome],
        sumOf(views, ({ ended }) => ended.get(`${kind}/${outcome}`) ?? 0),
      )
  put(
    'restarts_avoided_total',
    [],
    sumOf(views, ({ restartsAvoided }) => restartsAvoided),
  )
  putHolds(
    views.flatMap(({ open }) => open),
    put,
  )
  for (const [name, isOpen] of windows) put('window_active', [name], flag(isOpen))
  for (const name of BRAKE_NAMES) put('brake_engaged', [name], flag(engagedBrakes.includes(name)))
}

export function putWarmUps(accounts: readonly AccountView[], put: AddSample): void {
  for (const { account, warmUps } of accounts)
    if (warmUps)
      for (const result of WARM_UP_RESULTS) put('warmups_total', [account, result], warmUps[result])
}

function putHolds(open: readonly OpenChange[], put: AddSample) {
  const held = open.flatMap(({ change, hold }) => (hold ? [{ key: targetKey(change.ref), ...hold }] : []))
  for (const [because, same] of Map.groupBy(held, (one) => one.because))
    put('holds', [because.replaceAll('-', '_')], new Set(same.map(({ key }) => key)).size)
}
