// Stage 1 of a pass: the sweep, dated by the service's time. No other stage sees a clock.
import type { AwakeStatistics } from '../../ledger/readings/statistics.ts'
import { isReached, type ReadingAttempt, type Sweep } from '../../model/observation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { instant, millis, type Instant, type Seconds } from '../../model/units.ts'
import { adaptToThroughput } from '../../observe/polling/poll-plan.ts'
import { observe, type SweepPlan } from '../../observe/sweep.ts'
import { correctClockSkew } from './clock-skew.ts'
import type { PassInput, PassState } from './pass-state.ts'
import { withFewProblems } from './sweep-events.ts'
import { createServiceClock, initialAnchor, upperBoundOfNow, type ClockReading } from './service-clock.ts'

export type Observed = ClockReading & {
  readonly sweep: Sweep
  /** Monotonic time at the start of the pass. */
  readonly startedOn: Seconds
  /** For the retention of the store; undefined where the service did not answer: the clock of the machine alone may be wrong. */
  readonly retainedAt: Instant | undefined
}

export async function observeOnServiceTime(
  ports: Ports,
  { before, plan }: PassInput,
  signal: AbortSignal,
): Promise<Observed> {
  const startedOn = ports.clock.monotonic()
  const clock = createServiceClock(ports, before.clock.anchor ?? initialAnchor(before.ledger, ports.clock))
  const statistics = (refs: readonly ComputeRef[]) => statisticsOf(refs, before.statistics, ports)
  const { list, retries: waiting } = before.polling
  const input = { ledger: before.ledger, list, waiting, plan: sweepPlan(before, plan.sweep) }
  const swept = await observe({ ...ports, clock, statistics }, input, signal)
  const shown = redactSweep(swept, ports)
  const observed = { ...shown, readings: [...unappliedReadings(before), ...shown.readings] }
  const wallAhead = millis(ports.clock.now() - clock.now())
  const { sweep, late } = correctClockSkew(observed, { time: ports.serviceTime, wallAhead })
  const anchor = { at: instant(clock.now() + late), on: clock.monotonic() }
  const corrected = createServiceClock(ports, anchor)
  const now = corrected.now()
  return {
    sweep: withFewProblems(sweep),
    now,
    retainedAt: isReached(sweep.service) ? now : undefined,
    upperBound: upperBoundOfNow(corrected),
    wallClock: ports.clock.now(),
    anchor,
    startedOn,
  }
}

/** Unstored attempts of earlier passes, without computes whose part of the pass was stored. */
const unappliedReadings = ({ persistence, ledger }: PassState): readonly ReadingAttempt[] =>
  persistence.unstoredReadings.filter(({ ref, disconnectedAt }) => {
    const { lastAttemptAt } = ledger.computes.get(computeKey(ref))?.reading ?? {}
    return lastAttemptAt === undefined || lastAttemptAt < disconnectedAt
  })

/** From memory; from the store for computes that have just woken. */
async function statisticsOf(refs: readonly ComputeRef[], awake: AwakeStatistics, { history }: Ports) {
  const stored = await history.statistics(refs.filter((ref) => !awake.has(computeKey(ref))))
  const known = refs.flatMap((ref) => awake.get(computeKey(ref))?.statistics ?? [])
  return new Map([...stored, ...known.map((one) => [computeKey(one.ref), one] as const)])
}

/** See `Persistence.isPersisted`. */
function sweepPlan({ persistence, polling }: PassState, plan: SweepPlan): SweepPlan {
  const adapted = { ...plan, allowance: plan.requests, requests: adaptToThroughput(plan, polling.throughput) }
  return persistence.isPersisted ? adapted : { ...adapted, readings: { ...plan.readings, mode: 'off' } }
}

/** Keys of texts that others chose. Ids and hosts stay, because they are asked for again. */
const TEXTS: ReadonlySet<string> = new Set([
  'name',
  'regionId',
  'platformId',
  'where',
  'message',
  'missing',
  'application',
  'user',
  'database',
])

/**
 * The exit of every text that others wrote, without known secrets: events, status, metrics, pages, reports and the store have what passed here.
 *  An unchanged part stays the same object, as caches go by identity.
 */
const redactSweep = (sweep: Sweep, { redact }: Pick<Ports, 'redact'>): Sweep => ({
  ...sweep,
  projects: withoutSecrets(sweep.projects, redact),
  looks: withoutSecrets(sweep.looks, redact),
  readings: withoutSecrets(sweep.readings, redact),
  problems: withoutSecrets(sweep.problems, redact),
})

function withoutSecrets<Part>(part: Part, redact: Ports['redact']): Part {
  if (typeof part !== 'object' || part === null) return part
  const shown = Object.entries(part).map(([key, inner]: [string, unknown]) => {
    const isText = typeof inner === 'string' && TEXTS.has(key)
    return [key, isText ? redact(inner) : withoutSecrets(inner, redact)] as const
  })
  if (shown.every(([key, inner]) => inner === Reflect.get(part, key))) return part
  return (Array.isArray(part) ? shown.map(([, inner]) => inner) : Object.fromEntries(shown)) as Part
}
