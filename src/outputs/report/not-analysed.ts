// Computes of which the report cannot say all, by reason.
import { createTopK } from '../../std/top-k.ts'
import type { Redactable } from '../../model/output/report.ts'
import { nameCompute } from './ownership.ts'
import type { Report } from './schema.ts'
import type { ReportedCompute } from './unproductive.ts'

type Reason = Pick<Report['not_analysed'][number], 'reason' | 'because'>

/** Spend that may be another by more than this share of it is told as uncertain. Doubled, a bill may differ by a third unannounced. */
const UNCERTAIN = 0.2
const EXAMPLES = 3

type Group = Report['not_analysed'][number]

/** The dearest reason first; its examples are those that matter most for it. */
export function notAnalysed(
  computes: readonly ReportedCompute[],
  redact: readonly Redactable[],
): readonly Group[] {
  const groups = new Map<string, Found>()
  for (const one of computes)
    for (const reason of reasonsOf(one)) {
      const key = `${reason.reason} ${reason.because ?? ''}`
      const group = groups.get(key) ?? found(reason)
      group.examples.add(one)
      group.computes += 1
      group.micros += one.week.spend.likely
      groups.set(key, group)
    }
  return [...groups.values()]
    .map(({ examples, ...group }) => ({
      ...group,
      examples: examples.all().map(({ ref, identity }) => nameCompute(ref, identity, redact)),
    }))
    .toSorted((a, b) => b.micros - a.micros)
}

type Found = Reason & {
  computes: number
  micros: number
  readonly examples: ReturnType<typeof createTopK<ReportedCompute>>
}

const found = (reason: Reason): Found => ({
  ...reason,
  computes: 0,
  micros: 0,
  examples: createTopK<ReportedCompute>(EXAMPLES, ({ week: { spend } }) =>
    reason.reason === 'uncertain' ? spend.high - spend.low : spend.likely,
  ),
})

function reasonsOf({ week, readings, identity }: ReportedCompute): readonly Reason[] {
  const { low, likely, high } = week.spend
  return [
    ...(high - low > UNCERTAIN * likely ? [{ reason: 'uncertain', because: null } as const] : []),
    ...(readings === 0 && week.awake.likely > 0
      ? [{ reason: 'unread', because: identity.unreadBecause ?? null } as const]
      : []),
  ]
}
