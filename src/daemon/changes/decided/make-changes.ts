// Makes the changes that a decision asks for: of recommendations, of steps, of put-backs, and of values that are set again.
/* oxlint-disable no-await-in-loop -- few changes, one commit after the other */
import type { Logger } from 'pino'
import { changeEvents } from '../../../apply/events.ts'
import { afterVerdict } from '../../../apply/next-step.ts'
import { makesWay } from '../../../decide/policy-changes.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { isUnderJudgement, type Change, type EndedChange } from '../../../model/policy/change.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import { addChange, replaceChange } from '../../../model/ports/journal.ts'
import { after, type Instant } from '../../../model/units.ts'
import { reapplyingChange, type Reapplied } from '../foreign/reapply.ts'
import type { CommandSources } from '../commands.ts'
import { newChange, scheduledAt } from '../new-change.ts'
import { planOfRecommendation, readRecommendation } from '../recommended.ts'
import type { AccountSteps } from '../steps/steps.ts'
import { changeOfStep, type WantedStep } from '../steps/wanted-steps.ts'

type Decision = Readonly<{ policy: ChangePolicy; isProposed: boolean }>

type MakerSources = Pick<CommandSources, 'history' | 'runnerOf' | 'random'> &
  Readonly<{ log: Pick<Logger, 'info'> }>

export function createMaker(sources: MakerSources) {
  const { runnerOf, random, log } = sources

  /** Whether it was stored: somebody may have asked for one meanwhile. @param replaced open change of the same compute and kind */
  async function add(change: Change, replaced?: Change): Promise<boolean> {
    const { store, now, send, wake } = runnerOf(change.ref.account)
    const events = changeEvents(change, change.state, now())
    const options = { at: now(), events }
    const added = replaced
      ? await replaceChange(
          store,
          { change: replaced, to: replacedBy(replaced, change, now()), next: change },
          options,
        )
      : await addChange(store, change, options)
    if (!added.ok) return false
    const { id, ref, reason } = change
    log.info({ change: id, ...ref, reason }, 'a change was made without a request')
    await send(events)
    wake()
    return true
  }

  return {
    /** Whether it was made. */
    ofRecommendation: async (
      snapshot: Snapshot,
      id: string,
      { policy, isProposed }: Decision,
    ): Promise<boolean> => {
      const found = await readRecommendation(sources, snapshot, id)
      const plan = found && planOfRecommendation(snapshot, found, { when: 'policy', runnerOf })
      // the compute is not as it was: the next evaluation recommends anew
      if (!found || !plan?.ok) return false
      const at = runnerOf(found.ref.account).now()
      return add({
        ...newChange(plan.value, { random, now: at, until: after(at, policy.restart.maxWait) }),
        origin: { by: 'policy', id, hash: found.hash, name: policy.path ?? 'mode' },
        promised: found.saving,
        reason: `recommendation ${id}`,
        state: isProposed ? { at: 'proposed' } : scheduledAt(at, undefined),
      })
    },
    again: async (reapplied: Reapplied, { policy, isProposed }: Decision): Promise<void> => {
      const runner = runnerOf(reapplied.view.identity.ref.account)
      const change = reapplyingChange(reapplied, { policy, isProposed, runner, random })
      if (change) await add(change)
    },
    /** In place of an open change that a policy made of a recommendation. */
    ofStep: async (step: WantedStep, steps: AccountSteps, isProposed: boolean): Promise<void> => {
      const change = changeOfStep(step, sources, isProposed)
      if (change && (await add(change, replaceable(step)))) steps.add(change)
    },
    putBacks: async (steps: AccountSteps): Promise<void> => {
      for (const change of await steps.toPutBack()) if (await add(change)) steps.add(change)
    },
  }
}

const replaceable = ({ view, kind }: Readonly<{ view: ComputeView; kind: string }>): Change | undefined =>
  view.changes?.map(({ change }) => change).find((change) => change.kind === kind && makesWay(change))

function replacedBy({ state }: Change, { reason }: Change, endedAt: Instant): EndedChange {
  const ended = { at: 'cancelled', because: `makes way for a step: ${reason}` } as const
  return isUnderJudgement(state) ? afterVerdict(state, ended, endedAt) : { ...ended, endedAt }
}
