// Evaluation of one compute: its histories, the advisers, the life of its recommendations, and the writes.
import { createHash } from 'node:crypto'
import { advise } from '../../advise/advise.ts'
import type { AdviseInput } from '../../advise/input.ts'
import { sizeWhileAwake } from '../../advise/interval.ts'
import { advanceLife, lifeSubjectOf } from '../../advise/life.ts'
import { priceAt } from '../../ledger/settle/slices.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Utilisation } from '../../model/ledger/metering.ts'
import type { Policies } from '../../model/policy/policies.ts'
import type { Advice, ComputeAdvice, Recommendation } from '../../model/policy/recommendation.ts'
import type { SavedPart } from '../../model/policy/saved.ts'
import { selectorTargetOf, type SelectorTarget } from '../../model/policy/selector.ts'
import type { Write } from '../../model/ports/store.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import { micros, type Instant, type Micros } from '../../model/units.ts'
import { dueAfter } from './due.ts'
import type { SavedSpend } from './saved-spend.ts'
import {
  isShown,
  readHistories,
  readStoredAdvice,
  type AdviceHistory,
  type AdviceOfCompute,
} from './read-input.ts'

/** Settings of the configuration that evaluations go by. */
export type AdvicePlan = Pick<AdviseInput, 'plan' | 'preset' | 'needs' | 'prices'> &
  Readonly<{
    policies: Pick<Policies, 'of' | 'scheduleOf'>
    /** Saving in 30 days from which an open recommendation is replaced. */
    minSaving: Micros
    /** Name of a budget that asks for a smaller size; absent where budgets are not known. */
    overBudgetOf?: (compute: SelectorTarget) => string | undefined
  }>

export type AdviceChange = Readonly<{
  ref: TargetRef
  before: AdviceOfCompute
  after: AdviceOfCompute
  writes: readonly Write[]
  /** Among the writes. */
  saved: readonly SavedPart[]
  /** When the compute is due again; undefined where that stays as it was. */
  dueAt?: Instant | undefined
}>

export type EvaluationContext = Readonly<{
  history: AdviceHistory
  plan: AdvicePlan
  utilisation: Utilisation
  finished?: AdviseInput['finished']
  /** Absent where nobody asks for changes: an audit. */
  savedSpend?: Pick<SavedSpend, 'ofCompute' | 'ofProject'> | undefined
  project: ProjectEntry | undefined
  now: Instant
}>

const NOTHING: Advice = { proposals: [], withheld: [] }

export async function evaluateCompute(
  entry: ComputeEntry,
  { history, plan: settings, utilisation, finished, savedSpend, project, now }: EvaluationContext,
): Promise<AdviceChange> {
  const { ref, compute, deletedAt } = entry
  const stored = await readStoredAdvice(history, ref, now)
  const { policies, minSaving, overBudgetOf, ...plan } = settings
  const target = selectorTargetOf(ref.account, compute, project?.project)
  const size = sizeWhileAwake(compute.sizing, utilisation).likely
  const policy = policies.of(target, micros(size * priceAt(plan.prices, now)))
  const overBudget = overBudgetOf?.(target)
  const scheduled = policies.scheduleOf(target).map(({ delay }) => delay)
  const needs = policy.needs ?? plan.needs
  const histories = await readHistories(history, ref, now)
  const input: AdviseInput = {
    ...histories,
    ...plan,
    needs,
    entry,
    project,
    policy,
    utilisation,
    ...(finished && { finished }),
    ...(scheduled.length > 0 && { scheduled }),
    ...(overBudget !== undefined && { overBudget }),
    now,
    previous: stored.recommendations,
  }
  const advice = deletedAt === undefined ? advise(input) : NOTHING
  const life = advanceLife({
    advice,
    subject: lifeSubjectOf(input),
    made: stored.made,
    minSaving,
    hash: digest,
  })
  const saved = (await savedSpend?.ofCompute(input)) ?? []
  const evaluated: ComputeAdvice = { ref, evaluatedAt: now, withheld: life.withheld, made: life.made }
  return {
    ...adviceChangeOf(stored, { changed: life.recommendations, saved }, evaluated),
    dueAt: dueAfter(evaluated, needs),
  }
}

/** An evaluation as it is stored. `changed`: recommendations that are new or changed. `saved`: what is counted of changes. */
export function adviceChangeOf(
  stored: AdviceOfCompute,
  { changed, saved }: Readonly<{ changed: readonly Recommendation[]; saved: readonly SavedPart[] }>,
  evaluated: ComputeAdvice,
): AdviceChange {
  const { ref, withheld, evaluatedAt } = evaluated
  return {
    ref,
    before: stored,
    after: {
      recommendations: replaceRows(stored.recommendations, changed).filter((row) =>
        isShown(row, evaluatedAt),
      ),
      withheld,
    },
    writes: [
      ...changed.map((recommendation) => ({ kind: 'recommendation', recommendation }) as const),
      { kind: 'advice', advice: evaluated },
      ...saved.map((part) => ({ kind: 'saved-part', part }) as const),
    ],
    saved,
  }
}

/** A change of one recommendation by a person. */
export function changeRecommendation(stored: AdviceOfCompute, changed: Recommendation): AdviceChange {
  return {
    ref: changed.ref,
    before: stored,
    after: { ...stored, recommendations: replaceRows(stored.recommendations, [changed]) },
    writes: [{ kind: 'recommendation', recommendation: changed }],
    saved: [],
  }
}

function replaceRows(rows: readonly Recommendation[], changed: readonly Recommendation[]) {
  const byId = new Map([...rows, ...changed].map((row) => [row.id, row]))
  return [...byId.values()]
}

/** 16 hexadecimal digits: enough that no two settings of one compute share a hash. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
