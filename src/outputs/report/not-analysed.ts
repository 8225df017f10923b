import { sumOf } from '../../std/sum.ts'
import { createTopK } from '../../std/top-k.ts'
import type { Redactable } from '../../model/output/report.ts'
import { nameCompute } from './ownership.ts'
import type { Report } from './schema.ts'
import type { ReportedCompute } from './unproductive.ts'

type Reason = Pick<Report['not_analysed'][number], 'reason' | 'because'>

/** Bounds wider than this share of the likely spend are uncertain. */
const UNCERTAIN_SHARE = 0.2
const MAX_EXAMPLES = 3

/** Most spend first; examples of uncertainty by the widest bounds, others by spend. */
export function notAnalysed(
  computes: readonly ReportedCompute[],
  redact: readonly Redactable[],
): Report['not_analysed'] {
  const found = computes.flatMap((compute) => reasonsOf(compute).map((reason) => ({ ...compute, ...reason })))
  const groups = Map.groupBy(found, ({ reason, because }) => `${reason} ${because ?? ''}`)
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group
      if (!first) return []
      const { reason, because } = first
      const examples = createTopK<ReportedCompute>(MAX_EXAMPLES, ({ week: { spend } }) =>
        reason === 'uncertain' ? spend.high - spend.low : spend.likely,
      )
      for (const compute of group) examples.add(compute)
      return {
        reason,
        because,
        computes: group.length,
        micros: sumOf(group, ({ week }) => week.spend.likely),
        examples: examples.all().map(({ ref, identity }) => nameCompute(ref, identity, redact)),
      }
    })
    .toSorted((a, b) => b.micros - a.micros)
}

function reasonsOf({ week, readings, identity }: ReportedCompute): readonly Reason[] {
  const { low, likely, high } = week.spend
  const isUncertain = high - low > UNCERTAIN_SHARE * likely
  const isUnread = readings === 0 && week.awake.likely > 0
  return [
    ...(isUncertain ? [{ reason: 'uncertain', because: null } as const] : []),
    ...(isUnread ? [{ reason: 'unread', because: identity.unreadBecause ?? null } as const] : []),
  ]
}
