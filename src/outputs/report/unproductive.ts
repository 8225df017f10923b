import type { AwakeCause } from '../../model/ledger/evidence.ts'
import type { Redactable } from '../../model/output/report.ts'
import type { AggregatedCompute } from './aggregate.ts'
import { sumOf } from '../../std/sum.ts'
import { nameCompute, type ComputeIdentity } from './ownership.ts'
import type { Report } from './schema.ts'
import { DAY } from '../../model/units.ts'

export type ReportedCompute = AggregatedCompute & { readonly identity: ComputeIdentity }

/** `elapsed`: milliseconds of the week that are over. */
type UnproductiveContext = Readonly<{ elapsed: number; redact: readonly Redactable[] }>

/** Share of time awake that leaves room for a restart or an outage, not for nights. */
const NEVER_SLEPT_SHARE = 0.95
/** Milliseconds of a "month" of such weeks. */
const MONTH_MS = 30 * DAY
/** Work: all other causes are unproductive. */
const PRODUCTIVE_CAUSES: ReadonlySet<AwakeCause> = new Set(['clients', 'other'])

export function summariseUnproductive(
  computes: readonly ReportedCompute[],
  context: UnproductiveContext,
): Report['unproductive'] {
  const shares = computes.flatMap((compute) =>
    unproductiveCauses(compute).map(([cause, time]) => ({
      cause,
      time,
      micros: averageCostOf(compute, time),
    })),
  )
  const causes = [...Map.groupBy(shares, ({ cause }) => cause)].map(([cause, same]) => ({
    cause,
    computes: same.length,
    seconds: sumOf(same, ({ time }) => time) / 1000,
    micros: sumOf(same, ({ micros }) => micros),
  }))
  return {
    idle_tail: {
      seconds: sumOf(computes, ({ week }) => week.idleTail) / 1000,
      micros: sumOf(computes, (compute) => averageCostOf(compute, compute.week.idleTail)),
    },
    causes: causes.toSorted((a, b) => b.micros - a.micros),
    never_slept: computes
      .filter(({ week }) => week.awake.likely >= NEVER_SLEPT_SHARE * context.elapsed)
      .map((compute) => neverSlept(compute, context))
      .toSorted((a, b) => b.micros - a.micros),
  }
}

const unproductiveCauses = ({ timeByCause }: ReportedCompute): readonly (readonly [AwakeCause, number])[] =>
  (Object.entries(timeByCause) as [AwakeCause, number][]).filter(
    ([cause, time]) => !PRODUCTIVE_CAUSES.has(cause) && time > 0,
  )

/** At the average spend per awake time of the week. */
export const averageCostOf = ({ week }: Pick<ReportedCompute, 'week'>, time: number): number =>
  week.awake.likely === 0 ? 0 : Math.round((week.spend.likely * time) / week.awake.likely)

function neverSlept(
  { ref, identity, week, readings, culprits, timeByCause }: ReportedCompute,
  { elapsed, redact }: UnproductiveContext,
): Report['unproductive']['never_slept'][number] {
  const attributed = sumOf(Object.values(timeByCause), Number)
  const isNamed = !redact.includes('clients')
  return {
    ...nameCompute(ref, identity, redact),
    awake_share: week.awake.likely / elapsed,
    micros: week.spend.likely,
    month_micros: Math.round((week.spend.likely * MONTH_MS) / elapsed),
    autosuspend_off: identity.autosuspendOff ?? null,
    readings,
    held_by: culprits.map(({ cause, application, user, database, time }) => ({
      cause,
      application: (isNamed && application) || null,
      user: (isNamed && user) || null,
      database: (isNamed && database) || null,
      share: attributed === 0 ? 0 : time / attributed,
    })),
  }
}
