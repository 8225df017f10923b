// What must hold of the journal after a quiet time in which nothing failed.
import type { ComputeEntry } from '../../../../src/model/ledger/ledger.ts'
import {
  isEnded,
  isUnderJudgement,
  type Change,
  type ChangeEvent,
} from '../../../../src/model/policy/change.ts'
import { sumOf } from '../../../../src/std/sum.ts'
import type { EventLog } from '../event-log.ts'

/** `hadEffect`: of ours, or somebody else may have set the same. */
type Ending = Readonly<{ log: EventLog; now: number; hadEffect: boolean }>

/** Longest time under way while nothing fails: settle, and the deadline of the verification, ms. */
const UNDER_WAY = 600_000

export function judgeEnd({ id, state, deadline, kind }: Change, { log, now, hadEffect }: Ending): void {
  const ends = 'every change ends in a named state'
  if (now - underWaySince(state, now) > UNDER_WAY) log.violate(ends, { change: id, state: state.at })
  if (!isEnded(state) && now - deadline > UNDER_WAY) log.violate(ends, { change: id, state, deadline })
  // a start by a client is as good as a restart
  if (kind !== 'restart' && state.at === 'done' && state.because.startsWith('verified') && !hadEffect)
    log.violate(ends, { change: id, kind, because: 'done without an effect' })
}

/** Under judgement a change may be for days. */
function underWaySince(state: Change['state'], now: number): number {
  if (state.at === 'applying') return state.uncertainAt ?? state.sentAt
  return state.at === 'verifying' && !isUnderJudgement(state) ? state.since : now
}

/** A revert is made once of a change, and of no revert. */
export function judgeReverts(changes: readonly Change[], log: EventLog): void {
  const reverted = new Set<string>()
  for (const { id, origin } of changes) {
    if (origin.by !== 'revert') continue
    const of = changes.find((change) => change.id === origin.of)
    if (of?.origin.by === 'revert' || reverted.has(origin.of))
      log.violate('a revert is never reverted', { change: id, of: origin.of })
    reverted.add(origin.of)
  }
}

/** A step is made once in a period of its compute, and put back once; one that expired before it was sent may be made again. */
export function judgeSteps(changes: readonly Change[], log: EventLog): void {
  const seen = new Set<string>()
  for (const { id, origin, ref, kind, state } of changes) {
    const wasUnsent = state.at === 'expired' && state.sent === undefined
    if (origin.by !== 'budget' || wasUnsent) continue
    const { of, rung, period } = origin
    const key = of ?? `${rung} ${period} ${ref.endpointId} ${kind}`
    if (seen.has(key))
      log.violate('each rung of a budget fires once per period', { change: id, rung, period, of })
    seen.add(key)
  }
}

/** Entries of the evidence of one compute, which is settled after minutes, or after hours where operations cannot be read. */
const MAX_EVIDENCE = 300

export function judgeMemory(entries: Iterable<ComputeEntry>, log: EventLog): void {
  for (const { ref, evidence } of entries) {
    const count = sumOf(Object.values(evidence), (facts) => (Array.isArray(facts) ? facts.length : 0))
    if (count > MAX_EVIDENCE) log.violate('memory is bounded', { endpointId: ref.endpointId, count })
  }
}

/** Each change has an event for each of its versions. */
export function judgeEvents(changes: readonly Change[], events: readonly ChangeEvent[], log: EventLog): void {
  const counts = new Map<string, number>()
  for (const { changeId } of events) counts.set(changeId, (counts.get(changeId) ?? 0) + 1)
  for (const { id, version } of changes)
    if (counts.get(id) !== version) log.violate('nothing acknowledged is lost', { change: id, version })
}
