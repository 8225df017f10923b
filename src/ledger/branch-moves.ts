// Moves of a compute between branches: what was used before a move belongs to the branch of then.
import type { BranchMove, ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import type { AwakeSlice } from '../model/ledger/quantities.ts'
import type { SelectorTarget } from '../model/policy/selector.ts'
import { computeKey, type ComputeRef } from '../model/service/compute.ts'
import { awakeEffect } from '../model/service/operation.ts'
import { instant, latest as latestOf, SECOND, type Instant, type Interval } from '../model/units.ts'
import type { ComputeFacts } from './facts.ts'
import { clipSlice, possibleInterval } from './settle/slices.ts'

type Moves = ComputeEntry['branchMoves']

/** Moves of one compute that are remembered, 100: a compute moves seldom, and the service may alternate between two records. */
const MAX_BRANCH_MOVES = 100

/** A branch that a record or a start shows: the compute was on it at some instant in `[from, to]`. */
type BranchSighting = Readonly<{ branchId: string; from: Instant; to: Instant }>

/** Adds the moves that looks and starts show: each lies between the last sighting of the old branch and the first of the new. */
export function addBranchMoves(
  before: ComputeEntry,
  facts: Pick<ComputeFacts, 'looks' | 'operations'>,
): Moves {
  let last = lastSighting(before)
  let moves = before.branchMoves
  for (const sighting of sightingsIn(facts)) {
    if (sighting.from < last.from) continue
    const { branchId: to, to: latest } = sighting
    // the branch of a placeholder may be unknown
    const isMove = to !== last.branchId && last.branchId !== ''
    if (isMove)
      moves = [...(moves ?? []), { from: last.branchId, to, earliest: last.from, latest }].slice(
        -MAX_BRANCH_MOVES,
      )
    last = sighting
  }
  return moves
}

/** A record may be as old as its request. Starts of settled time may be listed again. */
function lastSighting({
  compute,
  observedAt,
  evidence,
  branchMoves,
}: ComputeEntry): Omit<BranchSighting, 'to'> {
  const move = branchMoves?.at(-1)
  const recordAt = evidence.states.findLast(({ record }) => record)?.askedAt ?? observedAt
  const startedAt = startSightings(evidence).at(-1)?.from ?? recordAt
  return {
    branchId: move?.to ?? compute.branchId,
    from: latestOf(recordAt, startedAt, move?.latest ?? recordAt),
  }
}

const sightingsIn = (facts: Pick<ComputeFacts, 'looks' | 'operations'>): readonly BranchSighting[] =>
  [
    ...startSightings(facts),
    ...facts.looks.map(({ compute: { branchId }, askedAt: from, answeredAt: to }) => ({
      branchId,
      from,
      to,
    })),
  ].toSorted((a, b) => a.from - b.from)

/** A move ends an awake interval, so the operation that starts the next one names its branch. */
const startSightings = ({ operations }: Pick<ComputeFacts, 'operations'>): readonly BranchSighting[] =>
  operations.flatMap((operation) => {
    const { branchId, createdAt: from, updatedAt } = operation
    return branchId && awakeEffect(operation) === 'starts'
      ? [{ branchId, from, to: instant(updatedAt + SECOND) }]
      : []
  })

/** `slices` of one compute with the branches they were used on, divided where a move may have happened. */
export function divideByBranch(slices: readonly AwakeSlice[], moves: Moves): readonly AwakeSlice[] {
  if (!moves) return slices
  const points = moves.flatMap((move) => [move.earliest, middleOf(move), move.latest])
  return slices.flatMap((slice) => {
    const { from, to } = possibleInterval(slice)
    const inside = points.filter((at) => at > from && at < to).toSorted((a, b) => a - b)
    const ends = [...inside, to]
    const parts = ends.map((end, index) => ({ from: ends[index - 1] ?? from, to: end }))
    return parts.flatMap((part) =>
      clipSlice(slice, [part]).map((one) => ({ ...one, branches: branchesIn(part, moves) })),
    )
  })
}

const middleOf = ({ earliest, latest }: BranchMove) => instant(Math.round((earliest + latest) / 2))

/** The likely branch first. A move happened likely in the middle of its bounds, and never inside `part`. */
function branchesIn({ from, to }: Interval, moves: readonly BranchMove[]): readonly string[] {
  const before = moves.findLast((move) => middleOf(move) <= from)
  const next = moves.find((move) => middleOf(move) >= to)
  return [
    ...(before ? [before.to] : next ? [next.from] : []),
    ...(before && from < before.latest ? [before.from] : []),
    ...(next && to > next.earliest ? [next.to] : []),
  ]
}

/** Moves of a compute with an entry or the row of a deleted one. */
export const branchMovesIn = (
  { computes, deleted }: Pick<Ledger, 'computes' | 'deleted'>,
  ref: ComputeRef,
): Moves => (computes.get(computeKey(ref)) ?? deleted.get(computeKey(ref)))?.branchMoves

/** A compute of the history, which has an entry or the row of a deleted compute. */
export function selectorTargetIn({ computes, deleted, projects }: Ledger, ref: ComputeRef): SelectorTarget {
  const key = computeKey(ref)
  const { branchId = '', name, type = 'read_write' } = computes.get(key)?.compute ?? deleted.get(key) ?? {}
  return { ref, projectName: projects.get(ref.projectId)?.project.name, branchId, name, type }
}

/** The compute as a selector saw it at an instant: on the likely branch of then. */
export function selectorTargetAt(ledger: Ledger, ref: ComputeRef, at: Instant): SelectorTarget {
  const target = selectorTargetIn(ledger, ref)
  const [branchId = target.branchId] = branchesIn({ from: at, to: at }, branchMovesIn(ledger, ref) ?? [])
  return { ...target, branchId }
}
