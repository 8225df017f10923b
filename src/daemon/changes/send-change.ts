// Request of a change, checked when it is written to the socket: rate limiter and connection pool may hold it for seconds.
import type { Change } from '../../model/policy/change.ts'
import type { Sent } from '../../apply/answers.ts'
import { MAX_LOOK_AGE } from '../../apply/next-step.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Service } from '../../model/ports/service.ts'
import { isComputeRef } from '../../model/service/compute.ts'
import type { Seconds } from '../../model/units.ts'
import { failed } from '../../std/result.ts'

type SendContext = Readonly<{
  clock: Pick<Clock, 'now' | 'monotonic'>
  service: Service
  /** Start of the look that decided, on the monotonic clock. */
  lookedOn: Seconds
  /** Kill switch, mode, deadline, end of the process. */
  mayStillSend: () => boolean
}>

export async function sendChange(change: Change, context: SendContext): Promise<Sent> {
  const { clock, service, lookedOn, mayStillSend } = context
  const wallOffset = clock.now() - 1000 * clock.monotonic()
  let isWithdrawn = false
  const maySend = () => {
    const isFresh = 1000 * (clock.monotonic() - lookedOn) <= MAX_LOOK_AGE
    const isSteady = Math.abs(clock.now() - 1000 * clock.monotonic() - wallOffset) <= MAX_LOOK_AGE
    isWithdrawn = !isFresh || !isSteady || !mayStillSend()
    return !isWithdrawn
  }
  const answer = await request(service.at('apply', maySend), change)
  return isWithdrawn ? failed({ kind: 'withdrawn' }) : answer
}

function request(service: Service, { kind, ref, desired }: Change): Promise<Sent> {
  // carried through once it was written, also when the process stops: its deadline bounds it
  const neverStopped = new AbortController().signal
  if (!isComputeRef(ref)) return service.updateDefaults(ref.projectId, desired, neverStopped)
  const { projectId, endpointId } = ref
  return kind === 'restart'
    ? service.restartCompute(projectId, endpointId, neverStopped)
    : service.updateCompute(projectId, endpointId, desired, neverStopped)
}
