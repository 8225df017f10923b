// Changes that policies decide, after each pass: open recommendations become changes without a request of a person.
/* oxlint-disable no-await-in-loop -- few computes, one commit after the other */
import type { Logger } from 'pino'
import { changeEvents } from '../../apply/events.ts'
import { barredUntil } from '../../decide/barred.ts'
import { stepKey } from '../../decide/steps.ts'
import { decide, whyNotMade, type Candidate } from '../../decide/decide.ts'
import { policyDecision } from '../../decide/policy-decision.ts'
import type { DecidedTarget, NotMadeBecause, PolicyDecision } from '../../model/output/policy-decision.ts'
import type { AccountView, ComputeView, OpenRecommendation, Snapshot } from '../../model/output/snapshot.ts'
import type { Brakes } from '../../model/policy/brakes.ts'
import type { Change } from '../../model/policy/change.ts'
import type { ChangePolicy } from '../../model/policy/change-policy.ts'
import type { Window } from '../../calendar/window.ts'
import type { Budget } from '../../model/policy/budget.ts'
import type { Policies } from '../../model/policy/policies.ts'
import { projectTargetOf } from '../../model/policy/selector.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { addChange } from '../../model/ports/journal.ts'
import { largestCu, type TargetRef } from '../../model/service/compute.ts'
import { after } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { existingComputes } from './targets.ts'
import { createSteps } from './steps/steps.ts'
import {
  changeOfStep,
  hasOpenChange,
  targetOf,
  type StepSources,
  type WantedStep,
} from './steps/wanted-steps.ts'
import { demote, endOfGone, isEngagedOn, setFleetBrake, waitingRestarts } from './brakes/policy-brakes.ts'
import type { CommandSources } from './commands.ts'
import { createForeignWatch } from './foreign/foreign-watch.ts'
import {
  reappliedIn,
  reapplyingChange,
  recommendationsOf,
  type Reapplied,
  type ReappliedById,
} from './foreign/reapply.ts'
import { isFrom, newChange, scheduledAt } from './new-change.ts'
import { planOfRecommendation, readRecommendation } from './recommended.ts'

type DecidedSources = Omit<CommandSources, 'snapshot' | 'log' | 'history'> &
  Readonly<{
    history: CommandSources['history'] & StepSources['history']
    config: () => Readonly<{
      policies: Policies
      brakes: Brakes
      budgets: readonly Budget[]
      windows: ReadonlyMap<string, Window>
    }>
    clock: Pick<Clock, 'yield'>
    log: Pick<Logger, 'info' | 'warn' | 'error'>
  }>

/** Newest changes of a compute in which those of a recommendation are looked for. */
const MANY = 200

export function createDecidedChanges(sources: DecidedSources) {
  const { journal, config, runnerOf, random, clock, log } = sources
  const foreignWatch = createForeignWatch(sources)
  /** Recommendations of which a change was made, as far as they were looked up. */
  const made = new Set<string>()
  /** Policies of which those that match nothing were named. */
  let matched: Policies | undefined
  const settingSteps = createSteps(sources)
  /** By account and recommendation or step, as of the last decision. */
  const reasons = new Map<string, ReadonlyMap<string, NotMadeBecause>>()
  /** By account, as of the last decision. */
  const wantedSteps = new Map<string, readonly WantedStep[]>()

  /** By account, computes with a hard budget that is nearly spent, as of the last decision. */
  const nearlySpent = new Map<string, ReadonlySet<string>>()

  /** What earlier changes of the compute or project say. */
  const earlierOf = async (ref: TargetRef, { id, to }: Pick<OpenRecommendation, 'id' | 'to'>) => {
    await clock.yield()
    const changes = await journal.changes(ref.account, { target: ref, count: MANY })
    const wasMade = changes.some(({ origin }) => isFrom(origin, id))
    if (wasMade) made.add(id)
    const now = runnerOf(ref.account).now()
    return {
      wasMade,
      isBarred: to.sizing !== undefined && barredUntil(to.sizing, changes, now) !== undefined,
    }
  }

  async function candidatesOf(view: ComputeView, policy: ChangePolicy, { steps, again }: Asked) {
    const { identity, advice = [] } = view
    const candidates: Candidate[] = []
    const { storedBrakes } = runnerOf(identity.ref.account)
    for (const recommendation of [...advice, ...recommendationsOf(view, again)]) {
      const { id, kind } = recommendation
      const isAgain = again.has(id)
      const candidate: Candidate = {
        id,
        kind,
        policy,
        hasOpenChange: hasOpenChange(view, kind),
        wasMade: !isAgain && made.has(id),
        isBarred: false,
        isDemoted: isEngagedOn(storedBrakes, 'demoted', kind),
        isContested: isEngagedOn(storedBrakes, 'controller', identity.ref.endpointId),
        heldBy: steps.heldBy(view, kind),
        needsApproval: isLarger(recommendation) && steps.isNearlySpent(targetOf(view)),
      }
      // the journal is read only for what would become a change
      const earlier = whyNotMade(candidate) ? {} : await earlierOf(identity.ref, recommendation)
      candidates.push({ ...candidate, ...earlier, ...(isAgain && { wasMade: false }) })
    }
    return candidates
  }

  async function make(
    snapshot: Snapshot,
    id: string,
    { policy, isProposed }: Readonly<{ policy: ChangePolicy; isProposed: boolean }>,
  ): Promise<void> {
    const found = await readRecommendation(sources, snapshot, id)
    const plan = found && planOfRecommendation(snapshot, found, { when: 'policy', runnerOf })
    // the compute is not as it was: the next evaluation recommends anew
    if (!found || !plan?.ok) return
    const at = runnerOf(found.ref.account).now()
    const change: Change = {
      ...newChange(plan.value, { random, now: at, until: after(at, policy.restart.maxWait) }),
      origin: { by: 'policy', id, hash: found.hash, name: policy.path ?? 'mode' },
      promised: found.saving,
      reason: `recommendation ${id}`,
      state: isProposed ? { at: 'proposed' } : scheduledAt(at, undefined),
    }
    if (await add(change)) made.add(id)
  }

  async function makeAgain(
    reapplied: Reapplied,
    { policy, isProposed }: Readonly<{ policy: ChangePolicy; isProposed: boolean }>,
  ): Promise<void> {
    const runner = runnerOf(reapplied.view.identity.ref.account)
    const change = reapplyingChange(reapplied, { policy, isProposed, runner, random })
    if (change) await add(change)
  }

  /** Whether it was stored: somebody may have asked for one meanwhile. */
  async function add(change: Change): Promise<boolean> {
    const { store, now, send, wake } = runnerOf(change.ref.account)
    const events = changeEvents(change, change.state, now())
    const added = await addChange(store, change, { at: now(), events })
    if (!added.ok) return false
    const { id, ref, reason } = change
    log.info({ change: id, ...ref, reason }, 'a change was made without a request')
    await send(events)
    wake()
    return true
  }

  async function makeStep(step: WantedStep, steps: AccountSteps, isProposed: boolean): Promise<void> {
    const change = changeOfStep(step, sources, isProposed)
    if (change && (await add(change))) steps.add(change)
  }

  const policyOf = (view: ComputeView): ChangePolicy => config().policies.changesOf(targetOf(view))

  /** Recommendations that are open, or wanted again, of computes whose policy has levers. */
  async function candidatesIn(views: readonly ComputeView[], asked: Asked) {
    const candidates: Candidate[] = []
    const wanted = new Set([...asked.again.values()].map(({ view }) => view))
    for (const view of views) {
      const policy = view.advice || wanted.has(view) ? policyOf(view) : undefined
      if (policy && policy.levers.length > 0) candidates.push(...(await candidatesOf(view, policy, asked)))
    }
    return candidates
  }

  /** Recommended defaults of projects whose policy has levers: no budget asks for them, and no size changes. */
  async function candidatesOfProjects(account: AccountView | undefined) {
    const candidates: Candidate[] = []
    const advised = account?.projects?.filter(({ advice = [] }) => advice.length > 0) ?? []
    for (const { ref, project, advice = [], changes = [] } of advised) {
      const policy = config().policies.changesOf(projectTargetOf(ref.account, project))
      if (policy.levers.length === 0) continue
      for (const recommendation of advice) {
        const { id, kind } = recommendation
        const candidate: Candidate = {
          id,
          kind,
          policy,
          hasOpenChange: changes.length > 0,
          wasMade: made.has(id),
          isBarred: false,
          isDemoted: isEngagedOn(runnerOf(ref.account).storedBrakes, 'demoted', kind),
          isContested: false,
          heldBy: undefined,
          needsApproval: false,
        }
        const earlier = whyNotMade(candidate) ? {} : await earlierOf(ref, recommendation)
        candidates.push({ ...candidate, ...earlier })
      }
    }
    return candidates
  }

  /** Without policies that decide there is nothing to hold, and nothing to set again. */
  async function decideNothing(snapshot: Snapshot, account: string): Promise<void> {
    const { storedBrakes, watchBreaker } = runnerOf(account)
    await storedBrakes.end('fleet', 'no policy makes changes')
    await watchBreaker()
    if (config().policies.alertsOfForeignChanges)
      await foreignWatch.look(account, existingComputes(snapshot, account), { policyOf, mayBrake: false })
  }

  async function decideAccount(snapshot: Snapshot, account: string): Promise<void> {
    const views = existingComputes(snapshot, account)
    const { storedBrakes, watchBreaker } = runnerOf(account)
    await watchBreaker()
    await demote(storedBrakes, snapshot, account)
    await endOfGone(storedBrakes, views)
    const overwritten = await foreignWatch.look(account, views, { policyOf, mayBrake: true })
    const again = await reappliedIn(sources, views, overwritten)
    const steps = await settingSteps.of(snapshot, account)
    const wanted = new Map(steps.wanted.map((step) => [stepKey(step), step]))
    wantedSteps.set(account, steps.wanted)
    const spent = steps.nearlySpentOf(views)
    nearlySpent.set(account, new Set(spent.map(({ identity }) => identity.ref.endpointId)))
    const candidates = [
      ...steps.candidates,
      ...(await candidatesIn(views, { steps, again })),
      ...(await candidatesOfProjects(snapshot.accounts.find((view) => view.account === account))),
    ]
    const decided = decide(candidates, {
      computes: views.length,
      waiting: sumOf(views, waitingRestarts),
      brake: storedBrakes.of('fleet'),
      brakes: config().brakes,
    })
    const { changes, held } = decided
    reasons.set(account, new Map(held.map(({ id, because }) => [id, because])))
    await setFleetBrake(storedBrakes, decided, views.length)
    const byId = new Map(candidates.map((candidate) => [candidate.id, candidate.policy]))
    for (const { id, state } of changes) {
      const [policy, step] = [byId.get(id), wanted.get(id)]
      const isProposed = state === 'proposed'
      const reapplied = again.get(id)
      if (step) await makeStep(step, steps, isProposed)
      else if (policy && reapplied) await makeAgain(reapplied, { policy, isProposed })
      else if (policy) await make(snapshot, id, { policy, isProposed })
    }
    for (const change of await steps.toPutBack()) if (await add(change)) steps.add(change)
  }

  /** Once for each configuration, as soon as all computes are known. */
  function warnOfUnmatched({ accounts, computes }: Snapshot): void {
    const { policies } = config()
    const isWhole = accounts.every(({ listedAt, backlog }) => listedAt !== undefined && backlog.unseen === 0)
    if (policies === matched || !isWhole) return
    matched = policies
    const targets = computes.filter(({ state }) => !state.isDeleted).map(targetOf)
    for (const policy of policies.unmatchedBy(targets)) log.warn({ policy }, 'a policy matches no compute')
  }

  return {
    /** Never rejects. Without policies that decide it looks at no compute, but once to name those that match nothing. */
    decide: async (snapshot: Snapshot): Promise<void> => {
      warnOfUnmatched(snapshot)
      const { decidesChanges } = config().policies
      if (!decidesChanges) {
        reasons.clear()
        wantedSteps.clear()
        nearlySpent.clear()
      }
      try {
        for (const { account } of snapshot.accounts)
          await (decidesChanges ? decideAccount : decideNothing)(snapshot, account)
      } catch (err) {
        log.error({ err }, 'policies could not decide about recommendations')
      }
    },
    foreignWatch,
    nearlySpent: (account: string): ReadonlySet<string> => nearlySpent.get(account) ?? new Set(),
    previewBudget: settingSteps.preview,
    putBacksIn: settingSteps.putBacksIn,
    /** Undefined where the policy says nothing of changes without a request. */
    decisionOf: ({ target, advice }: DecidedTarget): PolicyDecision | undefined => {
      const policy = config().policies.changesOf(target)
      if (policy.levers.length === 0 && !policy.managedBy) return undefined
      const { account, endpointId } = target.ref
      const steps = (wantedSteps.get(account) ?? []).filter(({ ref }) => ref.endpointId === endpointId)
      return policyDecision(policy, { advice, steps, reasons: reasons.get(account) ?? new Map() })
    },
  }
}

/** Besides recommendations that were never made a change. */
type Asked = Readonly<{ steps: AccountSteps; again: ReappliedById }>
type AccountSteps = Awaited<ReturnType<ReturnType<typeof createSteps>['of']>>

/** Whether it allows more CU. */
const isLarger = ({ from, to }: OpenRecommendation): boolean =>
  from.sizing !== undefined && to.sizing !== undefined && largestCu(to.sizing) > largestCu(from.sizing)
