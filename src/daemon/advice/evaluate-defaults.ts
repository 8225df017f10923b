// Evaluation of the defaults of one project: the lives of its deleted computes, the adviser, the life of its recommendations, and the writes.
import { adviseDefaults } from '../../advise/defaults/advise-defaults.ts'
import { defaultDelayOf } from '../../advise/defaults/default-delay.ts'
import type { ComputeLife, DefaultsInput } from '../../advise/defaults/input.ts'
import { hadSize } from '../../advise/defaults/lives.ts'
import { realisedDefaults } from '../../advise/defaults/realised.ts'
import { advanceLife, type LifeSubject } from '../../advise/life.ts'
import { seenStep } from '../../advise/sizing/load-seen.ts'
import { priceAt } from '../../ledger/settle/slices.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { FINE_STEP } from '../../model/ledger/rollup.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Advice, ComputeAdvice, Proposal, Withheld } from '../../model/policy/recommendation.ts'
import { projectTargetOf } from '../../model/policy/selector.ts'
import { computeKey, type ComputeRef, type ProjectRef, type Sizing } from '../../model/service/compute.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { DAY, instant, type Instant } from '../../model/units.ts'
import { dueAfter } from './due.ts'
import { deletedSince, type DeletedLife } from './due-projects.ts'
import { adviceChangeOf, digest, type AdviceChange, type EvaluationContext } from './evaluate.ts'
import { readStoredAdvice, type AdviceHistory } from './read-input.ts'

type DefaultsContext = Omit<EvaluationContext, 'project'> &
  Readonly<{ ledger: Ledger; clock: Pick<Clock, 'yield'> }>

const NOTHING: Advice = { proposals: [], withheld: [] }

export async function evaluateDefaults(
  ref: ProjectRef,
  { project, deletedAt }: ProjectEntry,
  { history, plan: settings, utilisation, finished, savedSpend, ledger, clock, now }: DefaultsContext,
): Promise<AdviceChange> {
  const stored = await readStoredAdvice(history, ref, now)
  const { policies, minSaving, plan, preset, prices } = settings
  const refs = await deletedComputes(ledger, ref.projectId, { clock, now })
  // a wake cost in money is that of a compute of 1 CU: sizes differ from life to life
  const policy = policies.of(projectTargetOf(ref.account, project), priceAt(prices, now))
  const needs = policy.needs ?? settings.needs
  const input: DefaultsInput = {
    ref,
    project,
    atOnce: restingOn(ledger, ref.projectId).length,
    lives: await readLives(history, refs, { sizing: project.defaultSizing, now }),
    plan,
    preset,
    policy,
    needs,
    prices,
    utilisation,
    previous: stored.recommendations,
    ...(finished && { finished }),
    now,
  }
  const advice = deletedAt === undefined ? adviceOf(adviseDefaults(input)) : NOTHING
  const subject: LifeSubject = {
    ref,
    isDeleted: deletedAt !== undefined,
    setting: {
      delay: defaultDelayOf(input),
      ...(project.defaultSizing && { sizing: project.defaultSizing }),
    },
    previous: stored.recommendations,
    wakeCost: policy.wakeCost,
    realised: (row) => realisedDefaults(row, input),
    now,
  }
  const life = advanceLife({ advice, subject, made: stored.made, minSaving, hash: digest })
  const saved = (await savedSpend?.ofProject(input)) ?? []
  const evaluated: ComputeAdvice = { ref, evaluatedAt: now, withheld: life.withheld, made: life.made }
  return {
    ...adviceChangeOf(stored, { changed: life.recommendations, saved }, evaluated),
    dueAt: dueAfter(evaluated, needs),
  }
}

const adviceOf = (result: Proposal | Withheld): Advice =>
  'ref' in result ? { proposals: [result], withheld: [] } : { proposals: [], withheld: [result] }

/** Existing computes without a delay of their own. */
export const restingOn = ({ computes }: Ledger, projectId: string): readonly ComputeRef[] =>
  [...computes.values()].flatMap(({ ref, compute, deletedAt }) => {
    const isResting = deletedAt === undefined && compute.autosuspendDelay === undefined
    return ref.projectId === projectId && isResting ? [ref] : []
  })

/** Days of history: the 28 of a follow-up, and a week until it is evaluated; and of fine buckets. */
const [RECENT, FINE_DAYS] = [35, 14]
/** Newest lives of a project that are read, some 60 a day: their history is in memory while they are judged. */
const MAX_LIVES = 2000
/** Oldest first. */
async function deletedComputes(
  ledger: Ledger,
  projectId: string,
  { clock, now }: Readonly<{ clock: Pick<Clock, 'yield'>; now: Instant }>,
): Promise<readonly DeletedLife[]> {
  const found: DeletedLife[] = []
  for await (const life of deletedSince(ledger, instant(now - RECENT * DAY), clock))
    if (life.ref.projectId === projectId) found.push(life)
  return found.toSorted((a, b) => a.deletedAt - b.deletedAt).slice(-MAX_LIVES)
}

async function readLives(
  history: AdviceHistory,
  deleted: readonly DeletedLife[],
  { sizing, now }: Readonly<{ sizing: Sizing | undefined; now: Instant }>,
): Promise<readonly ComputeLife[]> {
  const [first] = deleted
  if (!first) return []
  const { account } = first.ref
  const span = { from: instant(now - RECENT * DAY), to: now, computes: deleted.map(({ ref }) => ref) }
  const gaps = byKey(await Array.fromAsync(history.gaps(account, span)))
  const settings = byKey(await Array.fromAsync(history.settings(account, span)))
  const intervals = byKey(await Array.fromAsync(history.intervals(account, span)))
  // nothing is learned of a default size by computes of another one
  const sized = deleted.filter(
    ({ ref }) => sizing && hadSize({ settings: settings.get(computeKey(ref)) ?? [] }, sizing),
  )
  const steps = await readSteps(history, sized.slice(-MAX_LIVES_OF_STEPS), now)
  return deleted.map(({ ref, deletedAt }) => {
    const key = computeKey(ref)
    return {
      deletedAt,
      gaps: gaps.get(key) ?? [],
      settings: settings.get(key) ?? [],
      intervals: intervals.get(key) ?? [],
      steps: steps.get(key) ?? [],
    }
  })
}

/** Newest lives whose fine buckets are read, some 30 of each: what more of them showed hardly moves a range. */
const MAX_LIVES_OF_STEPS = 500

/** By key. */
async function readSteps(
  history: AdviceHistory,
  deleted: readonly DeletedLife[],
  now: Instant,
): Promise<ReadonlyMap<string, ComputeLife['steps']>> {
  const [first] = deleted
  const byCompute = new Map<string, ComputeLife['steps'][number][]>()
  if (!first) return byCompute
  const span = { from: instant(now - FINE_DAYS * DAY), to: now, computes: deleted.map(({ ref }) => ref) }
  for await (const bucket of history.rollups(first.ref.account, { ...span, length: FINE_STEP })) {
    const key = computeKey(bucket.ref)
    const own = byCompute.get(key) ?? []
    byCompute.set(key, own)
    own.push(seenStep(bucket))
  }
  return byCompute
}

const byKey = <Item extends { readonly ref: ComputeRef }>(items: readonly Item[]) =>
  Map.groupBy(items, ({ ref }) => computeKey(ref))
