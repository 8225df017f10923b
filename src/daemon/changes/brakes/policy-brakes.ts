// Brakes that the decisions of policies engage and end.
/* oxlint-disable no-await-in-loop -- few kinds, one commit after the other */
import { isPutBack } from '../../../decide/brake-hold.ts'
import type { BreakerState } from '../../../decide/breaker.ts'
import type { Decided } from '../../../decide/decide.ts'
import { demotionOf } from '../../../decide/demoted.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { isEngaged } from '../../../model/policy/brakes.ts'
import { restartsCompute } from '../../../model/policy/change.ts'
import { CHANGE_LEVERS } from '../../../model/policy/change-policy.ts'
import type { StoredBrakes } from '../stored-brakes.ts'

/** @param subject kind of change, or id of a compute */
export const isEngagedOn = (
  storedBrakes: Pick<StoredBrakes, 'of'>,
  name: 'demoted' | 'controller',
  subject: string,
): boolean => {
  const brake = storedBrakes.of(name, subject)
  return brake !== undefined && isEngaged(brake)
}

/** Kinds whose savings did not come since a person gave them back. */
export async function demote(
  storedBrakes: StoredBrakes,
  { accounts }: Snapshot,
  account: string,
): Promise<void> {
  const promised = accounts.find((view) => view.account === account)?.advice?.promised
  for (const kind of CHANGE_LEVERS) {
    const givenBackAt = storedBrakes.of('demoted', kind)?.released?.at
    const because = demotionOf(promised?.get(kind) ?? [], givenBackAt)
    if (because !== undefined) await storedBrakes.engage({ name: 'demoted', subject: kind, because })
  }
}

/** Ends the brakes of computes that are gone. @param views that exist, of one account */
export async function endOfGone(storedBrakes: StoredBrakes, views: readonly ComputeView[]): Promise<void> {
  for (const { name, subject } of storedBrakes.current()) {
    const isGone = name === 'controller' && !views.some(({ identity }) => identity.ref.endpointId === subject)
    if (isGone) await storedBrakes.end(name, 'the compute is deleted', subject)
  }
}

/** @param breaker false: no policy makes changes */
export async function moveBreaker(storedBrakes: StoredBrakes, breaker: BreakerState | false): Promise<void> {
  if (!breaker) return storedBrakes.end('breaker', 'no policy makes changes')
  switch (breaker.kind) {
    case 'open':
      return storedBrakes.engage({ name: 'breaker', because: breaker.because })
    case 'over':
      return storedBrakes.openHalf('breaker')
    case 'half-open':
      return undefined
    case 'proven':
      return storedBrakes.end('breaker', `change ${breaker.by.id} was tried, and is done`)
    case 'closed':
      return storedBrakes.end('breaker', 'no change failed lately')
  }
}

export const setFleetBrake = (
  storedBrakes: StoredBrakes,
  { fleetBrake, restarts }: Decided,
  computes: number,
): Promise<void> => {
  if (fleetBrake === 'end') return storedBrakes.end('fleet', 'fewer computes are to be restarted')
  const because = `policies want to restart ${restarts} of ${computes} computes`
  return fleetBrake === 'engage'
    ? storedBrakes.engage({ name: 'fleet', because, count: restarts })
    : Promise.resolve()
}

/** Changes that policies want, restart the compute, and were not sent: without reverts and put-backs, which nobody has to allow. */
export const waitingRestarts = ({ changes = [] }: ComputeView): number =>
  changes.filter(
    ({ change }) =>
      change.when === 'policy' &&
      restartsCompute(change.kind) &&
      change.state.at === 'scheduled' &&
      change.origin.by !== 'revert' &&
      !isPutBack(change),
  ).length
