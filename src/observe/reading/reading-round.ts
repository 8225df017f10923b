// Readings of one sweep: the computes that the quiet rule allows to read, each after a fresh look of its own.
import { computeKey, shortestDelay, type ComputeRef, type Project } from '../../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Look, ReadingAttempt, ReadingRefusal, SweepProblem } from '../../model/observation.ts'
import { activityLagOfAccount } from '../../model/inference/activity-lag.ts'
import type { Clock, ServiceClock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import { seconds, type Seconds } from '../../model/units.ts'
import { ok, type Result } from '../../std/result.ts'
import { forEachParallel } from '../../std/parallel.ts'
import { look } from '../look.ts'
import type { RequestGate } from '../request-gate.ts'
import { quietVerdict, type QuietLimits, type QuietVerdict } from './quiet-rule.ts'

export type ReadingPlan = QuietLimits & { readonly maxConcurrent: number }

export type ReadingRound = Readonly<{
  /** The fresh looks made before readings. */
  looks: readonly Look[]
  readings: readonly ReadingAttempt[]
  refusals: readonly { readonly ref: ComputeRef; readonly refusal: ReadingRefusal }[]
  problems: readonly SweepProblem[]
  /** Requests that were made. */
  requestsMade: number
}>

/** No reading starts later than 20 s after the round began: the pass must end within its interval. The rest waits for the next sweep. */
const ROUND_LIMIT: Seconds = seconds(20)
/** An older look is repeated before a reading: the compute may have been suspended. */
const MAX_LOOK_AGE: Seconds = seconds(1)

type RoundInput = Readonly<{
  ledger: Ledger
  looks: readonly Look[]
  projectOf: (projectId: string) => Project | undefined
  plan: ReadingPlan
  /** Requests for fresh looks: a compute that needs one and finds none waits for the next sweep. */
  room: number
}>

type Candidate = Readonly<{
  ref: ComputeRef
  entry: ComputeEntry
  look: Look
  gapCounts: readonly number[]
}>

type Outcome =
  | { readonly refusal: ReadingRefusal; readonly look?: Look }
  | { readonly reading: ReadingAttempt }
  | { readonly problem: string }
  | { readonly waits: true }

/** A fresh look; undefined when the sweep has no request left for it. */
type LookAgain = (ref: ComputeRef) => Promise<Result<Look, ServiceError> | undefined>

export type RoundPorts = Pick<Ports, 'service' | 'readings'> & {
  readonly clock: ServiceClock
  readonly statistics: History['statistics']
}

export async function runReadingRound(
  ports: RoundPorts,
  input: RoundInput,
  { gate, signal }: { readonly gate: RequestGate; readonly signal: AbortSignal },
): Promise<ReadingRound> {
  const startedAt = ports.clock.monotonic()
  ports.readings.evict(({ projectId, endpointId }) =>
    input.ledger.computes.has(computeKey({ account: input.ledger.account, projectId, endpointId })),
  )
  const outcomes: (readonly [ComputeRef, Outcome])[] = []
  let waiting = 0
  const activityLag = activityLagOfAccount(input.ledger.computes.values()) ?? input.plan.activityLag
  await ports.clock.yield()
  const measured = { ...input, plan: { ...input.plan, activityLag } }
  const lookAgain: LookAgain = (ref) =>
    gate.asked() >= input.room ? Promise.resolve(undefined) : gate.ask((stop) => look(ports, ref, stop))
  await forEachParallel(await candidates(ports, input), input.plan.maxConcurrent, async (candidate) => {
    if (ports.clock.monotonic() - startedAt > ROUND_LIMIT || signal.aborted) waiting += 1
    else
      outcomes.push([candidate.ref, await attempt(ports, { candidate, input: measured, lookAgain }, signal)])
  })
  waiting += outcomes.filter(([, outcome]) => 'waits' in outcome).length
  return {
    requestsMade: gate.asked(),
    looks: outcomes.flatMap(([, outcome]) => {
      if ('reading' in outcome) return [outcome.reading.look]
      return 'look' in outcome && outcome.look ? [outcome.look] : []
    }),
    readings: outcomes.flatMap(([, outcome]) => ('reading' in outcome ? [outcome.reading] : [])),
    refusals: outcomes.flatMap(([ref, outcome]) =>
      'refusal' in outcome ? [{ ref, refusal: outcome.refusal }] : [],
    ),
    problems: [
      ...outcomes.flatMap(([ref, outcome]) =>
        'problem' in outcome ? [{ where: `compute ${ref.endpointId}`, message: outcome.problem }] : [],
      ),
      ...(waiting > 0 ? [{ where: 'readings', message: `${waiting} computes wait for the next pass` }] : []),
    ],
  }
}

/**
 * Applies the quiet rule twice: to the sweep's look, which costs nothing, then to a fresh one. The address is got ready between the two: it may
 * take long, and the compute may be suspended meanwhile. Nothing waits between the fresh look and the connection.
 */
async function attempt(
  ports: RoundPorts,
  {
    candidate,
    input,
    lookAgain,
  }: {
    readonly candidate: Candidate
    readonly input: RoundInput
    readonly lookAgain: LookAgain
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock, readings } = ports
  const { ref, entry, gapCounts } = candidate
  const because = readings.refusalOf(candidate.look.compute)
  if (because) return { refusal: { because } }
  const verdictOn = (current: Look): QuietVerdict => {
    const delay = shortestDelay(current.compute, input.projectOf(ref.projectId))
    return quietVerdict(entry, { look: current, delay, limits: input.plan, gapCounts }, clock.now())
  }
  const first = verdictOn(candidate.look)
  if ('refusal' in first) return first
  const { activityLag } = input.plan
  const unprepared = await readings.prepare(candidate.look.compute, signal)
  if (unprepared) {
    const [at, expectedCost] = [clock.now(), seconds(0)]
    const { look: swept } = candidate
    return {
      reading: {
        ref,
        connectedAt: at,
        disconnectedAt: at,
        result: unprepared,
        look: swept,
        expectedCost,
        activityLag,
      },
    }
  }
  const looked = isFresh(candidate.look, clock) ? ok(candidate.look) : await lookAgain(ref)
  if (!looked) return { waits: true }
  if (!looked.ok) return { problem: 'could not be looked at again before its reading, so it was not read' }
  const current = looked.value
  const second = verdictOn(current)
  if ('refusal' in second) return { ...second, look: current }
  const connectedAt = clock.now()
  const result = await readings.read(current.compute, second.read, signal)
  const { cost: expectedCost } = second
  return {
    reading: {
      ref,
      connectedAt,
      disconnectedAt: clock.now(),
      result,
      look: current,
      expectedCost,
      activityLag,
    },
  }
}

const isFresh = ({ askedOn }: Look, clock: Clock): boolean => clock.monotonic() - askedOn <= MAX_LOOK_AGE

/**
 * Computes of this sweep that have a ledger entry, which the quiet rule needs. Those that were not tried for longest come first: a compute
 * that a full round left out is next.
 */
async function candidates(
  { statistics }: Pick<RoundPorts, 'statistics'>,
  { ledger, looks, plan }: RoundInput,
): Promise<readonly Candidate[]> {
  const known = looks
    .flatMap((swept) => {
      const { projectId, endpointId } = swept.compute
      const ref = { account: ledger.account, projectId, endpointId }
      const entry = ledger.computes.get(computeKey(ref))
      return entry ? [{ ref, entry, look: swept }] : []
    })
    .toSorted((a, b) => triedAt(a) - triedAt(b))
  const awake = plan.mode === 'off' ? [] : known.filter(({ look: { compute } }) => compute.state === 'active')
  const learned = await statistics(awake.map(({ ref }) => ref))
  return known.map((one) => ({ ...one, gapCounts: learned.get(computeKey(one.ref))?.gapCounts ?? [] }))
}

const triedAt = ({ entry }: Pick<Candidate, 'entry'>): number => entry.reading.lastAttemptAt ?? 0
