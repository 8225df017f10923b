// Stage 2 of a pass: applies the sweep to the ledger. A chunk of facts is applied, committed, then the clock yields. The ledger holds only
// what is durable; the rest is observed again.
import type { AppliedChunk } from '../../ledger/apply-sweep.ts'
import { applyChunk, chunksOf, finishSweep, prepareSweep } from '../../ledger/apply-sweep.ts'
import { addTeamWaste, addWakes, createOperationCounter } from '../../ledger/counters.ts'
import { hasSession } from '../../ledger/evidence/own-sessions.ts'
import { ledgerAfter } from '../../ledger/ledger-after.ts'
import { refsToLoad, updateStatistics, type AwakeStatistics } from '../../ledger/readings/statistics.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { commit, entriesOf, eventsOf, type Write } from '../../model/ports/store.ts'
import type { Instant } from '../../model/units.ts'
import type { Observed } from './observe-on-service-time.ts'
import { ensureBudgetStates, excludePastOfChunk, settleBudgetsOfChunk, sweptLedger } from './budget-states.ts'
import { joinUpdates, NO_UPDATES, updatesOf } from './ledger-updates.ts'
import type { PassInput, PassPlan } from './pass-state.ts'

export type AppliedSweep = Awaited<ReturnType<typeof applyInChunks>>

/**
 * Once `signal` aborted, applies only computes with sessions of ours: the next process observes the others again.
 *
 * @throws when the store fails before the first chunk
 */
export async function applyInChunks(
  ports: CommitPorts,
  { before, plan }: PassInput,
  { observed, signal }: Readonly<{ observed: Observed; signal: AbortSignal }>,
) {
  const { sweep, now, upperBound } = observed
  const base = await ensureBudgetStates(ports, before.ledger, { plan, now })
  const complete = createCompletion(base, plan, observed)
  const commits = createCommits(ports, { base, known: before.statistics, observed })
  const context = { ...plan, now: upperBound }
  try {
    const prepared = prepareSweep(base, sweep, context)
    for (const all of chunksOf(prepared.facts)) {
      const facts = signal.aborted ? all.filter(({ readings }) => readings.some(hasSession)) : all
      if (facts.length === 0) continue
      const chunk = applyChunk(base, facts, { prepared, context })
      // oxlint-disable-next-line no-await-in-loop -- durable first
      await commits.addChunk(chunk, complete(chunk, commits.ledger()), upperBound)
    }
    signal.throwIfAborted()
    for (const writes of finishSweep(base, sweep, { prepared, context }))
      // oxlint-disable-next-line no-await-in-loop -- likewise
      await commits.add(writes)
    return commits.applied(undefined)
  } catch (cause) {
    return commits.applied(cause ?? new Error('the store failed'))
  }
}

/** Writes of what a chunk settles of budgets, and counts. */
function createCompletion(base: Ledger, plan: PassPlan, { sweep, now }: Observed) {
  const swept = sweptLedger(base, sweep)
  const addOperations = createOperationCounter(sweep)
  return (chunk: AppliedChunk, ledger: Ledger): readonly Write[] => {
    const entries = entriesOf(chunk.writes)
    const waste = { before: ledger, owners: plan.owners, listed: swept.listed }
    const withTeams = addTeamWaste(ledger.counters, entries, waste)
    const withOperations = addOperations(addWakes(withTeams, entries, ledger), entries, ledger)
    const { budgets } = plan
    const counters = excludePastOfChunk(withOperations, chunk, { ...swept, ledger, budgets })
    return [
      ...settleBudgetsOfChunk(chunk, { ...swept, ledger }, { plan, now }),
      ...(counters === ledger.counters ? [] : [{ kind: 'counters', counters } as const]),
    ]
  }
}

type CommitPorts = Pick<Ports, 'store' | 'epoch' | 'history' | 'clock'>

type CommitsInput = Readonly<{
  base: Ledger
  known: AwakeStatistics
  observed: Pick<Observed, 'retainedAt'>
}>

/** What grows with each commit. */
function createCommits(
  { store, epoch, history, clock }: CommitPorts,
  { base, known, observed }: CommitsInput,
) {
  const options = { epoch, retainedAt: observed.retainedAt }
  let ledger = base
  let updates = NO_UPDATES
  const statistics = new Map(known)
  const events: Event[] = []
  const add = async (writes: readonly Write[]) => {
    if (writes.length > 0) await commit(store, writes, options)
    ledger = ledgerAfter(ledger, writes)
    updates = joinUpdates(updates, updatesOf(writes, { before: base, after: ledger }))
    events.push(...eventsOf(writes))
    await clock.yield()
  }
  return {
    ledger: () => ledger,
    add,
    addChunk: async (chunk: AppliedChunk, completion: readonly Write[], now: Instant) => {
      const refs = refsToLoad(statistics, chunk)
      const stored = refs.length === 0 ? new Map() : await history.statistics(refs)
      const updated = updateStatistics(statistics, chunk, { stored, now })
      await add([...chunk.writes, ...completion, ...updated.writes])
      for (const [key, tracked] of updated.tracked)
        if (tracked) statistics.set(key, tracked)
        else statistics.delete(key)
    },
    applied: (failure: unknown) => ({
      /** As of the last commit. */
      ledger,
      statistics,
      updates,
      /** In the store. */
      events,
      /** Failure of a commit, if one failed. */
      failure,
    }),
  }
}
