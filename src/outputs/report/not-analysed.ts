import type { Bounds } from '../../model/ledger/quantities.ts'
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

type NotAnalysedContext = Readonly<{
  redact: readonly Redactable[]
  /** Spend in the week for people. */
  boundsOf: (compute: ReportedCompute) => Bounds<number>
}>

/** Most spend first; examples of uncertainty by the widest bounds, others by spend. */
export function notAnalysed(
  computes: readonly ReportedCompute[],
  { redact, boundsOf }: NotAnalysedContext,
): Report['not_analysed'] {
  const found = computes.flatMap((compute) => {
    const bounds = boundsOf(compute)
    return reasonsOf(compute, bounds).map((reason) => ({ ...compute, ...reason, bounds }))
  })
  const groups = Map.groupBy(found, ({ reason, because }) => `${reason} ${because ?? ''}`)
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group
      if (!first) return []
      const { reason, because } = first
      const examples = createTopK<(typeof found)[number]>(MAX_EXAMPLES, ({ bounds, week: { spend } }) =>
        reason === 'uncertain' ? bounds.high - bounds.low : spend.likely,
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

function reasonsOf(
  { week, readings, identity }: ReportedCompute,
  { low, high }: Bounds<number>,
): readonly Reason[] {
  const isUncertain = high - low > UNCERTAIN_SHARE * week.spend.likely
  const isUnread = readings === 0 && week.awake.likely > 0
  return [
    ...(isUncertain ? [{ reason: 'uncertain', because: null } as const] : []),
    ...(isUnread ? [{ reason: 'unread', because: identity.unreadBecause ?? null } as const] : []),
  ]
}
