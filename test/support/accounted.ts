// One sweep applied to a ledger, all chunks at once.
import { createUtc } from '../../src/calendar/zone.ts'
import type { LedgerContext } from '../../src/ledger/apply-facts.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { AwakeSlice } from '../../src/model/ledger/quantities.ts'
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

type Context = Omit<LedgerContext, 'preset' | 'dayOf'> & Partial<Pick<LedgerContext, 'dayOf'>>

/** Days are of UTC by default. */
export function accounted(before: Ledger, sweep: Sweep, context: Context): Accounted {
  const { dayOf } = createUtc()
  const parts = applyWholeSweep(before, sweep, { dayOf, ...context, preset })
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
