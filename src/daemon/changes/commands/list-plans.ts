// Plans as JSON, for the API and the command line: what would be sent, what it waits for and when it may go.
import { holdOf, type ChangeRules } from '../../../apply/hold.ts'
import type { ChangePlan } from '../../../apply/plan.ts'
import { slotSpan } from '../../../decide/slot.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { isEndedByPerson, isEndless, isTimed, outlasts } from '../../../model/policy/hold-end.ts'
import { restartsCompute, type AskedMoment, type Change } from '../../../model/policy/change.ts'
import type { Hold } from '../../../model/policy/hold.ts'
import type { Recommendation } from '../../../model/policy/recommendation.ts'
import { DEFAULT_AUTOSUSPEND_DELAY, targetKey } from '../../../model/service/compute.ts'
import { toIso } from '../../../model/time.ts'
import { after, ratio, type Instant, type Interval } from '../../../model/units.ts'
import { planJson } from '../../../outputs/text/change-json.ts'
import type { PlanJson, PlansJson } from '../../../outputs/text/change-schema.ts'
import { ok, type Result } from '../../../std/result.ts'
import { targetsNamed } from '../../history/named-projects.ts'
import { slotWhileUnsent, type ChangeSources } from '../list-changes.ts'
import { DEFAULT_WAIT } from '../new-change.ts'
import { openRecommendations, planOfRecommendation, readRecommendation } from '../recommended.ts'
import { upcomingSchedules } from '../steps/upcoming.ts'
import {
  changeContextOf,
  refuseCommand,
  restingOnDefaults,
  viewOfRef,
  type CommandProblem,
} from '../targets.ts'

/** @param name a compute, a recommendation or a change; undefined for all open changes */
export async function listPlans(
  sources: ChangeSources,
  snapshot: Snapshot,
  { name, when = 'idle' }: Readonly<{ name: string | undefined; when: AskedMoment | undefined }>,
): Promise<Result<PlansJson, CommandProblem>> {
  const plans = await plansOf(sources, snapshot, { name, when })
  if (!plans.ok) return plans
  return ok({
    schema_version: 2,
    mode: sources.config().mode,
    kill_switch: sources.killSwitch.engagedBy(),
    plans: plans.value,
    schedules: name === undefined ? schedulesJson(sources, snapshot) : [],
    put_backs: name === undefined ? await putBacksJson(sources, snapshot) : [],
  })
}

const schedulesJson = ({ config, clock }: ChangeSources, snapshot: Snapshot): PlansJson['schedules'] =>
  upcomingSchedules(snapshot, config(), slotSpan(clock.now())).map(
    ({ window, from, to, delay, computes }) => ({
      window,
      from: toIso(from),
      to: toIso(to),
      delay_seconds: delay,
      computes,
    }),
  )

async function putBacksJson(
  { putBacksIn, clock }: ChangeSources,
  { accounts }: Snapshot,
): Promise<PlansJson['put_backs']> {
  const within = slotSpan(clock.now())
  const lists = await Promise.all(accounts.map(({ account }) => putBacksIn(account, within)))
  return lists.flat().map((one) => ({ ...one, at: toIso(one.at) }))
}

async function plansOf(
  sources: ChangeSources,
  snapshot: Snapshot,
  { name, when }: Readonly<{ name: string | undefined; when: AskedMoment }>,
): Promise<Result<PlanJson[], CommandProblem>> {
  const { journal, runnerOf, killSwitch } = sources
  const stopped = killSwitch.engagedBy().length === 0 ? undefined : holdUntilReleased('kill-switch')
  const lists = snapshot.accounts.map(({ account }) => journal.openChanges(account))
  const open = (await Promise.all(lists)).flat()
  const planOfOpen = (change: Change) => {
    const runner = runnerOf(change.ref.account)
    const hold = runner.holdOf(change.id) ?? holdByPerson(change, stopped) ?? runner.policyHold(change)
    return planOf(snapshot, change, { id: change.id, hold, slot: slotWhileUnsent(change, runner) })
  }
  if (name === undefined) return ok(open.map(planOfOpen))
  const change = open.find(({ id }) => id === name)
  if (change) return ok([planOfOpen(change)])
  const planOfOne = (one: Recommendation): Result<PlanJson, CommandProblem> => {
    const plan = planOfRecommendation(snapshot, one, { when, runnerOf })
    if (!plan.ok) return plan
    const { now, policyHold, slotOf } = runnerOf(one.ref.account)
    const proposed = proposedChange(plan.value, one, now())
    const hold = stopped ?? policyHold(proposed)
    return ok(planOf(snapshot, proposed, { id: undefined, hold, slot: slotOf(proposed) }))
  }
  const recommendation = await readRecommendation(sources, snapshot, name)
  if (recommendation) {
    const plan = planOfOne(recommendation)
    return plan.ok ? ok([plan.value]) : plan
  }
  const refs = targetsNamed(snapshot, name)
  if (refs.length === 0)
    return refuseCommand(404, `no compute, project, recommendation or open change is called ${name}`)
  const keys = new Set(refs.map(targetKey))
  const proposals = (await openRecommendations(sources, refs)).map(planOfOne)
  return ok([
    ...open.filter(({ ref }) => keys.has(targetKey(ref))).map(planOfOpen),
    ...proposals.flatMap((plan) => (plan.ok ? [plan.value] : [])),
  ])
}

const holdUntilReleased = (because: 'approval' | 'kill-switch'): Hold => ({ because, until: undefined })

/** Hold of a change at which the apply loop has not looked. */
function holdByPerson({ state }: Change, stopped: Hold | undefined): Hold | undefined {
  if (state.at === 'proposed') return holdUntilReleased('approval')
  return state.at === 'scheduled' ? stopped : undefined
}

/** A recommendation as the change that its approval would make. */
const proposedChange = (plan: ChangePlan, { id, hash, saving }: Recommendation, now: Instant): Change => ({
  ...plan,
  id: '',
  version: 1,
  origin: { by: 'recommendation', id, hash, name: '' },
  reason: '',
  promised: saving,
  createdAt: now,
  deadline: after(now, DEFAULT_WAIT),
  state: { at: 'proposed' },
})

type PlanState = Readonly<{
  id: string | undefined
  hold: (Hold & Readonly<{ since?: Instant }>) | undefined
  slot: Interval | undefined
}>

export function planOf(snapshot: Snapshot, change: Change, { id, hold, slot }: PlanState): PlanJson {
  const context = changeContextOf(snapshot, change.ref)
  const held = hold ?? expectedHold(snapshot, change)
  return planJson({
    change,
    id,
    context,
    hold: held,
    slot,
    atOnce:
      change.desired.autosuspendDelay === undefined
        ? []
        : restingOnDefaults(snapshot, change.ref).map(({ identity }) => identity),
    likelyInTime: likelyInTime(snapshot, change, { hold: held, slot }),
  })
}

/** By the last pass, for a change at which the apply loop has not looked. */
function expectedHold(snapshot: Snapshot, change: Change): Hold | undefined {
  const view = viewOfRef(snapshot, change.ref)
  if (!view) return undefined
  const { identity, state } = view
  const seen = {
    compute: identity.compute,
    defaultDelay: identity.project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
    others: [],
    openOperations: state.operations.length,
    operations: [],
    askedAt: state.observedAt,
  }
  return holdOf({ change, seen, rules: NO_RULES }, snapshot.takenAt)
}

/** Stands for the rules that only the apply loop knows. */
const NO_RULES: ChangeRules = {
  stoppedBy: undefined,
  policy: undefined,
  rungs: undefined,
  use: undefined,
  isKeyRefused: false,
  shortenedAt: undefined,
  siblings: undefined,
  arrival: () => ratio(0),
}

/**
 * Whether a change will be sent before its deadline. The first of these that applies is the answer:
 * 1. `unknown` where a person must do something first;
 * 2. `no` where a freeze, a hold or a window keeps it until the deadline or has no end in sight;
 * 3. `unknown` where such a hold ends before, and no slot was found after it;
 * 4. whether the compute is likely to let it go.
 */
function likelyInTime(
  snapshot: Snapshot,
  change: Change,
  { hold, slot }: Pick<PlanState, 'hold' | 'slot'>,
): PlanJson['likely_in_time'] {
  if (hold && isEndedByPerson(hold)) return 'unknown'
  if (hold && (outlasts(hold, change.deadline) || isEndless(hold))) return 'no'
  return hold && isTimed(hold) && !slot ? 'unknown' : likelyLetGo(snapshot, change)
}

/** Whether a change that waits for a suspension will see one: it has seen some, or is suspended. A policy may not wait for one. */
function likelyLetGo(snapshot: Snapshot, { kind, when, ref }: Change): PlanJson['likely_in_time'] {
  if (!restartsCompute(kind)) return 'yes'
  const view = viewOfRef(snapshot, ref)
  if (!view) return 'unknown'
  const { state, ledger } = view
  // a suspended compute is restarted by its next start alone
  if (state.shown === 'idle') return kind === 'restart' ? 'unknown' : 'yes'
  if (when === 'now') return 'yes'
  if (state.delay === 'never') return when === 'policy' ? 'unknown' : 'no'
  return ledger.counters.suspends > 0 ? 'yes' : 'unknown'
}
