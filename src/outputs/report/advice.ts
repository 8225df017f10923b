// Recommendations of an account in its report, taken row by row: what is listed stays in memory, of the rest only sums.
import { computeSaving, NO_SAVING } from '../../advise/total.ts'
import { addBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { Redactable, ReportPlan, ReportSlot } from '../../model/output/report.ts'
import { promisedOf, type ComputeAdvice, type Recommendation } from '../../model/policy/recommendation.ts'
import { targetKey, type TargetRef } from '../../model/service/compute.ts'
import { toIso } from '../../model/time.ts'
import { earliest, micros, type Instant, type Micros } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { createTopK } from '../../std/top-k.ts'
import type { NoWakeCosts, RecommendationJson } from '../text/recommendation-schema.ts'
import { nameTarget, type ComputeIdentity } from './ownership.ts'
import type { ReportAdvice } from './schema.ts'

export type AdviceInput = Readonly<{
  plan: ReportPlan
  slot: ReportSlot
  /** In 30 days. */
  minSaving: Micros
  identityOf: (ref: TargetRef) => ComputeIdentity
  jsonOf: (recommendation: Recommendation) => RecommendationJson
}>

/** About 1 MB of JSON with their curves; people change fewer settings in a week. */
const MAX_LISTED = 100
const MAX_EARLIER = 50
const MAX_EXAMPLES = 3

type WithheldGroup = {
  readonly kind: ReportAdvice['withheld'][number]['kind']
  readonly because: ReportAdvice['withheld'][number]['because']
  computes: number
  until: Instant | undefined
  readonly examples: TargetRef[]
}

/** Rows of one compute or project must follow each other. */
export function createAdviceCollector(input: AdviceInput) {
  const { plan, slot, minSaving, identityOf, jsonOf } = input
  const largest = createTopK<Recommendation>(MAX_LISTED, ({ saving }) => Math.abs(saving.likely))
  const newest = createTopK<Recommendation>(MAX_EARLIER, endOf)
  const sums = { open: 0, below: 0, ended: 0, opened: 0, superseded: 0, withdrawn: 0 }
  const followedUp: Recommendation[] = []
  const withheld = new Map<string, WithheldGroup>()
  let total: Bounds<Micros> = NO_SAVING
  let same: Recommendation[] = []

  const isInWeek = (at: Instant) => at >= slot.from && at < slot.to
  const addToTotal = () => {
    total = addBounds(total, computeSaving(same), micros)
    same = []
  }
  const addOpen = (recommendation: Recommendation) => {
    const [first] = same
    if (first && targetKey(first.ref) !== targetKey(recommendation.ref)) addToTotal()
    same.push(recommendation)
    sums.open += 1
    // what costs more is never left out as too little
    const { likely } = recommendation.saving
    if (likely >= 0 && likely < minSaving) sums.below += 1
    else largest.add(recommendation)
  }
  return {
    addRecommendation(recommendation: Recommendation): void {
      const { life, openedAt } = recommendation
      if (isInWeek(openedAt)) sums.opened += 1
      if (life.state === 'open') return addOpen(recommendation)
      if (life.at >= slot.to) return
      if (life.state === 'superseded' || life.state === 'withdrawn') {
        if (isInWeek(life.at)) sums[life.state] += 1
        return
      }
      sums.ended += 1
      newest.add(recommendation)
      if (life.state === 'implemented' && life.realised) followedUp.push(recommendation)
    },
    addWithheld({ ref, withheld: reasons }: Pick<ComputeAdvice, 'ref' | 'withheld'>): void {
      for (const { kind, because, until } of reasons) {
        const key = `${kind} ${because}`
        const group = withheld.get(key) ?? { kind, because, computes: 0, until: undefined, examples: [] }
        withheld.set(key, group)
        group.computes += 1
        if (group.examples.length < MAX_EXAMPLES) group.examples.push(ref)
        if (until !== undefined) group.until = earliest(until, group.until ?? until)
      }
    },
    /** Most saving first, then those that cost more. */
    listed: (): readonly Recommendation[] =>
      largest.all().toSorted((a, b) => b.saving.likely - a.saving.likely),
    done(noWakeCosts: NoWakeCosts): ReportAdvice {
      addToTotal()
      const listed = this.listed()
      const earlier = newest.all()
      return {
        saving_micros_per_30_days: total,
        min_saving_micros: minSaving,
        open: sums.open,
        below: sums.below,
        left: sums.open - sums.below - listed.length,
        listed: listed.map((recommendation) => ({
          ...redacted(jsonOf(recommendation), plan.redact),
          no_wake: [...(noWakeCosts.get(recommendation.id) ?? [])],
        })),
        earlier: {
          opened: sums.opened,
          superseded: sums.superseded,
          withdrawn: sums.withdrawn,
          by_kind: followUpsByKind(followedUp),
          listed: earlier.map((recommendation) => earlierJson(redacted(jsonOf(recommendation), plan.redact))),
          left: sums.ended - earlier.length,
        },
        withheld: [...withheld.values()]
          .toSorted((a, b) => b.computes - a.computes)
          .map(({ until, examples, ...group }) => ({
            ...group,
            until: until === undefined ? null : toIso(until),
            examples: examples.map((ref) => nameTarget(ref, identityOf(ref), plan.redact)),
          })),
      }
    },
  }
}

const endOf = ({ life }: Recommendation) => (life.state === 'open' ? 0 : life.at)

function followUpsByKind(followedUp: readonly Recommendation[]): ReportAdvice['earlier']['by_kind'] {
  return [...Map.groupBy(followedUp, ({ kind }) => kind)].map(([kind, same]) => ({
    kind,
    count: same.length,
    likely_micros: sumOf(same, (one) => promisedOf(one).likely),
    realised_micros: sumOf(same, ({ life }) =>
      life.state === 'implemented' ? (life.realised?.likely ?? 0) : 0,
    ),
  }))
}

/** Without grounds, effect and request, which nobody needs any more. */
function earlierJson(json: RecommendationJson): ReportAdvice['earlier']['listed'][number] {
  const { id, kind, state, project_id, project_name, endpoint_id, name, from, to, detail } = json
  const { saving_micros_per_30_days, opened_at, ended } = json
  const compute = { project_id, project_name, endpoint_id, name }
  return { id, kind, state, ...compute, from, to, detail, saving_micros_per_30_days, opened_at, ended }
}

function redacted(json: RecommendationJson, redact: readonly Redactable[]): RecommendationJson {
  const { detail } = json
  const hasClient = redact.includes('clients') && detail?.kind === 'awake-for-nothing'
  return {
    ...json,
    ...(redact.includes('names') && { project_name: null, name: null }),
    ...(hasClient && { detail: { ...detail, application: '', user: '', database: '' } }),
  }
}
