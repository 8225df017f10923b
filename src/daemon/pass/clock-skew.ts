// Records dated in the future: if two agree, our clock is slow and is corrected; a single one is dropped.
import type { Look, Sweep, SweepProblem } from '../../model/observation.ts'
import type { ServiceTime } from '../../model/ports/clock.ts'
import { toIsoSecond } from '../../model/time.ts'
import { instant, latest, millis, type Instant, type Millis } from '../../model/units.ts'
import { ASSUMED_SKEW } from './service-clock.ts'

/** How far a record may be ahead of the latest possible service time, ms: machines of the service differ. */
const ALLOWED = 3000

/** `late`: how late our time was. Where answers tell the time, no record moves it. @param wallAhead the wall clock less our time */
export function correctClockSkew(
  sweep: Sweep,
  { time, wallAhead }: Readonly<{ time: ServiceTime; wallAhead: Millis }>,
): Readonly<{ sweep: Sweep; late: Millis }> {
  const late = time.estimate() ? millis(0) : lateness(sweep.looks, wallAhead)
  return { sweep: withoutAhead(late > 0 ? moved(sweep, late) : sweep), late }
}

/**
 * As two witnesses agree: records of different computes, or the wall clock, which goes on where a machine that slept stopped its monotonic
 * one. One record alone may be wrong.
 */
function lateness(looks: readonly Look[], wallAhead: Millis) {
  const claims = new Map<string, number>()
  for (const { compute, answeredAt } of looks) {
    const key = `${compute.projectId}/${compute.endpointId}`
    const claim = newest(compute) - (answeredAt - ASSUMED_SKEW)
    claims.set(key, Math.max(claim, claims.get(key) ?? claim))
  }
  let [first, second] = [wallAhead as number, 0]
  for (const claim of claims.values()) {
    second = Math.max(second, Math.min(first, claim))
    first = Math.max(first, claim)
  }
  return millis(second > ASSUMED_SKEW ? second : 0)
}

const TIMES = [
  ['created_at', 'createdAt'],
  ['updated_at', 'updatedAt'],
  ['started_at', 'startedAt'],
  ['suspended_at', 'suspendedAt'],
  ['last_active', 'lastActive'],
] as const

const newest = (compute: Look['compute']) =>
  latest(...TIMES.map(([, field]) => compute[field] ?? compute.updatedAt))

function withoutAhead(sweep: Sweep) {
  const problems = new Map<string, SweepProblem>()
  const isTrue = (where: string, until: Instant, times: Times) => {
    const ahead = times.filter(([, at]) => (at ?? 0) > until + ALLOWED)
    const message = ahead.map(([field, at = until]) => `${field}: ${toIsoSecond(at)} ${WRONG}`).join('; ')
    if (ahead.length > 0) problems.set(`${where}: ${message}`, { where, message })
    return ahead.length === 0
  }
  const looks = sweep.looks.filter(({ compute, answeredAt }) => {
    const times = TIMES.map(([field, key]) => [field, compute[key]] as const)
    return isTrue(`compute ${compute.endpointId}`, answeredAt, times)
  })
  const { operations = [], ahead = [] } = Object.groupBy(sweep.operations, (operation) => {
    const { operationId, createdAt, updatedAt } = operation
    const times = [
      ['created_at', createdAt],
      ['updated_at', updatedAt],
    ] as const
    return isTrue(`operation ${operationId}`, sweep.endedAt, times) ? 'operations' : 'ahead'
  })
  const unreadable = ahead.map(({ projectId, endpointId }) => ({ projectId, endpointId }))
  return {
    ...sweep,
    looks: looks.map(notBefore),
    operations,
    unreadableOperations: [...sweep.unreadableOperations, ...unreadable],
    problems: [...sweep.problems, ...problems.values()],
  }
}

type Times = readonly (readonly [field: string, at: Instant | undefined])[]

/** Equal in every pass: the problem is reported once. */
const WRONG = `is a time to come, allowed are ${ALLOWED / 1000} s: this record is left out`

/** A look is not older than its record. */
const notBefore = (look: Look): Look => ({
  ...look,
  answeredAt: latest(look.answeredAt, newest(look.compute)),
})

function moved(sweep: Sweep, by: Millis) {
  const put = (at: Instant) => instant(at + by)
  const look = (one: Look): Look => ({ ...one, askedAt: put(one.askedAt), answeredAt: put(one.answeredAt) })
  return {
    ...sweep,
    startedAt: put(sweep.startedAt),
    endedAt: put(sweep.endedAt),
    looks: sweep.looks.map(look),
    listedComputes: sweep.listedComputes.map((one) => ({ ...one, answeredAt: put(one.answeredAt) })),
    readings: sweep.readings.map((one) => ({
      ...one,
      connectedAt: put(one.connectedAt),
      disconnectedAt: put(one.disconnectedAt),
      look: look(one.look),
    })),
  }
}
