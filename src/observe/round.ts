// The readings of one sweep: which computes the quiet rule lets us read, each after a fresh look of its own.
import { computeKey, effectiveDelay, type ComputeRef, type Project } from '../model/compute.ts'
import type { ComputeAccount, Ledger } from '../model/ledger.ts'
import type { Look, ReadingAttempt, ReadingRefusal } from '../model/observation.ts'
import type { Ports } from '../model/ports.ts'
import { seconds, type Seconds } from '../model/units.ts'
import { inParallel } from './parallel.ts'
import { quietVerdict, type QuietLimits, type QuietVerdict } from './quiet.ts'

export type ReadingPlan = QuietLimits & {
  readonly maxConcurrent: number
}

export type Round = {
  /** The fresh looks made before readings. */
  readonly looks: readonly Look[]
  readonly readings: readonly ReadingAttempt[]
  readonly refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
}

/** No reading starts later than this after the round began; the rest waits for the next sweep. Doubled, a pass may take that much longer. */
const ROUND_LIMIT: Seconds = seconds(20)
/** A look older than this is made again before a compute is connected to: it may have fallen asleep. */
const FRESH_LOOK: Seconds = seconds(1)

type RoundInput = {
  readonly ledger: Ledger
  readonly looks: readonly Look[]
  readonly projects: ReadonlyMap<string, Project>
  readonly plan: ReadingPlan
}

type Candidate = { readonly ref: ComputeRef; readonly account: ComputeAccount; readonly look: Look }

export async function readingRound(ports: Ports, input: RoundInput, signal: AbortSignal): Promise<Round> {
  const { clock, readings, service } = ports
  const begun = clock.monotonic()
  const made: { looks: Look[]; readings: ReadingAttempt[] } = { looks: [], readings: [] }
  const refusals: { ref: ComputeRef; refusal: ReadingRefusal }[] = []
  const judge = ({ account, look }: Candidate): QuietVerdict =>
    quietVerdict(
      account,
      {
        look,
        delay: effectiveDelay(look.compute, input.projects.get(look.compute.projectId)),
        limits: input.plan,
      },
      clock.now(),
    )
  await inParallel(candidates(input), input.plan.maxConcurrent, async (candidate) => {
    if (clock.monotonic() - begun > ROUND_LIMIT || signal.aborted) return
    const { ref } = candidate
    const refuse = (refusal: ReadingRefusal): number => refusals.push({ ref, refusal })
    if (!readings.readable(candidate.look.compute)) {
      refuse({ because: 'no-dsn' })
      return
    }
    const first = judge(candidate)
    if ('refusal' in first) {
      refuse(first.refusal)
      return
    }
    const look = await freshLook()
    if (!look) return
    const second = judge({ ...candidate, look })
    if ('refusal' in second) {
      refuse(second.refusal)
      return
    }
    const connectedAt = clock.now()
    const result = await readings.read(look.compute, second.read, signal)
    made.readings.push({ ref, connectedAt, disconnectedAt: clock.now(), result, look, cost: second.cost })

    async function freshLook(): Promise<Look | undefined> {
      const askedAt = clock.now()
      if (askedAt - candidate.look.askedAt <= FRESH_LOOK * 1000) return candidate.look
      // The list is what the interface text has; it costs one request like a single record would.
      const answer = await service.listComputes(ref.projectId, signal)
      const compute = answer.ok
        ? answer.value.items.find(({ endpointId }) => endpointId === ref.endpointId)
        : undefined
      if (!compute) return undefined
      const fresh = { compute, askedAt, answeredAt: clock.now() }
      made.looks.push(fresh)
      return fresh
    }
  })
  return { ...made, refusals }
}

/** Computes seen in this sweep that the ledger knows: the quiet rule needs an account. */
function candidates({ ledger, looks }: RoundInput): Candidate[] {
  return looks.flatMap((look) => {
    const { projectId, endpointId } = look.compute
    const ref = { account: ledger.account, projectId, endpointId }
    const account = ledger.computes.get(computeKey(ref))
    return account ? [{ ref, account, look }] : []
  })
}
