// Changes that policies decide, after each pass: open recommendations become changes without a request of a person.
/* oxlint-disable no-await-in-loop -- few computes, one commit after the other */
import type { Logger } from 'pino'
import { barredUntil } from '../../../decide/barred.ts'
import { stepKey } from '../../../decide/steps.ts'
import { decide, whyNotMade, type Candidate } from '../../../decide/decide.ts'
import { policyDecision } from '../../../decide/policy-decision.ts'
import type { DecidedTarget, NotMadeBecause, PolicyDecision } from '../../../model/output/policy-decision.ts'
import type {
  AccountView,
  ComputeView,
  OpenRecommendation,
  Snapshot,
} from '../../../model/output/snapshot.ts'
import type { Brakes } from '../../../model/policy/brakes.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import type { Window } from '../../../calendar/window.ts'
import type { Budget } from '../../../model/policy/budget.ts'
import type { Policies } from '../../../model/policy/policies.ts'
import { isOfPerson } from '../../../model/policy/hands-off.ts'
import { projectTargetOf } from '../../../model/policy/selector.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { largestCu, type TargetRef } from '../../../model/service/compute.ts'
import { sumOf } from '../../../std/sum.ts'
import { existingComputes } from '../targets.ts'
import { createSteps, type AccountSteps } from '../steps/steps.ts'
import {
  hasOpenChange,
  isUnderWay,
  targetOf,
  type StepSources,
  type WantedStep,
} from '../steps/wanted-steps.ts'
import { demote, endOfGone, isEngagedOn, setFleetBrake, waitingRestarts } from '../brakes/policy-brakes.ts'
import type { CommandSources } from '../commands.ts'
import { createForeignWatch } from '../foreign/foreign-watch.ts'
import { reappliedIn, recommendationsOf, type ReappliedById } from '../foreign/reapply.ts'
import { isFrom } from '../new-change.ts'
import { endUnwanted, proposeAsked } from './end-unwanted.ts'
import { createMaker } from './make-changes.ts'

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
  const { journal, config, runnerOf, clock, log } = sources
  const make = createMaker(sources)
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
      isOfPerson: isOfPerson({ sizing: to.sizing, autosuspendDelay: to.delay }, changes, now),
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

  const proposeSources = (account: string) => ({
    ...runnerOf(account),
    policyOf: config().policies.changesOf,
  })

  /** Without policies that decide there is nothing to hold, and nothing to set again; what was set for a time is put back. */
  async function decideNothing(snapshot: Snapshot, account: string): Promise<void> {
    const { storedBrakes, watchBreaker } = runnerOf(account)
    await storedBrakes.end('fleet', 'no policy makes changes')
    await watchBreaker()
    if (config().policies.alertsOfForeignChanges)
      await foreignWatch.look(account, existingComputes(snapshot, account), { policyOf, mayBrake: false })
    await proposeAsked(snapshot, account, { ...proposeSources(account), isNearlySpent: () => false })
    if (await settingSteps.hasAny(account)) await make.putBacks(await settingSteps.of(snapshot, account))
  }

  async function decideAccount(snapshot: Snapshot, account: string): Promise<void> {
    const views = existingComputes(snapshot, account)
    const { storedBrakes, watchBreaker } = runnerOf(account)
    await watchBreaker()
    await demote(storedBrakes, snapshot, account)
    await endOfGone(storedBrakes, views)
    await endUnwanted(sources, snapshot, { account, views })
    const overwritten = await foreignWatch.look(account, views, { policyOf, mayBrake: true })
    const again = await reappliedIn(sources, views, overwritten)
    const steps = await settingSteps.of(snapshot, account)
    await proposeAsked(snapshot, account, {
      ...proposeSources(account),
      isNearlySpent: steps.isNearlySpent,
    })
    const wanted = new Map(steps.wanted.map((step) => [stepKey(step), step]))
    wantedSteps.set(
      account,
      steps.wanted.filter((step) => !isUnderWay(step)),
    )
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
      if (step) await make.ofStep(step, steps, isProposed)
      else if (policy && reapplied) await make.again(reapplied, { policy, isProposed })
      else if (policy && (await make.ofRecommendation(snapshot, id, { policy, isProposed }))) made.add(id)
    }
    await make.putBacks(steps)
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
    /** Never rejects. Without policies that decide it looks for what takes changes back, and once for policies that match nothing. */
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

/** Whether it allows more CU. */
const isLarger = ({ from, to }: OpenRecommendation): boolean =>
  from.sizing !== undefined && to.sizing !== undefined && largestCu(to.sizing) > largestCu(from.sizing)
