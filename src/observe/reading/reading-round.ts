// The readings of one sweep: which computes the quiet rule lets us read, each after a fresh look of its own.
import { computeKey, effectiveDelay, type ComputeRef, type Project } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Look, ReadingAttempt, ReadingRefusal, SweepProblem } from '../../model/observation.ts'
import { activityLagOfAccount } from '../../model/inference/activity-lag.ts'
import type { Clock, ServiceClock } from '../../model/ports/clock.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { runYielding } from '../../std/cooperative.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { forEachParallel } from '../../std/parallel.ts'
import { quietVerdict, type QuietLimits, type QuietVerdict } from './quiet-rule.ts'

export type ReadingPlan = QuietLimits & { readonly maxConcurrent: number }

export type ReadingRound = {
  /** The fresh looks made before readings. */
  readonly looks: readonly Look[]
  readonly readings: readonly ReadingAttempt[]
  readonly refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
  readonly problems: readonly SweepProblem[]
  /** Requests that were made. */
  readonly asked: number
}

/** No reading starts later than this after the round began; the rest waits for the next sweep. Doubled, a pass may take that much longer. */
const ROUND_LIMIT: Seconds = seconds(20)
/** A look older than this is made again before a compute is connected to: it may have fallen asleep. */
const FRESH_LOOK: Seconds = seconds(1)

type RoundInput = {
  readonly ledger: Ledger
  readonly looks: readonly Look[]
  readonly projectOf: (projectId: string) => Project | undefined
  readonly plan: ReadingPlan
  /** Requests that there are for it: what needs a fresh look and finds none waits for the next sweep. */
  readonly room: number
}

type Candidate = { readonly ref: ComputeRef; readonly account: ComputeEntry; readonly look: Look }

/** What became of one candidate. */
type Outcome =
  | { readonly refusal: ReadingRefusal; readonly look?: Look }
  | { readonly reading: ReadingAttempt }
  | { readonly problem: string }
  | { readonly waits: true }

/** What a round needs of the ports. */
type RoundPorts = Pick<Ports, 'service' | 'readings'> & { readonly clock: ServiceClock }

export async function runReadingRound(
  ports: RoundPorts,
  input: RoundInput,
  signal: AbortSignal,
): Promise<ReadingRound> {
  const begun = ports.clock.monotonic()
  const outcomes: (readonly [ComputeRef, Outcome])[] = []
  let left = 0
  const lag = await runYielding(activityLagOfAccount(input.ledger.computes.values()), () =>
    ports.clock.sleep(seconds(0), signal),
  )
  const activityLag = lag ?? input.plan.activityLag
  const measured = { ...input, plan: { ...input.plan, activityLag } }
  let asked = 0
  const look = (ref: ComputeRef): Promise<Look | undefined> | 'no-room' => {
    if (asked >= input.room) return 'no-room'
    asked += 1
    return freshLook(ports, ref, signal)
  }
  await forEachParallel(candidates(input), input.plan.maxConcurrent, async (candidate) => {
    if (ports.clock.monotonic() - begun > ROUND_LIMIT || signal.aborted) left += 1
    else outcomes.push([candidate.ref, await attempt(ports, { candidate, input: measured, look }, signal)])
  })
  left += outcomes.filter(([, outcome]) => 'waits' in outcome).length
  const made = outcomes.flatMap(([, outcome]) => ('reading' in outcome ? [outcome.reading] : []))
  return {
    asked,
    looks: outcomes.flatMap(([, outcome]) => {
      if ('reading' in outcome) return [outcome.reading.look]
      return 'look' in outcome && outcome.look ? [outcome.look] : []
    }),
    readings: made,
    refusals: outcomes.flatMap(([ref, outcome]) =>
      'refusal' in outcome ? [{ ref, refusal: outcome.refusal }] : [],
    ),
    problems: [
      ...outcomes.flatMap(([ref, outcome]) =>
        'problem' in outcome ? [{ where: `compute ${ref.endpointId}`, message: outcome.problem }] : [],
      ),
      ...(left > 0 ? [{ where: 'readings', message: `${left} computes wait for the next pass` }] : []),
    ],
  }
}

/** Judges twice: by the sweep's look, which costs nothing, and by a fresh one. */
async function attempt(
  ports: RoundPorts,
  {
    candidate,
    input,
    look: lookAgain,
  }: {
    readonly candidate: Candidate
    readonly input: RoundInput
    readonly look: (ref: ComputeRef) => Promise<Look | undefined> | 'no-room'
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock, readings } = ports
  const { ref, account } = candidate
  if (!readings.readable(candidate.look.compute)) return { refusal: { because: 'no-dsn' } }
  const judge = (look: Look): QuietVerdict => {
    const delay = effectiveDelay(look.compute, input.projectOf(ref.projectId))
    return quietVerdict(account, { look, delay, limits: input.plan }, clock.now())
  }
  const first = judge(candidate.look)
  if ('refusal' in first) return first
  const look = isFresh(candidate.look, clock) ? candidate.look : await lookAgain(ref)
  if (look === 'no-room') return { waits: true }
  if (!look) return { problem: 'could not be looked at again before its reading, so it was not read' }
  const second = judge(look)
  if ('refusal' in second) return { ...second, look }
  const connectedAt = clock.now()
  const result = await readings.read(look.compute, second.read, signal)
  const { cost } = second
  const { activityLag } = input.plan
  return { reading: { ref, connectedAt, disconnectedAt: clock.now(), result, look, cost, activityLag } }
}

const isFresh = ({ askedOn }: Look, clock: Clock): boolean => clock.monotonic() - askedOn <= FRESH_LOOK

/** The list is what the interface text has; it costs one request like a single record would. */
async function freshLook(
  { clock, service }: RoundPorts,
  { projectId, endpointId }: ComputeRef,
  signal: AbortSignal,
): Promise<Look | undefined> {
  const askedOn = clock.monotonic()
  const answer = await service.listComputes(projectId, signal)
  const seen = clock.between(askedOn, clock.monotonic())
  const compute = answer.ok ? answer.value.items.find((one) => one.endpointId === endpointId) : undefined
  return compute && seen && { compute, askedAt: seen[0], answeredAt: seen[1], askedOn }
}

/**
 * Computes seen in this sweep that the ledger knows, because the quiet rule needs an account; those that were not tried
 * for longest come first, so that whoever was left over by a full round is next.
 */
function candidates({ ledger, looks }: RoundInput): Candidate[] {
  return looks
    .flatMap((look) => {
      const { projectId, endpointId } = look.compute
      const ref = { account: ledger.account, projectId, endpointId }
      const account = ledger.computes.get(computeKey(ref))
      return account ? [{ ref, account, look }] : []
    })
    .toSorted((a, b) => triedAt(a) - triedAt(b))
}

const triedAt = ({ account }: Candidate): number => account.reading.lastAttemptAt ?? 0
