// Time awake that nobody's work explains.
import type { AwakeCause } from '../../model/ledger/evidence.ts'
import type { Redactable } from '../../model/output/report.ts'
import type { AggregatedCompute, CulpritTime } from './aggregate.ts'
import { nameCompute, type ComputeIdentity } from './ownership.ts'
import type { Report } from './schema.ts'

export type ReportedCompute = AggregatedCompute & { readonly identity: ComputeIdentity }

type Options = {
  /** Milliseconds of the week that are over. */
  readonly over: number
  readonly redact: readonly Redactable[]
}

/** Awake for so much of the week, a compute never slept for practical purposes. Doubled doubt (0.9), it may have slept every night for two hours. */
const ALWAYS = 0.95
/** What a month costs is told for so many days. */
const MONTH = 30
const DAY = 86_400_000

const WORK: ReadonlySet<AwakeCause> = new Set(['clients', 'other'])

export function summariseUnproductive(
  computes: readonly ReportedCompute[],
  options: Options,
): Report['unproductive'] {
  const tail = { seconds: 0, micros: 0 }
  const causes = new Map<string, { computes: number; time: number; micros: number }>()
  for (const one of computes) {
    tail.seconds += one.week.idleTail
    tail.micros += averageCostOf(one, one.week.idleTail)
    for (const [cause, time] of causesOf(one)) {
      const sum = causes.get(cause) ?? { computes: 0, time: 0, micros: 0 }
      causes.set(cause, {
        computes: sum.computes + 1,
        time: sum.time + time,
        micros: sum.micros + averageCostOf(one, time),
      })
    }
  }
  return {
    idle_tail: { seconds: tail.seconds / 1000, micros: tail.micros },
    causes: [...causes]
      .map(([cause, { computes: count, time, micros }]) => ({
        cause,
        computes: count,
        seconds: time / 1000,
        micros,
      }))
      .toSorted((a, b) => b.micros - a.micros),
    never_slept: computes
      .filter((one) => one.week.awake.likely >= ALWAYS * options.over)
      .map((one) => neverSlept(one, options))
      .toSorted((a, b) => b.micros - a.micros),
  }
}

const causesOf = ({ timeByCause }: ReportedCompute): readonly (readonly [AwakeCause, number])[] =>
  (Object.entries(timeByCause) as [AwakeCause, number][]).filter(
    ([cause, time]) => !WORK.has(cause) && time > 0,
  )

/** What so much time awake of a compute cost, on average over the week. */
export const averageCostOf = ({ week }: Pick<ReportedCompute, 'week'>, time: number): number =>
  week.awake.likely === 0 ? 0 : Math.round((week.spend.likely * time) / week.awake.likely)

function neverSlept(
  one: ReportedCompute,
  { over, redact }: Options,
): Report['unproductive']['never_slept'][number] {
  const { ref, identity, week, culprits, timeByCause } = one
  const seen = Object.values(timeByCause).reduce((sum, time) => sum + time, 0)
  return {
    ...nameCompute(ref, identity, redact),
    awake_share: week.awake.likely / over,
    micros: week.spend.likely,
    month_micros: Math.round((week.spend.likely * MONTH * DAY) / over),
    autosuspend_off: identity.autosuspendOff ?? null,
    readings: one.readings,
    held_by: culprits.map((client) => clientOf(client, { seen, isNamed: !redact.includes('clients') })),
  }
}

const clientOf = (
  { cause, application, user, database, time }: CulpritTime,
  { seen, isNamed }: { readonly seen: number; readonly isNamed: boolean },
): Report['unproductive']['never_slept'][number]['held_by'][number] => ({
  cause,
  application: isNamed ? application || null : null,
  user: isNamed ? user || null : null,
  database: isNamed ? database || null : null,
  share: seen === 0 ? 0 : time / seen,
})
