// Commands of people about changes: ask for one, approve, reject, cancel. A command that is refused changed nothing.
import type { Logger } from 'pino'
import type { ChangeAsk } from '../../apply/asked-settings.ts'
import { changeEvents } from '../../apply/events.ts'
import { afterVerdict } from '../../apply/next-step.ts'
import { comparedDefaultsOf, isSamePlan, planChange, type ChangePlan } from '../../apply/plan.ts'
import { changeText, hasSettings, settingsLike, settingsText } from '../../apply/settings.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import {
  isEnded,
  isUnderJudgement,
  type AskedMoment,
  type Change,
  type ChangeState,
} from '../../model/policy/change.ts'
import type { Random } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { addChange, replaceChange, transition, type Journal } from '../../model/ports/journal.ts'
import type { CommitRefusal } from '../../model/ports/store.ts'
import { isComputeRef, targetKey } from '../../model/service/compute.ts'
import type { Instant } from '../../model/units.ts'
import { ok, type Result } from '../../std/result.ts'
import { digest } from '../advice/evaluate.ts'
import type { ChangeRunner } from './change-runner.ts'
import { isFrom, newChange, scheduledAt } from './new-change.ts'
import { planOfRecommendation, readRecommendation } from './recommended.ts'
import {
  defaultsTargetOf,
  refuseCommand,
  refusePlan,
  planTargetOf,
  viewNamed,
  viewOfRef,
  type CommandProblem,
} from './targets.ts'

export type CommandSources = Readonly<{
  snapshot: () => Snapshot | undefined
  journal: Journal
  history: Pick<History, 'recommendations'>
  random: Random
  runnerOf: (account: string) => ChangeRunner
  log: Pick<Logger, 'info'>
}>

/** What was so already; undefined when the command changed something. */
export type Commanded = Readonly<{ change: Change; note: string | undefined }>
type Answer = Promise<Result<Commanded, CommandProblem>>

export type NewChange = ChangeAsk &
  Readonly<{
    compute: string
    account: string | undefined
    until: Instant | undefined
    reason: string
    /** Whether the change waits for an approval. */
    propose: boolean
  }>

export type Approval = Readonly<{ planHash: string; when: AskedMoment | undefined }>

export type ChangeCommands = ReturnType<typeof createChangeCommands>

export function createChangeCommands(sources: CommandSources) {
  const { journal, log, runnerOf, random } = sources

  async function create(snapshot: Snapshot, asked: NewChange, by: string): Answer {
    const view = viewNamed(snapshot, asked.compute, asked.account)
    if (!view.ok) return view
    const runner = runnerOf(view.value.identity.ref.account)
    const plan = planChange(planTargetOf(view.value, runner.limits()), asked, digest)
    if (!plan.ok) return refusePlan(plan.error)
    const now = runner.now()
    const change: Change = {
      ...newChange(plan.value, { random, now, until: asked.until }),
      origin: { by: 'person', name: by },
      reason: asked.reason,
      state: asked.propose ? { at: 'proposed' } : scheduledAt(now, undefined),
    }
    return refusedByMode(change) ?? add(change, by)
  }

  async function approveRecommendation(
    snapshot: Snapshot,
    id: string,
    approval: Approval & { readonly by: string },
  ): Answer {
    const found = await readRecommendation(sources, snapshot, id)
    if (!found) return refuseCommand(404, `no recommendation has the id ${id}`)
    const earlier = (await journal.changes(found.ref.account, { target: found.ref, count: MANY })).find(
      ({ origin, state }) => isFrom(origin, id) && (!isEnded(state) || state.at === 'done'),
    )
    if (earlier) return ok({ change: earlier, note: `it was approved already by ${earlier.origin.name}` })
    const { when = 'idle' } = approval
    const plan = planOfRecommendation(snapshot, found, { when, runnerOf })
    if (!plan.ok) return plan
    if (!isSamePlan(plan.value, approval.planHash))
      return refuseCommand(409, `plan_hash: the plan is now another one: ${planText(plan.value)}`)
    const runner = runnerOf(found.ref.account)
    const now = runner.now()
    const change: Change = {
      ...newChange(plan.value, { random, now, until: undefined }),
      origin: { by: 'recommendation', id, hash: found.hash, name: approval.by },
      promised: found.saving,
      reason: `recommendation ${id}`,
      state: scheduledAt(now, approval.by),
    }
    return refusedByMode(change) ?? add(change, approval.by)
  }

  async function approve(
    snapshot: Snapshot,
    change: Change,
    approval: Approval & { readonly by: string },
  ): Answer {
    const { state, id } = change
    if (isEnded(state)) return refuseCommand(409, `change ${id} has ended: ${state.at}, ${state.because}`)
    if (state.at !== 'proposed') return ok({ change, note: approvedText(change) })
    if (approval.when !== undefined && approval.when !== change.when)
      return refuseCommand(409, `when: the change was proposed with ${change.when}: ask for another one`)
    if (approval.planHash !== change.planHash)
      return refuseCommand(409, `plan_hash: it is not that of change ${id}, which is ${changeText(change)}`)
    const what = isComputeRef(change.ref) ? 'compute' : 'project'
    const target = comparedNow(snapshot, change)
    if (!target) return refuseCommand(409, `the ${what} of change ${id} is gone`)
    if (!hasSettings(target, change.before)) {
      const current = settingsText(settingsLike(change.before, target))
      return refuseCommand(
        409,
        `plan_hash: the plan is no longer true: it is ${changeText(change)}, and the ${what} has ${current} now`,
      )
    }
    return (
      refusedByMode(change) ??
      move(change, scheduledAt(runnerOf(change.ref.account).now(), approval.by), approval.by)
    )
  }

  /** Where the policy of the compute or project allows no changes; undefined where it does. */
  const refusedByMode = (change: Change) =>
    runnerOf(change.ref.account).policyHold(change)?.because === 'mode'
      ? refuseCommand(409, 'mode: that of the policy allows no changes')
      : undefined

  /** Settings as the last pass saw them; undefined where the compute or project is gone. */
  function comparedNow(snapshot: Snapshot, { ref }: Change) {
    const limits = runnerOf(ref.account).limits()
    if (isComputeRef(ref)) {
      const view = viewOfRef(snapshot, ref)
      return view && planTargetOf(view, limits)
    }
    const target = defaultsTargetOf(snapshot, ref, limits)
    return target && comparedDefaultsOf(target)
  }

  /** Ends a change whose request was not written. */
  async function end(
    change: Change,
    to: 'cancelled' | 'rejected',
    { by, reason }: Readonly<{ by: string; reason: string }>,
  ): Answer {
    const { state, id } = change
    if (isEnded(state))
      return state.at === to
        ? ok({ change, note: `it was ${to} already` })
        : refuseCommand(409, `change ${id} has ended: ${state.at}, ${state.because}`)
    if (state.at === 'applying' || state.at === 'verifying')
      return refuseCommand(409, `the request of change ${id} was written: nobody can call it back`)
    if (to === 'rejected' && state.at !== 'proposed')
      return refuseCommand(409, `change ${id} is ${state.at} and waits for no approval: cancel it`)
    const because = `by ${by}${reason === '' ? '' : `: ${reason}`}`
    return move(change, { at: to, because, endedAt: runnerOf(change.ref.account).now() }, by)
  }

  async function add(change: Change, by: string): Answer {
    const { store, now, send } = runnerOf(change.ref.account)
    const events = changeEvents(change, change.state, now())
    const added = await addChange(store, change, { at: now(), events })
    if (!added.ok) return replaceJudged(change, by)
    await send(events)
    return moved(added.value, by)
  }

  /** A change whose effect is judged makes way for that of a person. */
  async function replaceJudged(change: Change, by: string): Answer {
    const other = await openOneLike(change)
    if (!other || !isUnderJudgement(other.state)) return refuseCommand(409, whyNotAdded(other))
    const { store, now, send } = runnerOf(change.ref.account)
    const because = `${by} asked for ${changeText(change)}`
    const to = afterVerdict(other.state, { at: 'cancelled', because }, now())
    const events = [...changeEvents(other, to, now()), ...changeEvents(change, change.state, now())]
    const replaced = await replaceChange(store, { change: other, to, next: change }, { at: now(), events })
    if (!replaced.ok) return refuseCommand(409, CONFLICTS[replaced.error.kind])
    await send(events)
    return moved(change, by)
  }

  async function openOneLike({ ref, kind }: Change): Promise<Change | undefined> {
    const open = await journal.openChanges(ref.account)
    return open.find((one) => one.kind === kind && targetKey(one.ref) === targetKey(ref))
  }

  async function move(change: Change, to: ChangeState, by: string): Answer {
    const { store, now, send } = runnerOf(change.ref.account)
    const events = changeEvents(change, to, now())
    const done = await transition(store, { change, to }, { at: now(), events })
    if (!done.ok) return refuseCommand(409, CONFLICTS[done.error.kind])
    await send(events)
    return moved(done.value, by)
  }

  function moved(change: Change, by: string): Result<Commanded, CommandProblem> {
    const { id, ref, state } = change
    log.info({ change: id, ...ref, state: state.at, by }, 'a person changed the journal')
    runnerOf(ref.account).wake()
    return ok({ change, note: undefined })
  }

  return {
    create,
    approveRecommendation,
    approve,
    end,
    /** In any account. */
    findRecommendation: (snapshot: Snapshot, id: string) => readRecommendation(sources, snapshot, id),
    find: async (snapshot: Snapshot, id: string): Promise<Change | undefined> => {
      const found = snapshot.accounts.map(({ account }) => journal.change(account, id))
      return (await Promise.all(found)).find((change) => change !== undefined)
    },
  }
}

/** Newest changes of one compute that a command looks through. */
const MANY = 200

const CONFLICTS: Readonly<Record<CommitRefusal['kind'], string>> = {
  conflict: 'the change moved on meanwhile: look at it again',
  fenced: 'another daemon has taken over the store',
}

function whyNotAdded(other: Change | undefined): string {
  return other
    ? `the ${isComputeRef(other.ref) ? 'compute' : 'project'} has an open change of kind ${other.kind} already: ${other.id}, ${changeText(other)}; cancel it first`
    : 'the journal was changed meanwhile: try again'
}

const approvedText = ({ state, origin }: Change): string => {
  const by = 'approvedBy' in state ? state.approvedBy : undefined
  return by === undefined
    ? `it needs no approval: ${origin.name} asked for it`
    : `it was approved already by ${by}`
}

const planText = (plan: ChangePlan) => `${changeText(plan)}, plan hash ${plan.planHash}`
