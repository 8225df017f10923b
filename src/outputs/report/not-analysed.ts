// Computes that the report cannot fully analyse, by reason.
import { createTopK } from '../../std/top-k.ts'
import type { Redactable } from '../../model/output/report.ts'
import { nameCompute } from './ownership.ts'
import type { Report } from './schema.ts'
import type { ReportedCompute } from './unproductive.ts'

type Reason = Pick<Report['not_analysed'][number], 'reason' | 'because'>

/** Width of a spend's bounds, as a share of its likely value, above which the spend is listed as uncertain. */
const UNCERTAIN_SHARE = 0.2
/** Computes named for a reason. */
const MAX_EXAMPLES = 3

/** The reason with the most spend first. Examples: the widest bounds where the reason is uncertainty, else the most spend. */
export function notAnalysed(
  computes: readonly ReportedCompute[],
  redact: readonly Redactable[],
): Report['not_analysed'] {
  const groups = new Map<string, ReasonGroup>()
  for (const compute of computes)
    for (const reason of reasonsOf(compute)) {
      const key = `${reason.reason} ${reason.because ?? ''}`
      const group = groups.get(key) ?? newReasonGroup(reason)
      group.examples.add(compute)
      group.computes += 1
      group.micros += compute.week.spend.likely
      groups.set(key, group)
    }
  return [...groups.values()]
    .map(({ examples, ...group }) => ({
      ...group,
      examples: examples.all().map(({ ref, identity }) => nameCompute(ref, identity, redact)),
    }))
    .toSorted((a, b) => b.micros - a.micros)
}

type ReasonGroup = Reason & {
  computes: number
  micros: number
  readonly examples: ReturnType<typeof createTopK<ReportedCompute>>
}

const newReasonGroup = (reason: Reason): ReasonGroup => ({
  ...reason,
  computes: 0,
  micros: 0,
  examples: createTopK<ReportedCompute>(MAX_EXAMPLES, ({ week: { spend } }) =>
    reason.reason === 'uncertain' ? spend.high - spend.low : spend.likely,
  ),
})

function reasonsOf({ week, readings, identity }: ReportedCompute): readonly Reason[] {
  const { low, likely, high } = week.spend
  return [
    ...(high - low > UNCERTAIN_SHARE * likely ? [{ reason: 'uncertain', because: null } as const] : []),
    ...(readings === 0 && week.awake.likely > 0
      ? [{ reason: 'unread', because: identity.unreadBecause ?? null } as const]
      : []),
  ]
}
