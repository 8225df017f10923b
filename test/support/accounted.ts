// One sweep applied to a ledger, all chunks at once.
import type { LedgerContext } from '../../src/ledger/context.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { AwakeSlice } from '../../src/model/ledger/slice.ts'
import type { Sweep } from '../../src/model/observation.ts'
import { applyWholeSweep, ledgerAfterAll } from './apply-whole-sweep.ts'
import { preset } from './build.ts'
import { rowsOf, type Rows } from './writes.ts'

export type Accounted = {
  readonly ledger: Ledger
  readonly rows: Rows
  readonly events: Rows['events']
  readonly days: Rows['days']
  /** Compute key → bucket of the gap that ended. */
  readonly gaps: ReadonlyMap<string, number>
  readonly slices: { readonly settled: readonly AwakeSlice[]; readonly provisional: readonly AwakeSlice[] }
}

export function accounted(before: Ledger, sweep: Sweep, context: Omit<LedgerContext, 'preset'>): Accounted {
  const parts = applyWholeSweep(before, sweep, { ...context, preset })
  const rows = rowsOf(parts.flatMap(({ writes }) => writes))
  return {
    ledger: ledgerAfterAll(before, parts),
    rows,
    events: rows.events,
    days: rows.days,
    gaps: new Map(parts.flatMap(({ gaps }) => [...gaps])),
    slices: {
      settled: parts.flatMap(({ slices }) => slices),
      provisional: rows.computes.flatMap(({ provisional }) => provisional),
    },
  }
}
