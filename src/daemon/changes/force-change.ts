// A person lets one change of a policy go although no window allows it, and brakes hold it.
import { isEnded, type Change } from '../../model/policy/change.ts'
import { toIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { holdJson } from '../../outputs/text/change-json.ts'
import { holdLine } from '../../outputs/text/change-text.ts'
import { ok, type Result } from '../../std/result.ts'
import type { Commanded } from './commands.ts'
import type { ChangeSources } from './list-changes.ts'
import { refuseCommand, type CommandProblem } from './targets.ts'

type NewForce = Readonly<{ until: Instant; reason: string; by: string }>

/**
 * Until a time a change of a policy waits for no window and passes the brakes. Everything else holds it as before: it interrupts no session.
 * Refused, with what it is, where the kill switch, a freeze, a hold or a denied window stops the change.
 */
export async function forceChange(
  { runnerOf, killSwitch, log }: Pick<ChangeSources, 'runnerOf' | 'killSwitch' | 'log'>,
  change: Change,
  { until, reason, by }: NewForce,
): Promise<Result<Commanded, CommandProblem>> {
  const { id, ref } = change
  const { placedHolds, policyHold, now } = runnerOf(ref.account)
  const problem = notForced(change)
  if (problem !== undefined) return refuseCommand(409, problem)
  if (until <= now()) return refuseCommand(400, `until: expected a time after now, got ${toIso(until)}`)
  const engagedBy = killSwitch.engagedBy()
  if (engagedBy.length > 0)
    return refuseCommand(
      409,
      `change ${id} is stopped: the kill switch is engaged by ${engagedBy.join(' and ')}`,
    )
  const hold = policyHold(change, true)
  if (hold) return refuseCommand(409, `change ${id} is stopped: ${holdLine(holdJson(hold))}`)
  await placedHolds.force({ changeId: id, reason, by, forcedAt: now(), until })
  log.info(
    { change: id, endpointId: ref.endpointId, by, until: toIso(until), reason },
    'a person forces a change',
  )
  return ok({ change, note: undefined })
}

/** Why nobody can force it. */
function notForced({ id, state, when, origin }: Change): string | undefined {
  if (isEnded(state)) return `change ${id} has ended: ${state.at}, ${state.because}`
  if (state.at === 'proposed') return `change ${id} waits for an approval: approve it first`
  if (state.at !== 'scheduled') return `the request of change ${id} was written already`
  return when === 'policy' ? undefined : `change ${id} waits for no window: ${origin.name} asked for it`
}
