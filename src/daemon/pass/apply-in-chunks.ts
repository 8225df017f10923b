// Stage 2 of a pass: brings the sweep into the ledger. Applies a chunk of facts, commits its writes, yields. The ledger holds only what is
// durable; what could not be stored is observed again.
import {
  applyChunk,
  chunksOf,
  finishSweep,
  isEmptyBatch,
  prepareSweep,
  type LedgerBatch,
} from '../../ledger/apply-sweep.ts'
import { createOperationCounter } from '../../ledger/counters/operations.ts'
import { addTeamWaste, addWakes } from '../../ledger/counters/computes.ts'
import { ledgerAfter } from '../../ledger/ledger-after.ts'
import { restoreArchived } from '../../model/ledger/archived.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Sweep } from '../../model/observation.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Batch } from '../../model/ports/store.ts'
import { earliest, type Instant } from '../../model/units.ts'
import type { Observed } from './observe-on-service-time.ts'
import { budgetContext, ensureBudgetStates } from './budget-states.ts'
import { settleBudgetsInBatch, sweptLedger } from './settle-budgets.ts'
import type { PassInput } from './pass-input.ts'

export type AppliedSweep = {
  /** As of the last durable commit. */
  readonly ledger: Ledger
  /** The oldest day that was restated; undefined where none was. */
  readonly restatedFrom: Instant | undefined
  /** Events that are in the store. */
  readonly events: readonly Event[]
  /** Why a commit failed; undefined where none did. */
  readonly failure: unknown
}

/** @throws when the store fails before the first chunk */
export async function applyInChunks(
  ports: Pick<Ports, 'store' | 'history' | 'clock'>,
  { before, plan }: PassInput,
  observed: Observed,
): Promise<AppliedSweep> {
  const { sweep, upperBound } = observed
  const { prices, preset, overhead, dayOf } = plan
  const restored = await restoreArchivedProjects(ports, before.ledger, sweep)
  const base = await ensureBudgetStates(ports, restored, budgetContext(plan, observed))
  const complete = createCompletion(base, { before, plan }, observed)
  const commits = createCommits(ports, base)
  const context = { prices, preset, overhead, dayOf, now: upperBound }
  try {
    let prepared = prepareSweep(base, sweep, context)
    for (const facts of chunksOf(prepared.facts)) {
      const chunk = applyChunk(base, facts, { prepared, context })
      prepared = chunk.prepared
      // oxlint-disable-next-line no-await-in-loop -- durable first, one chunk after the other
      await commits.add(chunk.batch, complete(chunk.batch, commits.ledger()))
    }
    for (const batch of finishSweep(base, sweep, { prepared, context }))
      // oxlint-disable-next-line no-await-in-loop -- likewise
      await commits.add(batch, complete(batch, commits.ledger()))
    return commits.applied(undefined)
  } catch (cause) {
    return commits.applied(cause ?? new Error('the store failed'))
  }
}

/** Adds to a batch what it settles of the budgets and what it counts of operations, wakes and waste. */
function createCompletion(base: Ledger, { plan }: PassInput, observed: Observed) {
  const swept = sweptLedger(base, observed.sweep)
  const addOperationCounts = createOperationCounter(observed.sweep)
  return (batch: LedgerBatch, ledger: Ledger): Batch => {
    const settled = settleBudgetsInBatch(batch, { ...swept, ledger }, budgetContext(plan, observed))
    const withTeams = addTeamWaste(settled, { before: ledger, owners: plan.owners, listed: swept.listed })
    return addOperationCounts(addWakes(withTeams, ledger), ledger)
  }
}

/** The ledger that grows with each commit, and what the pass reports of it. */
function createCommits({ store, clock }: Pick<Ports, 'store' | 'clock'>, base: Ledger) {
  let ledger = base
  let restatedFrom: Instant | undefined
  const events: Event[] = []
  return {
    ledger: (): Ledger => ledger,
    add: async (applied: LedgerBatch, batch: Batch): Promise<void> => {
      if (!isEmptyBatch(applied)) await store.commit(batch)
      ledger = ledgerAfter(ledger, batch)
      for (const { from } of batch.days) restatedFrom = earliest(from, restatedFrom ?? from)
      events.push(...batch.events)
      await clock.yield()
    },
    applied: (failure: unknown): AppliedSweep => ({ ledger, restatedFrom, events, failure }),
  }
}

/** The ledger with archived projects that the sweep found again: a list was wrong, or somebody recovered them. @throws when the store fails */
export async function restoreArchivedProjects(
  { history }: Pick<Ports, 'history'>,
  ledger: Ledger,
  { projects }: Pick<Sweep, 'projects'>,
): Promise<Ledger> {
  if (!ledger.archived?.projects) return ledger
  const unknown = projects.map(({ projectId }) => projectId).filter((id) => !ledger.projects.has(id))
  const stored = await history.projects(ledger.account, unknown)
  const archived = stored.filter(({ isArchived }) => isArchived)
  return archived.length === 0 ? ledger : restoreArchived(ledger, archived)
}
