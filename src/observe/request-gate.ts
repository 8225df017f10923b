// Gate for the requests of one kind in a sweep: a route that fails or hangs must hold up neither the rest of the sweep nor the next pass.
//
// 1. The gate closes when its time is over. Requests in flight are stopped.
// 2. The gate closes after `MAX_LOST` answers in a row were lost: the route itself fails, not a project.
//
// A closed gate refuses requests; their projects wait for the next sweep, and have not failed.
import type { SweepProblem } from '../model/observation.ts'
import type { Clock } from '../model/ports/clock.ts'
import { serviceErrorText, type ServiceError } from '../model/service/service-error.ts'
import { seconds, type Seconds } from '../model/units.ts'
import { createDeadline } from '../std/deadline.ts'
import type { Result } from '../std/result.ts'

/** Lost answers in a row that close a gate, 5: a few broken projects beside each other are possible, and each lost answer may take 30 s. */
const MAX_LOST = 5

/**
 * Lost answers of one sweep from which the route is at fault, and not a broken project, while fewer than half of the projects fail. Most
 * projects are looked at again and again; operations are read only of the few that changed, so a single lost answer may be the route's.
 */
const MIN_LOST = { projects: 1, computes: 3, operations: 1, readings: 1 }

/** Time from the start of a sweep to the end of each kind, as a share of the interval: each kind finds time, and the pass ends within two intervals. */
const GATE_ENDS = { projects: 1, computes: 1.2, operations: 1.35, readings: 1.5 }

/** Shortest interval that these shares are taken of, 15 s: with a shorter one a single slow answer would end a sweep. */
const MIN_INTERVAL = 15

export type RequestKind = keyof typeof GATE_ENDS

export type RequestGate = Disposable & {
  /** Undefined where the gate is closed, or closes before the answer. */
  readonly ask: <Value>(
    request: (signal: AbortSignal) => Promise<Result<Value, ServiceError>>,
  ) => Promise<Result<Value, ServiceError> | undefined>
  /** Whether the service refused the API key. */
  readonly isUnauthorized: () => boolean
  /** Requests that were sent. */
  readonly asked: () => number
  /**
   * Why the service answers this kind only in part; undefined where it does not. A broken project or two are no fault of the service.
   * 1. Requests were refused.
   * 2. Most answers were lost, and as many as `MIN_LOST` or those of half of the projects.
   * 3. None was sent, while half of the projects wait after a failure.
   *
   * @param failing projects whose last request of this kind failed
   * @param projects that may need one
   */
  readonly problem: (failing: number, projects: number) => SweepProblem | undefined
}

/** @param sweep its start on the monotonic clock, and the interval between two sweeps */
export function createRequestGate(
  clock: Clock,
  {
    kind,
    startedOn,
    interval,
  }: { readonly kind: RequestKind; readonly startedOn: Seconds; readonly interval: Seconds },
  signal: AbortSignal,
): RequestGate {
  const end = startedOn + GATE_ENDS[kind] * Math.max(interval, MIN_INTERVAL)
  const remaining = seconds(Math.max(0, end - clock.monotonic()))
  const deadline = createDeadline((ended) => clock.sleep(remaining, ended), signal)
  const counts = { asked: 0, answered: 0, lost: 0, inRow: 0, refused: 0 }
  let lastError: ServiceError | undefined
  const refuse = (): undefined => {
    counts.refused += 1
  }
  const isClosed = (): boolean => deadline.isOver() || counts.inRow >= MAX_LOST

  return {
    async ask(request) {
      if (isClosed()) return refuse()
      counts.asked += 1
      const answer = await request(deadline.signal)
      if (!answer.ok && deadline.isOver()) return refuse()
      if (answer.ok) {
        counts.answered += 1
        counts.inRow = 0
        return answer
      }
      counts.lost += 1
      counts.inRow += 1
      lastError = answer.error
      return answer
    },
    isUnauthorized: () => lastError?.kind === 'unauthorized',
    asked: () => counts.asked,
    problem: (failing, projects) => {
      const reason = lastError ? serviceErrorText(lastError) : 'the answers take too long'
      if (counts.refused > 0)
        return { where: kind, message: `${reason}; other projects wait for the next pass` }
      const isWidespread = failing > 0 && 2 * failing >= projects
      const isMostlyLost = counts.lost > counts.answered
      if (isMostlyLost && (isWidespread || counts.lost >= MIN_LOST[kind]))
        return { where: kind, message: `${reason}; most requests fail` }
      if (counts.asked > 0 || !isWidespread) return undefined
      return { where: kind, message: 'the last requests failed; they are repeated within 5 minutes' }
    },
    [Symbol.dispose]: () => deadline[Symbol.dispose](),
  }
}
