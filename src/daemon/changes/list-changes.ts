// Changes and plans as JSON, for the API and the command line.
import type { Config } from '../../config/load.ts'
import { holdOf, type ChangeRules } from '../../apply/hold.ts'
import type { PolicyDecision } from '../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import {
  isEnded,
  restartsCompute,
  type Change,
  type AskedMoment,
  type Hold,
} from '../../model/policy/change.ts'
import { sumOfParts } from '../../model/policy/saved.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { DEFAULT_AUTOSUSPEND_DELAY, targetKey, type ComputeRef } from '../../model/service/compute.ts'
import { after, instant, DAY, ratio, type Instant } from '../../model/units.ts'
import { changeHistoryJson, changeJson, planJson } from '../../outputs/text/change-json.ts'
import type {
  ChangeHistoryJson,
  ChangeJson,
  ChangesJson,
  ComputeChangesJson,
  PlanJson,
  PlansJson,
} from '../../outputs/text/change-schema.ts'
import { ok, type Result } from '../../std/result.ts'
import { targetsNamed } from '../history/named-projects.ts'
import type { CommandSources } from './commands.ts'
import { DEFAULT_WAIT } from './new-change.ts'
import { openRecommendations, planOfRecommendation, readRecommendation } from './recommended.ts'
import type { ChangeRunner } from './change-runner.ts'
import type { PlacedHolds } from './placed-holds.ts'
import type { KillSwitch } from './kill-switch.ts'
import {
  changeContextOf,
  refuseCommand,
  restingOnDefaults,
  viewOfRef,
  type CommandProblem,
} from './targets.ts'
import type { Recommendation } from '../../model/policy/recommendation.ts'
import type { ChangePlan } from '../../apply/plan.ts'

export type ChangeSources = CommandSources &
  Readonly<{
    clock: Pick<Clock, 'now'>
    config: () => Pick<Config, 'mode' | 'windows' | 'changes'>
    killSwitch: KillSwitch
  }>

/** Most changes of one answer. */
const MOST = 1000

export type ChangesQuery = Readonly<{
  account: string
  compute: string | undefined
  /** Changes that ended more than 30 days ago, too. */
  all: boolean
}>

export const DEFAULT_DAYS = 30

/** What lists of changes need; without a daemon nothing holds a change that anybody knows of. */
export type JournalSources = Pick<ChangeSources, 'journal' | 'clock'> &
  Readonly<{
    runnerOf: (
      account: string,
    ) => Pick<ChangeRunner, 'holdOf'> & { readonly placedHolds: Pick<PlacedHolds, 'forceOf'> }
    /** Absent without a daemon. */
    decisionOf?: (view: ComputeView) => PolicyDecision | undefined
  }>

export async function listChanges(
  sources: JournalSources,
  snapshot: Snapshot,
  { account, compute, all }: ChangesQuery,
): Promise<Result<ChangesJson, CommandProblem>> {
  const { journal, clock } = sources
  const refs = compute === undefined ? [undefined] : targetsNamed(snapshot, compute)
  if (refs.length === 0) return refuseCommand(404, `compute: no compute is called ${compute}`)
  const since = all ? undefined : instant(clock.now() - DEFAULT_DAYS * DAY)
  const lists = refs.map((ref) => journal.changes(account, { target: ref, since, count: MOST }))
  const changes = (await Promise.all(lists)).flat().toSorted((a, b) => b.createdAt - a.createdAt)
  return ok({ schema_version: 2, account, changes: await changesJson(sources, snapshot, changes) })
}

/** None of a change that has ended. */
const holdNow = (runnerOf: JournalSources['runnerOf'], { id, ref, state }: Change) =>
  isEnded(state) ? undefined : runnerOf(ref.account).holdOf(id)

export async function oneChange(
  { runnerOf, journal }: Pick<JournalSources, 'runnerOf' | 'journal'>,
  snapshot: Snapshot,
  change: Change,
): Promise<ChangeJson> {
  const approvedBy = await readApprover(journal, change)
  const forced = isEnded(change.state)
    ? undefined
    : runnerOf(change.ref.account).placedHolds.forceOf(change.id)
  const progress = {
    hold: holdNow(runnerOf, change),
    approvedBy,
    forced,
    saved: await readSaved(journal, change),
  }
  return changeJson(change, changeContextOf(snapshot, change.ref), progress)
}

export const changesJson = (
  sources: Pick<JournalSources, 'runnerOf' | 'journal'>,
  snapshot: Snapshot,
  changes: readonly Change[],
): Promise<ChangeJson[]> => Promise.all(changes.map((change) => oneChange(sources, snapshot, change)))

/** Undefined where nothing was counted. */
export const readSaved = async (
  journal: Pick<Journal, 'savedParts'>,
  { id, ref, state }: Change,
): Promise<ReturnType<typeof sumOfParts>> =>
  state.at === 'done' ? sumOfParts(await journal.savedParts(ref.account, { changeId: id })) : undefined

/** After the request was sent, only the history names who approved it. */
export async function readApprover(
  journal: Pick<Journal, 'changeEvents'>,
  { id, ref, origin, state }: Change,
): Promise<string | undefined> {
  if (origin.by === 'recommendation') return origin.name
  if (state.at === 'proposed') return undefined
  if ('approvedBy' in state) return state.approvedBy
  const events = await journal.changeEvents(ref.account, id)
  return events.flatMap((event) => ('approvedBy' in event.state ? (event.state.approvedBy ?? []) : [])).at(-1)
}

/** Changes of a compute that are looked through. */
const MANY_OF_COMPUTE = 200

/** Open ones, and the last `ended` with their history; the newest first. */
export async function readComputeChanges(
  sources: JournalSources | undefined,
  snapshot: Snapshot,
  { ref, ended }: Readonly<{ ref: ComputeRef; ended: number }>,
): Promise<ComputeChangesJson> {
  if (!sources) return { open: [], ended: [] }
  const changes = await sources.journal.changes(ref.account, { target: ref, count: MANY_OF_COMPUTE })
  const last = changes
    .toSorted((one, other) => endOf(other) - endOf(one))
    .filter(({ state }) => isEnded(state))
    .slice(0, ended)
  const open = changes.filter(({ state }) => !isEnded(state))
  return {
    open: await changesJson(sources, snapshot, open),
    ended: await Promise.all(last.map((change) => changeHistory(sources, snapshot, change))),
  }
}

const endOf = ({ state }: Change) => (isEnded(state) ? state.endedAt : 0)

export async function changeHistory(
  sources: JournalSources,
  snapshot: Snapshot,
  change: Change,
): Promise<ChangeHistoryJson> {
  const events = await sources.journal.changeEvents(change.ref.account, change.id)
  return changeHistoryJson(await oneChange(sources, snapshot, change), events)
}

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
  })
}

async function plansOf(
  sources: ChangeSources,
  snapshot: Snapshot,
  { name, when }: Readonly<{ name: string | undefined; when: AskedMoment }>,
): Promise<Result<PlanJson[], CommandProblem>> {
  const { journal, runnerOf } = sources
  const lists = snapshot.accounts.map(({ account }) => journal.openChanges(account))
  const open = (await Promise.all(lists)).flat()
  const planOfOpen = (change: Change) => {
    const { holdOf: holdSeen, policyHold } = runnerOf(change.ref.account)
    return planOf(snapshot, change, { id: change.id, hold: holdSeen(change.id) ?? policyHold(change) })
  }
  if (name === undefined) return ok(open.map(planOfOpen))
  const change = open.find(({ id }) => id === name)
  if (change) return ok([planOfOpen(change)])
  const planOfOne = (one: Recommendation): Result<PlanJson, CommandProblem> => {
    const plan = planOfRecommendation(snapshot, one, { when, runnerOf })
    if (!plan.ok) return plan
    const { now, policyHold } = runnerOf(one.ref.account)
    const proposed = proposedChange(plan.value, one, now())
    return ok(planOf(snapshot, proposed, { id: undefined, hold: policyHold(proposed) }))
  }
  const recommendation = await readRecommendation(sources, snapshot, name)
  if (recommendation) {
    const plan = planOfOne(recommendation)
    return plan.ok ? ok([plan.value]) : plan
  }
  const refs = targetsNamed(snapshot, name)
  if (refs.length === 0)
    return refuseCommand(404, `no compute, recommendation or open change is called ${name}`)
  const keys = new Set(refs.map(targetKey))
  const proposals = (await openRecommendations(sources, refs)).map(planOfOne)
  return ok([
    ...open.filter(({ ref }) => keys.has(targetKey(ref))).map(planOfOpen),
    ...proposals.flatMap((plan) => (plan.ok ? [plan.value] : [])),
  ])
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

export function planOf(
  snapshot: Snapshot,
  change: Change,
  {
    id,
    hold,
  }: Readonly<{ id: string | undefined; hold: (Hold & Readonly<{ since?: Instant }>) | undefined }>,
): PlanJson {
  const context = changeContextOf(snapshot, change.ref)
  return planJson({
    change,
    id,
    context,
    hold: hold ?? expectedHold(snapshot, change),
    atOnce: restingOnDefaults(snapshot, change.ref).map(({ identity }) => identity),
    likelyInTime: likelyInTime(snapshot, change),
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

/** Whether a change that waits for a suspension will see one: it has seen some, or is suspended. */
function likelyInTime(snapshot: Snapshot, { kind, when, ref }: Change): PlanJson['likely_in_time'] {
  if (!restartsCompute(kind)) return 'yes'
  const view = viewOfRef(snapshot, ref)
  if (!view) return 'unknown'
  const { state, ledger } = view
  // a suspended compute is restarted by its next start alone
  if (state.shown === 'idle') return kind === 'restart' ? 'unknown' : 'yes'
  if (when === 'now') return 'yes'
  if (state.delay === 'never') return 'no'
  return ledger.counters.suspends > 0 ? 'yes' : 'unknown'
}
