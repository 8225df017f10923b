// One sweep applied to a ledger, all chunks at once.
import type { LedgerBatch } from '../../src/ledger/apply-sweep.ts'
import type { LedgerContext } from '../../src/ledger/context.ts'
import type { Event } from '../../src/model/output/event-kinds.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import type { Batch } from '../../src/model/ports/store.ts'
import { applyWholeSweep, ledgerAfterAll } from './apply-whole-sweep.ts'
import { preset } from './build.ts'

export type Accounted = {
  readonly ledger: Ledger
  readonly batch: Batch
  readonly events: readonly Event[]
  readonly days: LedgerBatch['days']
  readonly slices: LedgerBatch['slices']
}

export function accounted(before: Ledger, sweep: Sweep, context: Omit<LedgerContext, 'preset'>): Accounted {
  const parts = applyWholeSweep(before, sweep, { ...context, preset })
  return {
    ledger: ledgerAfterAll(before, parts),
    batch: {
      account: before.account,
      readings: parts.findLast(({ readings }) => readings)?.readings,
      projects: parts.flatMap(({ projects }) => projects),
      computes: parts.flatMap(({ computes }) => computes),
      settled: parts.flatMap(({ settled }) => settled),
      rollups: parts.flatMap(({ rollups }) => rollups),
      days: parts.flatMap(({ days }) => days),
      budgets: {},
      counters: undefined,
      events: parts.flatMap(({ events }) => events),
      reports: [],
      deliveries: [],
      memories: {},
    },
    events: parts.flatMap(({ events }) => events),
    days: parts.flatMap(({ days }) => days),
    slices: {
      settled: parts.flatMap(({ slices }) => slices.settled),
      provisional: parts.flatMap(({ slices }) => slices.provisional),
    },
  }
}
