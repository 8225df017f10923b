// Computes deleted for more than a day: a small row with their sums replaces the entry.
import type { ComputeEntry, ComputeSums, DeletedCompute } from '../model/ledger/ledger.ts'
import { addBounds } from '../model/ledger/quantities.ts'
import { after, micros, millis, seconds, type Instant } from '../model/units.ts'
import { spendOf } from './settle/cu-time.ts'

/** Time until the entry of a deleted compute is replaced, 26 hours: its last day, of 25 hours at most, is over and settled by then. */
const REPLACED_AFTER = seconds(26 * 3600)

/** When the entry of a deleted compute may be replaced; undefined while the compute exists. */
export const replacedAt = ({ deletedAt }: Pick<ComputeEntry, 'deletedAt'>): Instant | undefined =>
  deletedAt === undefined ? undefined : after(deletedAt, REPLACED_AFTER)

/**
 * @param before row of an earlier deletion, when the compute was recovered since: its sums are added
 * @returns undefined while the entry may still change
 */
export function deletedComputeOf(
  entry: ComputeEntry,
  before: DeletedCompute | undefined,
  now: Instant,
): DeletedCompute | undefined {
  const { ref, compute, deletedAt, totals, counters, branchMoves } = entry
  const at = replacedAt(entry)
  const isSettled = entry.provisional.length === 0 && entry.days.length === 0 && !entry.partlySettled
  if (deletedAt === undefined || at === undefined || now < at || !isSettled) return undefined
  const { name, branchId, type } = compute
  const { wakes, suspends, wakesCaused, observerSpend } = counters
  const { awake, observerOverhead } = totals
  const sums = {
    awake,
    spend: spendOf(totals.cuTime),
    observerOverhead,
    observerSpend,
    wakes,
    suspends,
    wakesCaused,
  }
  const identity = { ref, name, branchId, type, deletedAt, ...(branchMoves && { branchMoves }) }
  return { ...identity, ...(before ? addSums(before, sums) : sums) }
}

const addSums = (a: ComputeSums, b: ComputeSums): ComputeSums => ({
  awake: addBounds(a.awake, b.awake, millis),
  spend: addBounds(a.spend, b.spend, micros),
  observerOverhead: millis(a.observerOverhead + b.observerOverhead),
  observerSpend: micros(a.observerSpend + b.observerSpend),
  wakes: a.wakes + b.wakes,
  suspends: a.suspends + b.suspends,
  wakesCaused: a.wakesCaused + b.wakesCaused,
})
